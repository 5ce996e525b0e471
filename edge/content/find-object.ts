import { defaultSettings, type ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { missingPageOf, type ShownGame } from "../pages/named-pages.ts";
import { endOfWorker } from "../pages/own-response.ts";
import type { EdgeRequest, EdgeResponse, Target } from "../request.ts";
import { isWorkerScript, startsVisit } from "../visit/visit.ts";
import { takesBrotli } from "./brotli.ts";
import {
  fileResponse,
  isSentByContent,
  leadResponse,
  missingPageResponse,
  namedContentResponse,
  redirectResponse,
} from "./file-response.ts";
import { isolationHeaders, missing } from "./headers.ts";
import { encodedPath, type NamedContent, namedContentOf } from "./named-content.ts";
import { type ReleaseFiles, type Resolved, resolve, resolvePage } from "./resolve.ts";

/** Reads the manifest of a release by its name; undefined if the project has no such release. */
export type ManifestReader = (release: string) => Promise<ReleaseFiles | undefined>;

export interface ObjectSearch {
  readonly target: Target;
  /** The releases in which to look, in this order. */
  readonly order: readonly string[];
  /** The live release, whose 404.html is sent for what is missing. */
  readonly live: string;
  /** The release that was live before: others may get of it what is missing here. */
  readonly previous: string | undefined;
  readonly readManifest: ManifestReader;
  /** URL for reporting the game; undefined if the operator has set none. */
  readonly reportUrl?: string | undefined;
  /** Reads what a person may see of the game on the page for what is missing; left out for a preview. */
  readonly readGame?: (() => Promise<ShownGame | undefined>) | undefined;
}

/**
 * Time for which a shared cache may keep a response under the first release's key. `long`: it follows from that release alone. `short`:
 * also from what is live. `never`: from what this visitor had before, so others must not get it.
 */
export type Lifetime = "long" | "short" | "never";

export interface ObjectResult {
  readonly response: EdgeResponse;
  /** The release that has it; undefined if none has. */
  readonly release: string | undefined;
  readonly lifetime: Lifetime;
  /** URL of what was found; undefined if nothing was. */
  readonly location?: string;
}

/** Looks for what a target names in one release after the other: a path, or a file at a path by its content. */
export async function findObject(request: EdgeRequest, options: ObjectSearch): Promise<ObjectResult> {
  const { order, target, readManifest } = options;
  const objectTarget = namedContentOf(target.path) ?? target;
  let first: { readonly name: string; readonly files: ReleaseFiles } | undefined;
  for (const name of order) {
    const files = await readManifest(name);
    if (files === undefined) continue;
    first ??= { name, files };
    const match = findIn(files, objectTarget);
    if (match === undefined) continue;
    // The page's release says whether the page is isolated; what it loads from another release must be isolated too.
    const settings = { ...settingsOf(files), isolation: first.files.settings.isolation };
    const response = responseOf(request, match, { objectTarget, target, settings });
    const lifetime = untilChecked(lifetimeOf(name, options), request, match);
    return { ...result(response, name, lifetime), location: locationOf(match) };
  }
  if (isNamed(objectTarget)) return await leadToPath(request, objectTarget, { ...options, first: first?.files });
  if (isWorkerScript(request)) return result(endOfWorker(request), undefined, "never");
  const settings = first ? settingsOf(first.files) : defaultSettings;
  const isOpened = startsVisit(request);
  const page = first && resolvePage(target.path, first.files, isOpened);
  if (page) {
    const response = fileResponse(request, { ...page, settings });
    const lifetime = untilChecked(isOpened ? "long" : "short", request, page);
    return { ...result(response, first?.name, lifetime), location: locationOf(page) };
  }
  const isElsewhere = !isOpened && (await isInPrevious(objectTarget, options));
  return result(await missingResponse(request, options, settings), undefined, isElsewhere ? "never" : "short");
}

/** What a target names. */
type ObjectTarget = NamedContent | Target;

function isNamed(objectTarget: ObjectTarget): objectTarget is NamedContent {
  return "sha256" in objectTarget;
}

function findIn(files: ReleaseFiles, objectTarget: ObjectTarget): Resolved | undefined {
  if (!isNamed(objectTarget)) return resolve(objectTarget.path, files);
  const path = objectTarget.path.normalize("NFC");
  const file = files.find(path);
  const isMeant = file?.sha256 === objectTarget.sha256 && isSentByContent({ path, file, settings: files.settings });
  return isMeant ? { path, file } : undefined;
}

interface Finding {
  readonly objectTarget: ObjectTarget;
  readonly target: Target;
  readonly settings: ReleaseSettings;
}

function responseOf(request: EdgeRequest, match: Resolved, { objectTarget, target, settings }: Finding): EdgeResponse {
  if ("location" in match) return redirectResponse(match.location + target.query, settings);
  const send = isNamed(objectTarget) ? namedContentResponse : fileResponse;
  return send(request, { ...match, settings });
}

function locationOf(match: Resolved): string {
  return "location" in match ? match.location : `/${encodedPath(match.path)}`;
}

/**
 * The response if no release has a content at its path, which leads to what the path has for this visitor: a browser gets here after a
 * withdrawal, or with a relative URL that a script has resolved against where a file came from. It leads to the file that was found, never to
 * the path as it was sent, which may begin as the URL of another host does.
 */
async function leadToPath(
  request: EdgeRequest,
  objectTarget: NamedContent,
  { first, ...options }: ObjectSearch & { readonly first: ReleaseFiles | undefined },
): Promise<ObjectResult> {
  const plainResult = await findObject(request, { ...options, target: { path: objectTarget.path, query: "" } });
  if (plainResult.release === undefined || plainResult.location === undefined) return plainResult;
  const isElsewhere = plainResult.lifetime === "never" || (await isInPrevious(objectTarget, options));
  const response = leadResponse(request, plainResult.location, first?.settings ?? defaultSettings);
  return result(response, plainResult.release, isElsewhere ? "never" : "short");
}

function lifetimeOf(name: string, { order, live }: Pick<ObjectSearch, "order" | "live">): Lifetime {
  return name === order[0] ? "long" : name === live ? "short" : "never";
}

/** A response that lacks its copy only because that is not checked yet must soon give way to the copy. */
function untilChecked(lifetime: Lifetime, request: EdgeRequest, match: Resolved): Lifetime {
  const isUnchecked = "file" in match && match.file.isUnchecked;
  return isUnchecked && lifetime === "long" && takesBrotli(request) ? "short" : lifetime;
}

/** A browser is not told to load what is not there. */
function settingsOf(files: ReleaseFiles): ReleaseSettings {
  const { settings } = files;
  if (settings.preload.length === 0) return settings;
  return { ...settings, preload: settings.preload.filter((path) => files.find(path) !== undefined) };
}

/** A response that must not be given to others is `private` for every cache. */
function result(response: EdgeResponse, release: string | undefined, lifetime: Lifetime): ObjectResult {
  const { "cache-control": cacheControl } = response.headers;
  if (lifetime !== "never" || typeof cacheControl !== "string") return { response, release, lifetime };
  const headers = { ...response.headers, "cache-control": cacheControl.replace("public", "private") };
  return { response: { ...response, headers }, release, lifetime };
}

/** Whether another request for the same may get a file, one of an older visit or without a visit. */
async function isInPrevious(
  objectTarget: ObjectTarget,
  { previous, order, readManifest }: ObjectSearch,
): Promise<boolean> {
  if (previous === undefined || order.includes(previous)) return false;
  const files = await readManifest(previous);
  return files !== undefined && findIn(files, objectTarget) !== undefined;
}

/** The live release's own 404.html if it has one. */
async function missingResponse(
  request: EdgeRequest,
  { live, readManifest, reportUrl, readGame }: ObjectSearch,
  settings: ReleaseSettings,
): Promise<EdgeResponse> {
  const path = "404.html";
  const file = (await readManifest(live))?.find(path);
  if (file !== undefined) return missingPageResponse(request, { path, file, settings });
  const headers = { "cache-control": missing, ...isolationHeaders(settings) };
  const game = startsVisit(request) ? await readGame?.() : undefined;
  return missingPageOf(request, { game, reportUrl, headers });
}
