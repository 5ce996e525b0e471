import cloudfront from "cloudfront";
import { edgeLifetime, foundHeader, pointerHeader } from "./cache/cache-key.ts";
import { edgeRequestOf, setHeaders, type ViewerRequest, type ViewerResponse } from "./events/viewer-event.ts";
import type { Project } from "./pages/respond-early.ts";
import { siteOf } from "./project/host.ts";
import { keyOfSite, marksOf, parseValue } from "./project/pointer.ts";
import type { EdgeHeaders, EdgeRequest } from "./request.ts";
import { isWorkerScript, startsVisit } from "./visit/visit.ts";
import { visitHeaders } from "./visit/visit-headers.ts";

const store = cloudfront.kvs();

interface ViewerResponseEvent {
  readonly request: ViewerRequest;
  readonly response: ViewerResponse;
}

/**
 * CloudFront runs it for every response below status 400 that comes from its cache or from the origin. Adds what is about
 * this visitor, and removes what is only for the edge. It must not matter whether the event has the viewer's request or the
 * one that the function of the viewer's request made of it: the documentation does not say.
 */
export async function handler({ request, response }: ViewerResponseEvent): Promise<ViewerResponse> {
  const edgeRequest = edgeRequestOf(request);
  const site = siteOf(request.headers.host.value, GAMES_DOMAIN);
  const {
    [foundHeader]: releaseHeader,
    [pointerHeader]: pointer,
    "cache-control": cacheControl,
    location,
  } = response.headers;
  delete response.headers[foundHeader];
  delete response.headers[pointerHeader];
  const isPreview = site?.kind === "preview";
  if (cacheControl) {
    // A range that a file does not have: nobody is to keep that for as long as the file.
    cacheControl.value = response.statusCode === 416 ? "no-store" : cacheControl.value.replace(edgeLifetime, "");
    // Whoever has its URL is to see a preview, and no cache of others between.
    if (isPreview) cacheControl.value = cacheControl.value.replace("public", "private");
  }
  const query = request.rawQueryString();
  // A file that goes by its content has one URL, whatever its own has behind it.
  if (location?.value.endsWith("/") && query !== undefined) location.value += `?${query}`;
  if (isPreview) response.headers["x-robots-tag"] = { value: "noindex" };
  if (releaseHeader === undefined) return response;
  if (!startsVisit(edgeRequest) && !isWorkerScript(edgeRequest)) return response;
  const key = keyOfSite(site);
  const value = pointer === undefined ? await readValue(key) : pointer.value;
  if (!isWorkerScript(edgeRequest)) setHeaders(response, documentHeaders(key, releaseHeader.value, marksOf(value)));
  setHeaders(response, headersOf(edgeRequest, releaseHeader.value, parseValue(key, value, Date.now() / 1_000)));
  return response;
}

/**
 * Headers of the options that the project does not do without. Added here and not at the origin: CloudFront keeps pages for as long as their
 * release, whatever options stage and project have by then.
 */
function documentHeaders(site: string, release: string, marks: string): EdgeHeaders {
  const text = JSON.stringify(DOCUMENT_HEADERS).replace("{site}", site).replace("{release}", release);
  const byOption: typeof DOCUMENT_HEADERS = JSON.parse(text);
  const added = Object.keys(byOption).filter((option) => !marks.includes(option[0] as string));
  return Object.assign({}, ...added.map((option) => byOption[option]));
}

/** Undefined if the store cannot be read: then the visit's cookie names this release alone. */
async function readValue(key: string): Promise<string | undefined> {
  let value: string | undefined;
  try {
    value = await store.get(key);
  } catch {
    // The key may be absent.
  }
  return value;
}

/** The release of the response is the visit's, even if another one went live meanwhile. */
function headersOf(request: EdgeRequest, release: string, project: Project) {
  if (project.kind !== "live") return visitHeaders(request, { kind: "live", live: release, earlier: [] });
  return visitHeaders(request, { ...project, live: release, earlier: [project.live, ...project.earlier] });
}
