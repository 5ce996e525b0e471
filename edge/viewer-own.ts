import { publicPagePath } from "../contract/api/projects/public-page.ts";
import { reportUrlOf } from "../contract/api/projects/report-url.ts";
import type { ViewerRequest, ViewerResponse } from "./events/viewer-event.ts";
import { ownPathResponse, reportPath } from "./pages/own-paths.ts";
import { slugOfKey } from "./project/pointer.ts";
import { ownResponse, readProjectOrRespond, rewriteToCacheKey, rewriteUnknown } from "./project/viewer-project.ts";

/** CloudFront runs it instead of edge/viewer-request.ts for the paths that are the service's own. */
export async function handler(event: { readonly request: ViewerRequest }): Promise<ViewerRequest | ViewerResponse> {
  const read = await readProjectOrRespond(event.request);
  if ("response" in read) return read.response;
  const { request, site, project } = read;
  if (project === undefined) return rewriteUnknown(event.request, read);
  const { uri } = event.request;
  // A preview has no public page, and its name is on none: whoever has its URL is to see the game alone.
  const isNamed = uri === publicPagePath || (uri === reportPath && REPORT_URL !== "");
  if (OPTION_PAGES.includes(uri) || (isNamed && !site.includes("--")))
    return rewriteToCacheKey(event.request, request, { site, release: project.live, isWhole: true });
  const reportUrl = REPORT_URL === "" ? undefined : reportUrlOf(REPORT_URL, slugOfKey(site));
  return ownResponse(site, ownPathResponse(request, project, reportUrl));
}
