import { endOfWorker, pageResponse, textResponse } from "./own-response.ts";
import type { PageName } from "./pages.ts";
import { type EdgeHeaders, type EdgeRequest, type EdgeResponse, type Target, targetOf } from "./request.ts";
import { clearEverything, keepsEarlierOwner } from "./site-data.ts";
import { isWorkerScript, type LiveRelease, visitOf } from "./visit.ts";

/** What is known of the project that a host names. */
export type Project =
  | { readonly kind: "none" }
  | { readonly kind: "unpublished" }
  | { readonly kind: "takenDown" }
  | LiveProject;

export interface LiveProject extends LiveRelease {
  readonly kind: "live";
  /** Names the time since which the origin has its owner; undefined where it never had another one. */
  readonly ownedSince?: string | undefined;
}

/** A request that is responded to without a manifest, or what to look for in the releases. */
type RoutedRequest = { readonly response: EdgeResponse } | { readonly project: LiveProject; readonly target: Target };

/** Paths that are ours in every game; a file of a release at one of them is not reachable. */
const [releasePath, reportPath] = [".well-known/svc/release", ".well-known/svc/report"];

/**
 * Responds to what needs no manifest: where there is nothing to play, where the request is none, and at the paths that are
 * ours. CloudFront's viewer function runs it, so nothing of it may be kept by a cache.
 *
 * @param reportUrl where a person reports the game; undefined where the operator has set nothing
 */
export function begin(request: EdgeRequest, project: Project, reportUrl: string | undefined): RoutedRequest {
  const page = (name: PageName, headers: EdgeHeaders = {}) => ({
    response: pageResponse(request, { name, reportUrl, headers }),
  });
  if (request.method !== "GET" && request.method !== "HEAD") return page("methodNotAllowed", { allow: "GET, HEAD" });
  if (project.kind === "none") return page("noProject");
  if (project.kind === "unpublished") return page("noRelease");
  if (project.kind === "takenDown") return page("takenDown", clearEverything);
  const target = targetOf(request.target);
  if (target === undefined) return page("badRequest");
  if (target.path === reportPath && reportUrl !== undefined) return page("report");
  if (target.path === releasePath) return { response: whatIsLive(request, project) };
  // Not a worker of the owner before, which would go on controlling the pages of the new one.
  if (isWorkerScript(request) && keepsEarlierOwner(request, project.ownedSince))
    return { response: endOfWorker(request) };
  return { project, target };
}

/** For a page that wants to know whether it is of the live release. */
function whatIsLive(request: EdgeRequest, project: LiveProject): EdgeResponse {
  const [visit] = visitOf(request, project).order;
  const text = `${JSON.stringify({ live: project.live, visit })}\n`;
  return textResponse(request, { status: 200, text, type: "application/json" });
}
