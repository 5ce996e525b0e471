import type { LiveProject } from "../pages/respond-early.ts";
import type { EdgeHeaders, EdgeRequest } from "../request.ts";
import { clearAllButCookies, cookiesOfNewOwner, keepsEarlierOwner, markCookie } from "./site-data.ts";
import { isWithoutDestination, isWorkerScript, nextVisit, startsVisit } from "./visit.ts";

/** Headers that tell the browser more than the file, with a page or a worker's script: its visit, and whose the origin is. */
export function visitHeaders(request: EdgeRequest, project: LiveProject): EdgeHeaders {
  if (!startsVisit(request) && !isWorkerScript(request)) return {};
  const isStranger = opensForNewOwner(request, project);
  const cookies = [nextVisit(request, project), ...ownerCookies(request, project, isStranger)].filter(
    (text) => text !== undefined,
  );
  return { ...(cookies.length > 0 && { "set-cookie": cookies }), ...(isStranger && clearAllButCookies) };
}

/**
 * A request for a page or a worker's script without its range: they are sent whole. Without its conditions too if its browser
 * is to forget what it keeps of an earlier owner.
 */
export function wholeRequest(request: EdgeRequest, project: LiveProject): EdgeRequest {
  if (!startsVisit(request) && !isWorkerScript(request)) return request;
  const { "if-none-match": condition, range: _, ...headers } = request.headers;
  return {
    ...request,
    headers: opensForNewOwner(request, project) ? headers : { ...headers, "if-none-match": condition },
  };
}

/** Whether its browser is to forget what it keeps of an earlier owner. A browser does that for no request of a worker. */
export function opensForNewOwner(request: EdgeRequest, { ownedSince }: LiveProject): boolean {
  return startsVisit(request) && !isWithoutDestination(request) && keepsEarlierOwner(request, ownedSince);
}

function ownerCookies(request: EdgeRequest, { ownedSince }: LiveProject, isStranger: boolean): string[] {
  if (ownedSince === undefined || isWorkerScript(request) || isWithoutDestination(request)) return [];
  return isStranger ? cookiesOfNewOwner(request, ownedSince) : [markCookie(ownedSince)];
}
