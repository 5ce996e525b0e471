import { defaultSettings, type ReleaseSettings } from "../contract/api/release-settings.ts";
import { fileResponse, missingPageResponse, redirectResponse } from "./file-response.ts";
import { isolationHeaders, revalidated } from "./headers.ts";
import { endOfWorker, pageResponse } from "./own-response.ts";
import type { EdgeRequest, EdgeResponse, Target } from "./request.ts";
import { type ReleaseFiles, resolve, resolvePage } from "./resolve.ts";
import { isWorkerScript, startsVisit } from "./visit.ts";

/** Reads the manifest of a digest; undefined where the project has none of that digest. */
export type ManifestReader = (digest: string) => Promise<ReleaseFiles | undefined>;

export interface Search {
  readonly target: Target;
  /** The digests of the releases in which to look, in this order. */
  readonly order: readonly string[];
  /** The digest of the live release, whose 404.html is sent for what is missing. */
  readonly live: string;
  readonly readManifest: ManifestReader;
  /** Where a person reports the game; undefined where the operator has set nothing. */
  readonly reportUrl?: string | undefined;
}

export interface SearchResult {
  readonly response: EdgeResponse;
  /** The digest of the release that has it; undefined where none has. */
  readonly release: string | undefined;
}

/** Looks for the path in one release after the other. */
export async function search(request: EdgeRequest, asked: Search): Promise<SearchResult> {
  const { order, target, readManifest } = asked;
  let first: { readonly digest: string; readonly files: ReleaseFiles } | undefined;
  for (const digest of order) {
    const files = await readManifest(digest);
    if (files === undefined) continue;
    first ??= { digest, files };
    // The page's release says whether the page is isolated; what it loads from another release must be isolated too.
    const settings = { ...files.settings, isolation: first.files.settings.isolation };
    const found = resolve(target.path, files);
    if (found === undefined) continue;
    const response =
      "location" in found
        ? redirectResponse(found.location + target.query, settings)
        : fileResponse(request, { ...found, settings });
    return { response, release: digest };
  }
  if (isWorkerScript(request)) return { response: endOfWorker(request), release: undefined };
  const settings = first?.files.settings ?? defaultSettings;
  const page = first && resolvePage(target.path, first.files, startsVisit(request));
  if (page) return { response: fileResponse(request, { ...page, settings }), release: first?.digest };
  return { response: await missingResponse(request, asked, settings), release: undefined };
}

/** The live release's own 404.html where it has one. */
async function missingResponse(
  request: EdgeRequest,
  { live, readManifest, reportUrl }: Search,
  settings: ReleaseSettings,
): Promise<EdgeResponse> {
  const path = "404.html";
  const file = (await readManifest(live))?.find(path);
  if (file !== undefined) return missingPageResponse(request, { path, file, settings });
  const headers = { "cache-control": revalidated, ...isolationHeaders(settings) };
  return pageResponse(request, { name: "notFound", headers, reportUrl });
}
