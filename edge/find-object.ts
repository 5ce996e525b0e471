import { defaultSettings, type ReleaseSettings } from "../contract/api/release-settings.ts";
import {
  fileResponse,
  isSentByContent,
  missingPageResponse,
  namedContentResponse,
  redirectResponse,
} from "./file-response.ts";
import { isolationHeaders, missing } from "./headers.ts";
import { type NamedContent, namedContentOf } from "./named-content.ts";
import { endOfWorker, pageResponse } from "./own-response.ts";
import { notFound, withReportLink } from "./pages.ts";
import type { EdgeRequest, EdgeResponse, Target } from "./request.ts";
import { type ReleaseFile, type ReleaseFiles, resolve, resolvePage } from "./resolve.ts";
import { isWorkerScript, startsVisit } from "./visit.ts";

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
}

/** Looks for the path in one release after the other. */
export async function findObject(request: EdgeRequest, options: ObjectSearch): Promise<ObjectResult> {
  const content = namedContentOf(options.target.path);
  return content === undefined ? await findPath(request, options) : await findContent(request, content, options);
}

async function findPath(request: EdgeRequest, options: ObjectSearch): Promise<ObjectResult> {
  const { order, target, readManifest } = options;
  let first: { readonly name: string; readonly files: ReleaseFiles } | undefined;
  for (const name of order) {
    const files = await readManifest(name);
    if (files === undefined) continue;
    first ??= { name, files };
    // The page's release says whether the page is isolated; what it loads from another release must be isolated too.
    const settings = { ...settingsOf(files), isolation: first.files.settings.isolation };
    const found = resolve(target.path, files);
    if (found === undefined) continue;
    const response =
      "location" in found
        ? redirectResponse(found.location + target.query, settings)
        : fileResponse(request, { ...found, settings });
    return result(response, name, lifetimeOf(name, options));
  }
  if (isWorkerScript(request)) return result(endOfWorker(request), undefined, "never");
  const settings = first ? settingsOf(first.files) : defaultSettings;
  const isOpened = startsVisit(request);
  const page = first && resolvePage(target.path, first.files, isOpened);
  if (page) return result(fileResponse(request, { ...page, settings }), first?.name, isOpened ? "long" : "short");
  const isElsewhere = !isOpened && (await isInPrevious(options));
  return result(await missingResponse(request, options, settings), undefined, isElsewhere ? "never" : "short");
}

/**
 * Looks for a path that has this content in one release after the other, as for the path itself. If none has it, another file is at the
 * path for this visitor, and the response leads there: a browser gets here after a withdrawal, or with a relative URL that a script has
 * resolved against where a file came from.
 */
async function findContent(request: EdgeRequest, content: NamedContent, options: ObjectSearch): Promise<ObjectResult> {
  const { order, live, previous, readManifest } = options;
  const path = content.path.normalize("NFC");
  let first: ReleaseFiles | undefined;
  for (const name of order) {
    const files = await readManifest(name);
    if (files === undefined) continue;
    first ??= files;
    const file = fileWith(content, files);
    if (file === undefined) continue;
    const settings = { ...files.settings, isolation: first.settings.isolation };
    const response = namedContentResponse(request, { path, file, settings });
    return result(response, name, lifetimeOf(name, { order, live }));
  }
  const own = await findPath(request, { ...options, target: { path: content.path, query: "" } });
  if (own.release === undefined) return own;
  const isElsewhere = previous !== undefined && fileWith(content, (await readManifest(previous)) ?? none) !== undefined;
  const location = `/${path.split("/").map(encodeURIComponent).join("/")}`;
  const response = redirectResponse(location, first?.settings ?? defaultSettings);
  return result({ ...response, status: 307 }, own.release, isElsewhere || own.lifetime === "never" ? "never" : "short");
}

const none: Pick<ReleaseFiles, "find" | "settings"> = { settings: defaultSettings, find: () => undefined };

/** The file of a release that goes by this content. */
function fileWith({ sha256, path }: NamedContent, files: ReleaseFiles): ReleaseFile | undefined {
  const file = files.find(path.normalize("NFC"));
  const isMeant = file?.sha256 === sha256 && isSentByContent({ path, file, settings: files.settings });
  return isMeant ? file : undefined;
}

function lifetimeOf(name: string, { order, live }: Pick<ObjectSearch, "order" | "live">): Lifetime {
  return name === order[0] ? "long" : name === live ? "short" : "never";
}

/** A browser is not told to load what is not there. */
function settingsOf(files: ReleaseFiles): ReleaseSettings {
  const { settings } = files;
  if (settings.preload.length === 0) return settings;
  return { ...settings, preload: settings.preload.filter((path) => files.find(path) !== undefined) };
}

/** A response that must not be given to others is `private` for every cache. */
function result(response: EdgeResponse, release: string | undefined, lifetime: Lifetime): ObjectResult {
  const { "cache-control": kept } = response.headers;
  if (lifetime !== "never" || typeof kept !== "string") return { response, release, lifetime };
  const headers = { ...response.headers, "cache-control": kept.replace("public", "private") };
  return { response: { ...response, headers }, release, lifetime };
}

/** Whether another request for this path may get a file, one of an older visit or without a visit. */
async function isInPrevious({ previous, order, target, readManifest }: ObjectSearch): Promise<boolean> {
  if (previous === undefined || order.includes(previous)) return false;
  const files = await readManifest(previous);
  return files !== undefined && resolve(target.path, files) !== undefined;
}

/** The live release's own 404.html if it has one. */
async function missingResponse(
  request: EdgeRequest,
  { live, readManifest, reportUrl }: ObjectSearch,
  settings: ReleaseSettings,
): Promise<EdgeResponse> {
  const path = "404.html";
  const file = (await readManifest(live))?.find(path);
  if (file !== undefined) return missingPageResponse(request, { path, file, settings });
  const headers = { "cache-control": missing, ...isolationHeaders(settings) };
  return pageResponse(request, withReportLink(notFound, reportUrl), headers);
}
