import cloudfront from "cloudfront";
import { reportUrlOf } from "../contract/api/report-url.ts";
import { begin, type LiveProject, type Project } from "./begin.ts";
import { takesBrotli } from "./brotli.ts";
import { type Purpose, releasesHeader, uriOf } from "./cache-key.ts";
import { type Site, siteOf } from "./host.ts";
import { pageResponse } from "./own-response.ts";
import { parsePointer, parsePreview, previewKey } from "./pointer.ts";
import { hasSingleRange } from "./range.ts";
import type { EdgeRequest } from "./request.ts";
import { edgeRequestOf, type ViewerRequest, type ViewerResponse, viewerResponseOf } from "./viewer-event.ts";
import { isWorkerScript, startsVisit, visitOf } from "./visit.ts";
import { wholeForNewOwner } from "./visit-headers.ts";

const store = cloudfront.kvs();

/**
 * CloudFront runs it for every request to a games domain, before it looks into its cache. Responds to what needs no release,
 * else makes the request's URI the key of the cache. One read of the key-value store.
 */
export async function handler(event: { readonly request: ViewerRequest }): Promise<ViewerRequest | ViewerResponse> {
  const request = edgeRequestOf(event.request);
  const site = siteOf(event.request.headers.host.value, GAMES_DOMAIN) ?? { kind: "none" };
  const slug = site.kind === "none" ? "" : site.slug;
  const reportUrl = REPORT_URL === "" ? undefined : reportUrlOf(REPORT_URL, slug);
  let project: Project;
  try {
    project = await readProject(site);
  } catch {
    const unavailable = { name: "unavailable", headers: { "retry-after": "1" }, reportUrl } as const;
    return viewerResponseOf(pageResponse({ ...request, headers: {} }, unavailable));
  }
  const begun = begin(request, project, reportUrl);
  if ("response" in begun) {
    const response = viewerResponseOf(begun.response);
    if (site.kind === "preview") response.headers["x-robots-tag"] = { value: "noindex" };
    return response;
  }
  return requestOfRelease(event.request, { request, slug, project: begun.project });
}

/**
 * The project that a host stands for. The store's `get` fails for an absent key as for any trouble, and only a game that is
 * surely gone may end its players' workers.
 *
 * @throws Error where the store cannot be read
 */
async function readProject(site: Site): Promise<Project> {
  if (site.kind === "none") return site;
  const key = site.kind === "preview" ? previewKey(site.slug, site.digest) : site.slug;
  const value = await readValue(key);
  return site.kind === "preview" ? parsePreview(value, Date.now() / 1_000) : parsePointer(value);
}

async function readValue(key: string): Promise<string | undefined> {
  let value: string | undefined;
  try {
    value = await store.get(key);
  } catch {
    // The key may be absent.
  }
  if (value !== undefined) return value;
  const exists = await store.exists(key);
  if (exists) throw new Error("The key-value store cannot be read");
  return undefined;
}

interface GameRequest {
  readonly request: EdgeRequest;
  readonly slug: string;
  readonly project: LiveProject;
}

/**
 * The request with the key of the cache as its URI. What else the origin's functions need is in a header that is no part of
 * the key. S3 must see no condition that is about another ETag than its own.
 */
function requestOfRelease(sent: ViewerRequest, { request, slug, project }: GameRequest): ViewerRequest {
  const [digest = project.live, ...others] = visitOf(request, project).order;
  const before = others.find((other) => other !== project.live);
  const asked = wholeForNewOwner(request, project);
  const purpose: Purpose = isWorkerScript(request) ? "worker" : startsVisit(request) ? "page" : "file";
  sent.uri = uriOf({ slug, digest, purpose, brotli: takesBrotli(asked), path: sent.uri });
  sent.headers[releasesHeader] = { value: before === undefined ? project.live : `${project.live}.${before}` };
  removed(asked, asked !== request).forEach((name) => {
    delete sent.headers[name];
  });
  return sent;
}

function removed(request: EdgeRequest, isWhole: boolean): string[] {
  const conditions = ["if-match", "if-modified-since", "if-unmodified-since"];
  if (!hasSingleRange(request)) conditions.push("range", "if-range");
  if (isWhole) conditions.push("if-none-match");
  return conditions;
}
