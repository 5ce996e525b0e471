import { defaultSettings, type ReleaseSettings } from "../contract/api/release-settings.ts";
import { fileResponse, missingPageResponse, redirectResponse } from "./file-response.ts";
import { isolationHeaders, missing } from "./headers.ts";
import { endOfWorker, pageResponse } from "./own-response.ts";
import { notFound, withReportLink } from "./pages.ts";
import type { EdgeRequest, EdgeResponse, Target } from "./request.ts";
import { type ReleaseFiles, resolve, resolvePage } from "./resolve.ts";
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
  /** Where a person reports the game; undefined if the operator has set nothing. */
  readonly reportUrl?: string | undefined;
}

/**
 * How long a shared cache may keep a response under the first release's key. `long`: it follows from that release alone.
 * `short`: also from what is live. `never`: from what this visitor had before, so others must not get it.
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
  const { order, live, target, readManifest } = options;
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
    return result(response, name, name === order[0] ? "long" : name === live ? "short" : "never");
  }
  if (isWorkerScript(request)) return result(endOfWorker(request), undefined, "never");
  const settings = first ? settingsOf(first.files) : defaultSettings;
  const isOpened = startsVisit(request);
  const page = first && resolvePage(target.path, first.files, isOpened);
  if (page) return result(fileResponse(request, { ...page, settings }), first?.name, isOpened ? "long" : "short");
  const isElsewhere = !isOpened && (await isInPrevious(options));
  return result(await missingResponse(request, options, settings), undefined, isElsewhere ? "never" : "short");
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
