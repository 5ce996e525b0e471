import type { Places } from "../cache/place.ts";
import { type EdgeHeaders, type EdgeRequest, type EdgeResponse, type Target, targetOf } from "../request.ts";
import { clearEverything, keepsEarlierOwner } from "../visit/site-data.ts";
import { isWorkerScript, type LiveRelease } from "../visit/visit.ts";
import { endOfWorker, pageResponse } from "./own-response.ts";
import { badRequest, endedPreview, methodNotAllowed, noProject, noRelease, type OwnPage, takenDown } from "./pages.ts";

/** Facts that are known of the project that a host names. */
export type Project =
  | { readonly kind: "none" }
  /** HTML of the page; undefined: it says that nothing is live. */
  | { readonly kind: "unpublished"; readonly text?: string }
  | { readonly kind: "takenDown" }
  | LiveProject;

export interface LiveProject extends LiveRelease {
  readonly kind: "live";
  /** Names the time since which the origin has its owner; undefined if it never had another one. */
  readonly ownedSince?: string | undefined;
  /** Undefined if the cache keeps all files under the names of releases. */
  readonly places?: Places | undefined;
}

/** A request that is responded to without a manifest, or what to look for in the releases. */
type EarlyResponse = { readonly response: EdgeResponse } | { readonly project: LiveProject; readonly target: Target };

export function isRead({ method }: EdgeRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Responds to what needs no manifest: if there is nothing to play, or the request is invalid. CloudFront's viewer functions
 * run it, so no cache may keep any of it.
 *
 * @param home the host of the game, for a preview of it
 */
export function respondEarly(request: EdgeRequest, project: Project, home?: string): EarlyResponse {
  const page = (ownPage: OwnPage, headers?: EdgeHeaders) => ({
    response: pageResponse(request, ownPage, headers),
  });
  if (!isRead(request)) return page(methodNotAllowed, { allow: "GET, HEAD" });
  if (project.kind === "none") {
    return page(home ? endedPreview(home) : noProject);
  }
  if (project.kind === "unpublished") return page(noRelease(project.text));
  if (project.kind === "takenDown") return page(takenDown, clearEverything);
  const target = targetOf(request.target);
  if (target === undefined) return page(badRequest);
  // Not a worker of the owner before, which would go on controlling the pages of the new one.
  if (isWorkerScript(request) && keepsEarlierOwner(request, project.ownedSince))
    return { response: endOfWorker(request) };
  return { project, target };
}
