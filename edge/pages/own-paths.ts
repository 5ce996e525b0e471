import { namedContentPrefix } from "../content/named-content.ts";
import type { EdgeRequest, EdgeResponse } from "../request.ts";
import { chooseReleases } from "../visit/visit.ts";
import { pageResponse, textResponse } from "./own-response.ts";
import { notFound, report, withReportLink } from "./pages.ts";
import type { LiveProject } from "./respond-early.ts";

/** Below this path everything is the service's own in every game; a file of a release there is not reachable. */
export const ownPathPrefix = "/.well-known/svc/";

/** Where a player reports a game. */
export const reportPath = `${ownPathPrefix}report`;

/** Whether {@link ownPathResponse} responds there: files are below that path too, by their content. */
export function isOwnPath(target: string): boolean {
  return target.startsWith(ownPathPrefix) && !target.startsWith(namedContentPrefix);
}

/** Responds at the paths that are the service's own. A viewer function of its own runs it (edge/viewer-own.ts). */
export function ownPathResponse(
  request: EdgeRequest,
  project: LiveProject,
  reportUrl: string | undefined,
): EdgeResponse {
  const name = request.target.replace(/\?.*/, "").slice(ownPathPrefix.length);
  if (name === "release") return whatIsLive(request, project);
  const isReport = name === "report" && reportUrl !== undefined;
  return pageResponse(request, withReportLink(isReport ? report : notFound, reportUrl));
}

/** Response for a page that wants to know whether it is of the live release. */
function whatIsLive(request: EdgeRequest, project: LiveProject): EdgeResponse {
  const [visit] = chooseReleases(request, project);
  const text = `${JSON.stringify({ live: project.live, visit })}\n`;
  return textResponse(request, { status: 200, text, type: "application/json" });
}
