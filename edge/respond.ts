import type { ReleaseSettings } from "../contract/release-settings.ts";
import { failedPrecondition } from "./conditional.ts";
import { contentHeaders, etagOf, everywhere, isolationHeaders, representationHeaders, varyHeaders } from "./headers.ts";
import { type PageName, pageOf } from "./pages.ts";
import { requestedRange } from "./range.ts";
import { representationOf } from "./representation.ts";
import { type EdgeBody, type EdgeRequest, type EdgeResponse, type Target, targetOf } from "./request.ts";
import { type ReleaseFile, type ReleaseFiles, resolve } from "./resolve.ts";
import { type LiveRelease, visitOf } from "./visit.ts";

type Headers = Readonly<Record<string, string>>;

/** What is known of the project that a host names. */
export type Project =
  | { readonly kind: "none" }
  | { readonly kind: "unpublished" }
  | { readonly kind: "takenDown" }
  | ({ readonly kind: "live" } & LiveRelease);

/** Reads the manifest of a digest; undefined where the project has none of that digest. */
export type ManifestReader = (digest: string) => Promise<ReleaseFiles | undefined>;

/** What the host knows apart from the project. */
export interface EdgeContext {
  readonly readManifest: ManifestReader;
  /** Where a person reports the game; undefined where the operator has set nothing. */
  readonly reportUrl?: string | undefined;
}

/**
 * Responds to a request for something of a game's own origin. Apart from the link that reports the game, it never
 * refers to another origin.
 */
export async function respond(request: EdgeRequest, project: Project, context: EdgeContext): Promise<EdgeResponse> {
  const page = (name: PageName, headers?: Headers) =>
    pageResponse(request, { name, headers, reportUrl: context.reportUrl });
  if (request.method !== "GET" && request.method !== "HEAD") return page("methodNotAllowed", { allow: "GET, HEAD" });
  if (project.kind === "none") return page("noProject");
  if (project.kind === "unpublished") return page("noRelease");
  if (project.kind === "takenDown") return page("takenDown");
  const target = targetOf(request.target);
  if (target === undefined) return page("badRequest");
  return await respondFromReleases(request, { target, project, context });
}

async function respondFromReleases(
  request: EdgeRequest,
  { target, project, context }: { target: Target; project: LiveRelease; context: EdgeContext },
): Promise<EdgeResponse> {
  const { readManifest, reportUrl } = context;
  const { order, setCookie } = visitOf(request, project);
  const cookie = setCookie === undefined ? {} : { "set-cookie": setCookie };
  let visited: ReleaseFiles | undefined;
  for (const digest of order) {
    const files = await readManifest(digest);
    if (files === undefined) continue;
    // The page's release says whether the page is isolated; what it loads from another release must be isolated too.
    visited ??= files;
    const found = resolve(target.path, files);
    if (found === undefined) continue;
    const { isolation } = visited.settings;
    if (found.kind === "redirect") return redirectResponse(found.path + target.query, visited.settings);
    return fileResponse(request, { ...found, settings: { ...files.settings, isolation }, headers: cookie });
  }
  const live = await readManifest(project.live);
  return notFoundResponse(request, { live, settings: visited?.settings, headers: cookie, reportUrl });
}

interface FoundFile {
  readonly path: string;
  readonly file: ReleaseFile;
  readonly settings: ReleaseSettings;
  readonly headers: Headers;
}

function fileResponse(request: EdgeRequest, { path, file, settings, headers }: FoundFile): EdgeResponse {
  const representation = representationOf(path, file, request);
  const { size, sha256 } = representation.object;
  const etag = etagOf(representation, settings);
  const always = {
    ...everywhere,
    ...headers,
    ...isolationHeaders(settings),
    ...representationHeaders(path, representation, { etag, settings }),
  };
  const failed = failedPrecondition(request, etag);
  if (failed === 304) return { status: 304, headers: always, body: undefined };
  if (failed === 412) return { status: 412, headers: { ...always, "content-length": "0" }, body: undefined };
  const range = requestedRange(request, { size, etag });
  if (range === "unsatisfiable") {
    const none = { ...always, "content-range": `bytes */${size}`, "content-length": "0" };
    return { status: 416, headers: none, body: undefined };
  }
  const { start, end } = range ?? { start: 0, end: size };
  const described = { ...always, ...contentHeaders(representation), "content-length": String(end - start) };
  const body = bodyFor(request, { sha256, start, end });
  if (range === undefined) return { status: 200, headers: described, body };
  return { status: 206, headers: { ...described, "content-range": `bytes ${start}-${end - 1}/${size}` }, body };
}

/** 302, not 301: the next release may have a file of that name. */
function redirectResponse(location: string, settings: ReleaseSettings): EdgeResponse {
  const headers = { ...everywhere, ...isolationHeaders(settings), location, "cache-control": "no-cache" };
  return { status: 302, headers: { ...headers, "content-length": "0" }, body: undefined };
}

/** The live release's own 404.html where it has one; neither conditions nor ranges apply to it. */
function notFoundResponse(
  request: EdgeRequest,
  found: {
    live: ReleaseFiles | undefined;
    settings: ReleaseSettings | undefined;
    headers: Headers;
    reportUrl: string | undefined;
  },
): EdgeResponse {
  const { live, settings = live?.settings, headers, reportUrl } = found;
  const isolation = settings === undefined ? {} : isolationHeaders(settings);
  const path = "404.html";
  const file = live?.find(path);
  if (file === undefined)
    return pageResponse(request, { name: "notFound", headers: { ...headers, ...isolation }, reportUrl });
  const { range: _, ...others } = request.headers;
  const representation = representationOf(path, file, { ...request, headers: others });
  const { size, sha256 } = representation.object;
  const described = {
    ...contentHeaders(representation),
    ...varyHeaders(representation),
    "content-length": String(size),
    "cache-control": "no-cache",
  };
  return {
    status: 404,
    headers: { ...everywhere, ...headers, ...isolation, ...described },
    body: bodyFor(request, { sha256, start: 0, end: size }),
  };
}

function pageResponse(
  request: EdgeRequest,
  { name, headers = {}, reportUrl }: { name: PageName; headers: Headers | undefined; reportUrl: string | undefined },
): EdgeResponse {
  const { status, html } = pageOf(name, reportUrl);
  const described = {
    ...everywhere,
    ...headers,
    "content-type": "text/html; charset=utf-8",
    "content-length": String(Buffer.byteLength(html)),
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "cache-control": "no-store",
  };
  return { status, headers: described, body: bodyFor(request, { text: html }) };
}

function bodyFor({ method }: EdgeRequest, body: EdgeBody): EdgeBody | undefined {
  if (method === "HEAD" || ("end" in body && body.start === body.end)) return undefined;
  return body;
}
