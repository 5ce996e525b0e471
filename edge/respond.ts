import { defaultSettings } from "../contract/release-settings.ts";
import { fileResponse, missingPageResponse, redirectResponse } from "./file-response.ts";
import { isolationHeaders } from "./headers.ts";
import { endOfWorker, pageResponse, textResponse } from "./own-response.ts";
import type { PageName } from "./pages.ts";
import { type EdgeHeaders, type EdgeRequest, type EdgeResponse, type Target, targetOf } from "./request.ts";
import { type ReleaseFiles, type Resolved, resolve, resolvePage } from "./resolve.ts";
import { clearAllButCookies, clearEverything, cookiesOfNewOwner, keepsEarlierOwner, markCookie } from "./site-data.ts";
import { isWorkerScript, type LiveRelease, startsVisit, visitOf } from "./visit.ts";

/** What is known of the project that a host names. */
export type Project =
  | { readonly kind: "none" }
  | { readonly kind: "unpublished" }
  | { readonly kind: "takenDown" }
  | LiveProject;

interface LiveProject extends LiveRelease {
  readonly kind: "live";
  /** Names the time since which the origin has its owner; undefined where it never had another one. */
  readonly ownedSince?: string | undefined;
}

/** Reads the manifest of a digest; undefined where the project has none of that digest. */
export type ManifestReader = (digest: string) => Promise<ReleaseFiles | undefined>;

/** What the host knows apart from the project. */
export interface EdgeContext {
  readonly readManifest: ManifestReader;
  /** Where a person reports the game; undefined where the operator has set nothing. */
  readonly reportUrl?: string | undefined;
}

/** Paths that are ours in every game; a file of a release at one of them is not reachable. */
const [releasePath, reportPath] = [".well-known/svc/release", ".well-known/svc/report"];

/**
 * Responds to a request for something of a game's own origin. Apart from the link that reports the game, it never
 * refers to another origin.
 */
export async function respond(request: EdgeRequest, project: Project, context: EdgeContext): Promise<EdgeResponse> {
  const { reportUrl } = context;
  const page = (name: PageName, headers?: EdgeHeaders) =>
    pageResponse(request, { name, reportUrl, ...(headers && { headers }) });
  if (request.method !== "GET" && request.method !== "HEAD") return page("methodNotAllowed", { allow: "GET, HEAD" });
  if (project.kind === "none") return page("noProject");
  if (project.kind === "unpublished") return page("noRelease");
  if (project.kind === "takenDown") return page("takenDown", clearEverything);
  const target = targetOf(request.target);
  if (target === undefined) return page("badRequest");
  if (target.path === reportPath && reportUrl !== undefined) return page("report");
  if (target.path === releasePath) return whatIsLive(request, project);
  return await respondFromReleases(request, { target, project, context });
}

/** For a page that wants to know whether it is of the live release. */
function whatIsLive(request: EdgeRequest, project: LiveProject): EdgeResponse {
  const [visit] = visitOf(request, project).order;
  const text = `${JSON.stringify({ live: project.live, visit })}\n`;
  return textResponse(request, { status: 200, text, type: "application/json" });
}

interface Asked {
  readonly target: Target;
  readonly project: LiveProject;
  readonly context: EdgeContext;
}

async function respondFromReleases(request: EdgeRequest, asked: Asked): Promise<EdgeResponse> {
  const { project } = asked;
  const { order, setCookie } = visitOf(request, project);
  if (!startsVisit(request) && !isWorkerScript(request)) return await search(request, { ...asked, order, headers: {} });
  const isStranger = keepsEarlierOwner(request, project.ownedSince);
  // Not a worker of the owner before, which would go on controlling the pages of the new one.
  if (isStranger && isWorkerScript(request)) return endOfWorker(request);
  const cookies = [setCookie, ...ownerCookies(request, project, isStranger)].filter((text) => text !== undefined);
  const headers = { ...(cookies.length > 0 && { "set-cookie": cookies }), ...(isStranger && clearAllButCookies) };
  const whole = isStranger ? unconditional(request) : request;
  return await search(whole, { ...asked, order, headers });
}

function ownerCookies(request: EdgeRequest, { ownedSince }: LiveProject, isStranger: boolean): string[] {
  if (ownedSince === undefined || isWorkerScript(request)) return [];
  return isStranger ? cookiesOfNewOwner(request, ownedSince) : [markCookie(ownedSince)];
}

/** A browser that is to forget what it keeps gets the whole file. */
function unconditional(request: EdgeRequest): EdgeRequest {
  const { "if-none-match": _, "if-match": __, range: ___, ...headers } = request.headers;
  return { ...request, headers };
}

interface Search extends Asked {
  readonly order: readonly string[];
  readonly headers: EdgeHeaders;
}

/** Looks for the path in one release after the other. */
async function search(request: EdgeRequest, asked: Search): Promise<EdgeResponse> {
  const { order, headers, target, project, context } = asked;
  const releases: ReleaseFiles[] = [];
  for (const digest of order) {
    const files = await context.readManifest(digest);
    if (files === undefined) continue;
    releases.push(files);
    const found = resolve(target.path, files);
    if (found !== undefined)
      return foundResponse(request, { found, files, first: releases[0] ?? files, headers, target });
  }
  const [first] = releases;
  const page = first && !isWorkerScript(request) && resolvePage(target.path, first, startsVisit(request));
  if (page) return foundResponse(request, { found: page, files: first, first, headers, target });
  return await missingResponse(request, { first, headers, project, context });
}

interface Missing {
  readonly first: ReleaseFiles | undefined;
  readonly headers: EdgeHeaders;
  readonly project: LiveProject;
  readonly context: EdgeContext;
}

/** The live release's own 404.html where it has one. */
async function missingResponse(request: EdgeRequest, { first, headers, project, context }: Missing) {
  if (isWorkerScript(request)) return endOfWorker(request);
  const live = await context.readManifest(project.live);
  const settings = first?.settings ?? live?.settings ?? defaultSettings;
  const path = "404.html";
  const file = live?.find(path);
  if (file !== undefined) return missingPageResponse(request, { path, file, settings, headers });
  const { reportUrl } = context;
  return pageResponse(request, { name: "notFound", headers: { ...headers, ...isolationHeaders(settings) }, reportUrl });
}

interface Found {
  readonly found: Resolved;
  readonly files: ReleaseFiles;
  /** The page's release says whether the page is isolated; what it loads from another release must be isolated too. */
  readonly first: ReleaseFiles;
  readonly headers: EdgeHeaders;
  readonly target: Target;
}

function foundResponse(request: EdgeRequest, { found, files, first, headers, target }: Found): EdgeResponse {
  const { isolation } = first.settings;
  if (found.kind === "redirect") return redirectResponse(found.path + target.query, first.settings, headers);
  return fileResponse(request, { ...found, settings: { ...files.settings, isolation }, headers });
}
