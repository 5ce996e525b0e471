import cloudfront from "cloudfront";
import { type CacheKey, type Purpose, uriOf } from "../cache/cache-key.ts";
import { takesBrotli } from "../content/brotli.ts";
import { hasSingleRange } from "../content/range.ts";
import { edgeRequestOf, type ViewerRequest, type ViewerResponse, viewerResponseOf } from "../events/viewer-event.ts";
import { plainPageResponse } from "../pages/own-response.ts";
import { unavailable } from "../pages/pages.ts";
import { isRead, type LiveProject, type Project, respondEarly } from "../pages/respond-early.ts";
import { type EdgeRequest, type EdgeResponse, type Target, targetOf } from "../request.ts";
import { ownerMark } from "../visit/site-data.ts";
import { cookieValue, isWorkerScript, startsVisit } from "../visit/visit.ts";
import { siteOf } from "./host.ts";
import { keyOfSite, overflowKey, parseValue } from "./pointer.ts";

/*
 * First step of both functions at the viewer's request: the project of the request's host, by one read of the key-value store.
 */

/** Whoever imports the module a second time adds an import to the bundle. */
export { cloudfront };

const store = cloudfront.kvs();

interface SiteRequest {
  readonly request: EdgeRequest;
  /** Its key in the store. */
  readonly site: string;
}

/** A request for a live project, or for one that only the origin knows: then `project` is undefined. */
type ProjectRequest = SiteRequest &
  ({ readonly project: LiveProject; readonly target: Target } | { readonly project: undefined });

/** Responds to what needs no release. */
export async function readProjectOrRespond(
  event: ViewerRequest,
): Promise<ProjectRequest | { readonly response: ViewerResponse }> {
  const request = edgeRequestOf(event);
  const host = event.headers.host.value;
  const place = siteOf(host, GAMES_DOMAIN);
  const site = keyOfSite(place);
  let project: Project | undefined;
  try {
    project = site === "" ? { kind: "none" } : await readProject(site);
  } catch {
    return { response: viewerResponseOf(plainPageResponse(request, unavailable, { "retry-after": "1" })) };
  }
  // The origin has the page; it knows the project by itself.
  if (OFFLINE_PAGES && project?.kind === "unpublished" && OFFLINE_PAGES.includes(event.uri)) project = undefined;
  if (project === undefined && isRead(request)) return { request, site, project };
  // The game's host, if this one is a preview's. The domain is not named again, because that takes up to 130 bytes of the function.
  const home = site.includes("--") ? host.replace(/--\w+/, "") : "";
  const early = respondEarly(request, project || { kind: "none" }, home);
  if ("project" in early) return { request, site, project: early.project, target: early.target };
  return { response: ownResponse(site, early.response) };
}

/** A response without a release. No search engine is to list a preview. */
export function ownResponse(site: string, made: EdgeResponse): ViewerResponse {
  const response = viewerResponseOf(made);
  if (site.includes("--")) response.headers["x-robots-tag"] = { value: "noindex" };
  return response;
}

/**
 * The project of a key. The store's `get` fails for an absent key as for any trouble, and only a game that is surely gone
 * may end its players' workers.
 *
 * @returns undefined if the store does not have it, nor all others
 * @throws Error if the store cannot be read
 */
async function readProject(key: string): Promise<Project | undefined> {
  let value: string | undefined;
  try {
    value = await store.get(key);
  } catch {
    // The key may be absent.
  }
  if (value === undefined) {
    const exists = await store.exists(key);
    if (exists) throw new Error("unreadable");
    const isPartial = await store.exists(overflowKey);
    if (isPartial) return undefined;
  }
  return parseValue(key, value, Date.now() / 1_000);
}

/**
 * The request with the key of the cache as its URI, in which a path has one spelling: a stranger who writes `%61` for `a` makes no other
 * key. S3 must see no condition that is about another ETag than its own. A page and a
 * worker's script are sent whole: what the cache has of them names their release, and a 416 made of that would show it.
 *
 * @param isWhole whether the browser must get the file whole, whatever it has
 */
export function rewriteToCacheKey(
  sent: ViewerRequest,
  request: EdgeRequest,
  {
    site,
    release,
    dictionary,
    isWhole,
  }: Pick<CacheKey, "site" | "release" | "dictionary"> & { readonly isWhole: boolean },
): ViewerRequest {
  const removed = ["if-match", "if-modified-since", "if-unmodified-since"];
  if (isWhole) removed.push("if-none-match");
  const purpose = purposeOf(request);
  const viewerRequest = purpose === "file" ? request : withoutRange(request);
  if (!hasSingleRange(viewerRequest)) removed.push("range", "if-range");
  removed.forEach((name) => {
    delete sent.headers[name];
  });
  const path = spellingOf(sent.uri);
  sent.uri = uriOf({ site, release, purpose, dictionary, brotli: takesBrotli(viewerRequest), path: path });
  return sent;
}

/** One of the spellings of a path. The origin responds to one that is invalid. */
function spellingOf(uri: string): string {
  const target = targetOf(uri);
  return target ? `/${encodeURI(target.path).replace(/[?#]/g, encodeURIComponent)}` : uri;
}

function withoutRange(request: EdgeRequest): EdgeRequest {
  return Object.assign({}, request, { headers: Object.assign({}, request.headers, { range: undefined }) });
}

export function purposeOf(request: EdgeRequest): Purpose {
  if (isWorkerScript(request)) return "worker";
  return startsVisit(request) ? "page" : "file";
}

/** The request to the origin, which reads the pointer itself. */
export function rewriteUnknown(sent: ViewerRequest, { request, site }: SiteRequest): ViewerRequest {
  const visit = cookieValue(request);
  const ownedSince = isWorkerScript(request) ? ownerMark(request) : "";
  const release = {
    visit: /^[\w.-]*$/.test(visit) ? visit : "",
    ownedSince: /^\w*$/.test(ownedSince) ? ownedSince : "",
  };
  // Whether the browser may keep a page of an earlier owner is not known here.
  return rewriteToCacheKey(sent, request, { site, release, isWhole: startsVisit(request) });
}
