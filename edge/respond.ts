import { findObject, type ManifestReader } from "./content/find-object.ts";
import { isOwnPath, ownPathResponse } from "./pages/own-paths.ts";
import { type Project, respondEarly } from "./pages/respond-early.ts";
import type { EdgeRequest, EdgeResponse } from "./request.ts";
import { chooseReleases } from "./visit/visit.ts";
import { visitHeaders, wholeRequest } from "./visit/visit-headers.ts";

/** Facts that the host knows apart from the project. */
interface EdgeContext {
  readonly readManifest: ManifestReader;
  /** URL for reporting the game; undefined if the operator has set none. */
  readonly reportUrl?: string | undefined;
  /** The host of the game, for a preview of it. */
  readonly home?: string;
}

/**
 * Responds to a request for something of a game's own origin. Apart from the link that reports the game, it never
 * refers to another origin. CloudFront's functions do the same in parts, and a test compares them with it.
 */
export async function respond(request: EdgeRequest, project: Project, context: EdgeContext): Promise<EdgeResponse> {
  const response = await responseTo(request, project, context);
  if (response.body === undefined || !("text" in response.body)) return response;
  const length = new TextEncoder().encode(response.body.text).length;
  return { ...response, headers: { ...response.headers, "content-length": String(length) } };
}

async function responseTo(request: EdgeRequest, project: Project, context: EdgeContext): Promise<EdgeResponse> {
  const early = respondEarly(request, project, context.home);
  if ("response" in early) return early.response;
  if (isOwnPath(request.target)) return ownPathResponse(request, early.project, context.reportUrl);
  const order = chooseReleases(request, early.project);
  const whole = wholeRequest(request, early.project);
  const { live, earlier } = early.project;
  const options = { ...context, live, previous: earlier[0], order, target: early.target };
  const { response, release } = await findObject(whole, options);
  // CloudFront runs no function for the viewer's response from status 400 on, so nothing may depend on it.
  if (release === undefined || response.status >= 400) return response;
  return { ...response, headers: { ...response.headers, ...visitHeaders(request, early.project) } };
}
