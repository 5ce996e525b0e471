import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResultResponse } from "aws-lambda";
import { publicPagePath } from "../contract/api/projects/public-page.ts";
import { reportUrlOf } from "../contract/api/projects/report-url.ts";
import { defaultSettings, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import {
  type CacheKey,
  cacheKeyOf,
  cacheTag,
  edgeLifetime,
  foundHeader,
  isPlace,
  pointerHeader,
  releasesHeader,
  tagHeader,
  type Visitor,
} from "./cache/cache-key.ts";
import { isNotModified } from "./content/conditional.ts";
import { findObject, type ManifestReader, type ObjectResult } from "./content/find-object.ts";
import { availableDictionary } from "./content/named-content.ts";
import { requestedRange } from "./content/range.ts";
import { indexPage } from "./content/resolve.ts";
import { bodyOf, generatedResponse, handOver } from "./events/origin-event.ts";
import { cardPath } from "./pages/card-agents.ts";
import {
  cardResponse,
  optionPageResponse,
  type PageText,
  publicPageResponse,
  reportResponse,
} from "./pages/generated-pages.ts";
import type { ShownGame } from "./pages/named-pages.ts";
import { isOwnPath, ownPathResponse, reportPath } from "./pages/own-paths.ts";
import { pageResponse } from "./pages/own-response.ts";
import { badRequest, notFound, withReportLink } from "./pages/pages.ts";
import { respondEarly } from "./pages/respond-early.ts";
import { parseValue, slugOfKey } from "./project/pointer.ts";
import { type EdgeRequest, type EdgeResponse, targetOf } from "./request.ts";
import { ownerCookie } from "./visit/site-data.ts";
import { chooseReleases, visitCookie } from "./visit/visit.ts";

/** The origin's custom header that has the stage's `reportUrl`: functions at the edge have no environment variables. */
export const reportUrlHeader = "x-svc-report-url";

/** The origin's custom header that has the name of the stage's table. */
export const tableHeader = "x-svc-table";

/** The origin's custom header that has the domain below which games play, which URLs in a public page need. */
export const gamesDomainHeader = "x-svc-games-domain";

/** The origin's custom header that has the API's origin, to which pages of options send. */
export const apiHeader = "x-svc-api";

/** The origin's custom header that has the origin of the store of files, to which presigned URLs lead. */
export const filesHeader = "x-svc-files";

/** The origin's custom header that has the paths of the pages of options that the stage has, with spaces between them. */
export const optionPagesHeader = "x-svc-option-pages";

/** Names of a project's objects in the bucket, and the reader of its manifests. */
export interface ProjectFiles {
  readonly readManifest: ManifestReader;
  fileKey(sha256: string): string;
  /** Whether the page with this content has a card of its own. */
  hasCard(sha256: string): Promise<boolean>;
}

export interface OriginContext {
  readonly filesOf: (slug: string) => ProjectFiles;
  /**
   * The value that the key-value store would have, for a site of which it has none.
   *
   * @param isPage whether a person opens a page of it
   */
  readonly readPointer: (site: string, isPage: boolean) => Promise<string | undefined>;
  /** What everybody may see of a game; undefined: nothing, or it could not be read. */
  readonly readGame: (slug: string) => Promise<ShownGame | undefined>;
  /** The public page of a game with these settings; undefined if there is nothing to play. */
  readonly makePublicPage: (slug: string, context: PublicPageContext) => Promise<PageText | undefined>;
  /** The page with a game's card; undefined if there is nothing to play. */
  readonly makeCard: (slug: string) => Promise<PageText | undefined>;
  readonly optionPages: OptionPages;
}

/** Pages of options by their paths. */
export type OptionPages = Readonly<Record<string, OptionPage>>;

interface OptionPage {
  /** The option that it belongs to. */
  readonly option: string;
  /** The page for a game with these settings; it may send to the service at these origins. Undefined: the game does without it. */
  readonly make: (settings: ReleaseSettings, service: ServiceOrigins, slug: string) => Promise<PageText | undefined>;
  /** Whether it is there while nothing of the game is live, too. Then it begins no visit of a release either. */
  readonly isOffline?: boolean;
  /** Text of the link to it on the game's public page; left out: none. */
  readonly link?: string;
}

/** Origins of the service. */
export interface ServiceOrigins {
  readonly api: string;
  /** The store of files. */
  readonly files: string;
}

/** A link on a game's public page. */
export interface PageLink {
  /** The option that it belongs to. */
  readonly option: string;
  readonly path: string;
  readonly text: string;
}

/** Pages that name a game, by their paths; each is given the live release. */
type NamedPages = Readonly<Record<string, (live: string) => Promise<EdgeResponse>>>;

interface PublicPageContext {
  readonly settings: ReleaseSettings;
  readonly reportUrl: string | undefined;
  /** Links to the pages of options that the stage has. */
  readonly links: readonly PageLink[];
}

/** Seconds. */
const keptSeconds = { long: 31_536_000, short: 5 };

/**
 * The request to the bucket for what CloudFront has not in its cache, or a response if no object is to be sent. CloudFront
 * caches either under the URI that the viewer's function made
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html).
 *
 * @throws Error if a manifest or a pointer cannot be read
 */
export async function originRequest(
  request: CloudFrontRequest,
  { filesOf, readPointer, readGame, makePublicPage, makeCard, optionPages }: OriginContext,
): Promise<CloudFrontRequest | CloudFrontResultResponse> {
  const requestKey = cacheKeyOf(request.uri);
  const isCard = requestKey !== undefined && isCardKey(requestKey);
  const key = isCard ? { ...requestKey, path: "/" } : requestKey;
  const settingOf = (name: string) => firstOf(request.origin?.s3?.customHeaders ?? {}, name);
  const reportSetting = settingOf(reportUrlHeader);
  const reportUrl = reportSetting && reportUrlOf(reportSetting, key && slugOfKey(key.site));
  const target = key && targetOf(key.path);
  if (key === undefined || target === undefined) return generatedResponse(pageResponse(get, badRequest));
  const files = filesOf(slugOfKey(key.site));
  const { release } = key;
  const made = { key, request: requestOf(key) };
  const settingsOf = async (live: string) => (await files.readManifest(live))?.settings ?? defaultSettings;
  const isPreview = key.site.includes("--");
  const gameOf = isPreview ? undefined : () => readGame(key.site);
  const pagesOfStage = settingOf(optionPagesHeader)?.split(" ") ?? [];
  const links = pagesOfStage.flatMap((path) => {
    const { option, link: text } = optionPages[path] ?? {};
    return option === undefined || text === undefined ? [] : [{ option, path, text }];
  });
  const namedPages: NamedPages = {
    [publicPagePath]: async (live) => {
      const page = await makePublicPage(key.site, { settings: await settingsOf(live), reportUrl, links });
      return publicPageResponse(made, page);
    },
    ...(reportUrl && { [reportPath]: async () => reportResponse(made, { game: await gameOf?.(), reportUrl }) }),
  };
  const namedPage = isPreview ? undefined : namedPages[key.path];
  const card =
    isCard &&
    (async (live: string) => {
      const page = (await files.readManifest(live))?.find(indexPage);
      // What players get: the card of the page itself, or that nothing is there.
      if (page === undefined || (await files.hasCard(page.sha256))) return undefined;
      return cardResponse(made, await makeCard(key.site));
    });
  const ofOption = optionPages[key.path];
  const hasPage = pagesOfStage.includes(key.path);
  const optionPage =
    ofOption &&
    (async (live?: string) => {
      const [api, store] = [settingOf(apiHeader), settingOf(filesHeader)];
      const hasOrigins = api !== undefined && store !== undefined && hasPage;
      const settings = live === undefined ? defaultSettings : await settingsOf(live);
      const slug = slugOfKey(key.site);
      const page = hasOrigins ? await ofOption.make(settings, { api, files: store }, slug) : undefined;
      if (page === undefined) return pageResponse(made.request, withReportLink(notFound, reportUrl));
      return optionPageResponse(made, page, ofOption.isOffline ? undefined : live);
    });
  // A path of the service's own in another spelling than the behavior of the distribution knows is in no release.
  const isMade = typeof release === "string" && !isPlace(release);
  if (isMade && namedPage) return generatedResponse(await namedPage(release));
  if (isMade && optionPage) return generatedResponse(await optionPage(release));
  const ofRelease = card && typeof release === "string" ? await card(release) : undefined;
  if (ofRelease !== undefined) return generatedResponse(ofRelease);
  if (typeof release !== "string") {
    const value = await readPointer(key.site, key.purpose === "page");
    const domain = settingOf(gamesDomainHeader);
    const home = domain && isPreview ? `${slugOfKey(key.site)}.${domain}` : undefined;
    const offlinePage = hasPage && ofOption?.isOffline ? optionPage : undefined;
    const pages = { namedPage, optionPage, offlinePage, card, readGame: gameOf };
    const response = await unknownSiteResponse({ key, visitor: release, value, files, reportUrl, home, ...pages });
    return originResponseOf(request, { files, response });
  }
  const named = firstOf(request.headers, releasesHeader) || release;
  const [live = release, previous, firstRelease = live, ...order] = named.split(".");
  const first = isPlace(release) ? firstRelease : release;
  const result = await findObject(requestOf(key), {
    ...{ target, reportUrl, live, previous: previous || undefined, readGame: gameOf },
    order: [first, ...order],
    readManifest: files.readManifest,
  });
  return originResponseOf(request, { files, response: keptResponse(key, { ...result, foundIn: first }) });
}

/** A key of what an agent gets for `/` that makes a card. A place has none, so a file's request in another spelling of the path makes no card. */
function isCardKey({ path, site, release }: CacheKey): boolean {
  const isPlaced = typeof release === "string" && isPlace(release);
  return path === cardPath && !isPlaced && !site.includes("--");
}

interface UnknownSite {
  readonly key: CacheKey;
  readonly visitor: Visitor;
  readonly value: string | undefined;
  readonly files: ProjectFiles;
  readonly reportUrl: string | undefined;
  /** The host of the game, for a preview of it. */
  readonly home: string | undefined;
  readonly readGame: (() => Promise<ShownGame | undefined>) | undefined;
  /** Makes the page at this path that names the game whose live release this is; undefined: there is none. */
  readonly namedPage: NamedPages[string] | undefined;
  /** Makes the page of an option at this path; undefined: there is none. */
  readonly optionPage: ((live: string) => Promise<EdgeResponse>) | undefined;
  /** Makes the same if nothing is live; undefined: there is none then. */
  readonly offlinePage: (() => Promise<EdgeResponse>) | undefined;
  /** Makes the card of the site whose live release this is, if one is asked for; undefined: the page has its own. */
  readonly card: ((live: string) => Promise<EdgeResponse | undefined>) | false;
}

/** Responds for a site of which the key-value store has no pointer. Everything can change, so it is kept for seconds at most. */
async function unknownSiteResponse({
  key,
  visitor,
  value,
  files,
  reportUrl,
  home,
  readGame,
  namedPage,
  optionPage,
  offlinePage,
  card,
}: UnknownSite): Promise<EdgeResponse> {
  const cookie = [visitCookie(visitor.visit), ownerCookie(visitor.ownedSince)].join("; ");
  const plain = requestOf(key);
  const request = { ...plain, target: key.path, headers: { ...plain.headers, cookie } };
  const siteState = parseValue(key.site, value, Date.now() / 1_000);
  if (siteState.kind === "unpublished" && offlinePage) return await offlinePage();
  const early = respondEarly(request, siteState, home);
  if ("response" in early) return early.response;
  const { project, target } = early;
  if (namedPage) return await namedPage(project.live);
  const made = card ? await card(project.live) : undefined;
  if (made !== undefined) return made;
  if (optionPage) return withPointer(await optionPage(project.live), value);
  if (isOwnPath(key.path)) return ownPathResponse(request, project, reportUrl);
  const order = chooseReleases(request, project);
  const result = await findObject(request, {
    ...{ target, reportUrl, order, live: project.live, previous: project.earlier[0], readGame },
    readManifest: files.readManifest,
  });
  const lifetime = result.lifetime === "long" ? "short" : result.lifetime;
  const response = keptResponse(key, { ...result, lifetime, foundIn: order[0] });
  return withPointer(response, value);
}

/** A response that begins a visit tells the viewer's function the pointer, which the store does not have. */
function withPointer(response: EdgeResponse, value: string | undefined): EdgeResponse {
  if (response.headers[foundHeader] === undefined || value === undefined) return response;
  return { ...response, headers: { ...response.headers, [pointerHeader]: value } };
}

/** GET without ranges and conditions: those are the cache's. */
const get: EdgeRequest = { method: "GET", target: "", headers: {} };

function requestOf({ brotli, dictionary, purpose }: CacheKey): EdgeRequest {
  return {
    ...get,
    headers: {
      "accept-encoding": dictionary === undefined ? (brotli ? "br" : undefined) : "br, dcz",
      "available-dictionary": dictionary && availableDictionary(dictionary),
      "sec-fetch-dest": purpose === "page" ? "document" : undefined,
      "service-worker": purpose === "worker" ? "script" : undefined,
    },
  };
}

/**
 * The response with how long the edge keeps it. From status 400 on no function can remove that, so those responses say it as
 * every cache may read it.
 */
function keptResponse(
  { site, purpose }: CacheKey,
  { response, release, lifetime, foundIn }: ObjectResult & { readonly foundIn: string | undefined },
): EdgeResponse {
  const { "cache-control": control } = response.headers;
  if (response.status >= 400) return response;
  return {
    ...response,
    headers: {
      ...response.headers,
      ...(lifetime !== "never" && { "cache-control": `${control}, s-maxage=${keptSeconds[lifetime]}` }),
      ...(release !== undefined && { [tagHeader]: cacheTag(slugOfKey(site)) }),
      ...(release !== undefined && purpose !== "file" && foundIn !== undefined && { [foundHeader]: foundIn }),
    },
  };
}

interface FileLookup {
  readonly files: ProjectFiles;
  readonly response: EdgeResponse;
}

function originResponseOf(request: CloudFrontRequest, { files, response }: FileLookup) {
  const object = bodyOf(response);
  if (object === undefined) return generatedResponse(response);
  const { "content-length": _, ...headers } = response.headers;
  const conditions = conditionsOf(request);
  if (response.status === 200 && isNotModified(conditions, String(headers["etag"])))
    return generatedResponse(notModified(headers));
  const range =
    response.status === 200
      ? requestedRange(conditions, { size: object.end, etag: String(headers["etag"]) })
      : undefined;
  if (range === "unsatisfiable") return generatedResponse(unsatisfiable(headers, object.end));
  if (range === undefined) delete request.headers["range"];
  handOver(request, { status: response.status, headers });
  request.uri = `/${files.fileKey(object.sha256)}`;
  return request;
}

/**
 * A viewer that has the file gets 304 without a read of the object. It is about this request alone: `private` keeps CloudFront from
 * storing it, and from giving it to others that wait for the file.
 */
function notModified(headers: EdgeResponse["headers"]): EdgeResponse {
  const shared = aboutOneRequest(headers);
  const control = String(shared["cache-control"]).replace("public", "private");
  return { status: 304, headers: { ...shared, "cache-control": control }, body: undefined };
}

function unsatisfiable(headers: EdgeResponse["headers"], size: number): EdgeResponse {
  const none = { "cache-control": "no-store", "content-range": `bytes */${size}` };
  return { status: 416, headers: { ...aboutOneRequest(headers), ...none }, body: undefined };
}

/**
 * Headers without those that describe bytes, and without the tag. A range is of a file alone, whose response has no more for the viewer's
 * function.
 */
function aboutOneRequest(headers: EdgeResponse["headers"]): EdgeResponse["headers"] {
  const left = ["accept-ranges", "content-encoding", "content-type", tagHeader];
  const control = String(headers["cache-control"]).replace(edgeLifetime, "");
  return {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name))),
    "cache-control": control,
  };
}

/** S3 knows another ETag, so what a range and a condition mean is decided here (RFC 9110, sections 13.1.5 and 13.2.2). */
function conditionsOf(request: CloudFrontRequest): EdgeRequest {
  const names = ["range", "if-range", "if-none-match"];
  return { ...get, headers: Object.fromEntries(names.map((name) => [name, firstOf(request.headers, name)])) };
}

function firstOf(headers: CloudFrontHeaders, name: string): string | undefined {
  return headers[name]?.[0]?.value;
}
