import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResultResponse } from "aws-lambda";
import { reportUrlOf } from "../contract/api/report-url.ts";
import {
  type CacheKey,
  cacheKeyOf,
  cacheTag,
  edgeLifetime,
  foundHeader,
  releasesHeader,
  tagHeader,
} from "./cache-key.ts";
import { isNotModified } from "./conditional.ts";
import { bodyOf, generatedResponse, handOver } from "./origin-event.ts";
import { pageResponse } from "./own-response.ts";
import { requestedRange } from "./range.ts";
import { type EdgeRequest, type EdgeResponse, targetOf } from "./request.ts";
import { type ManifestReader, type SearchResult, search } from "./search.ts";

/** The origin's custom header that has the stage's `reportUrl`: functions at the edge have no environment variables. */
export const reportUrlHeader = "x-svc-report-url";

/** What a project's objects are called in the bucket, and how its manifests are read. */
export interface ProjectFiles {
  readonly readManifest: ManifestReader;
  fileKey(sha256: string): string;
}

const year = 31_536_000;

/**
 * The request to the bucket for what CloudFront has not in its cache, or a response where no object is to be sent. CloudFront
 * caches either under the URI that the viewer's function made
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html).
 *
 * @throws Error where a manifest cannot be read
 */
export async function originRequest(
  request: CloudFrontRequest,
  filesOf: (slug: string) => ProjectFiles,
): Promise<CloudFrontRequest | CloudFrontResultResponse> {
  const key = cacheKeyOf(request.uri);
  const target = key && targetOf(key.path);
  const reportSetting = firstOf(request.origin?.s3?.customHeaders ?? {}, reportUrlHeader);
  const reportUrl = reportSetting && reportUrlOf(reportSetting, key?.slug);
  if (key === undefined || target === undefined)
    return generatedResponse(pageResponse(get, { name: "badRequest", reportUrl }));
  const [live = key.digest, before] = (firstOf(request.headers, releasesHeader) ?? "").split(".").filter(Boolean);
  const order = [...new Set([key.digest, live, ...(before === undefined ? [] : [before])])];
  const files = filesOf(key.slug);
  const result = await search(requestOf(key), { target, order, live, readManifest: files.readManifest, reportUrl });
  return originResponseOf(request, { key, files, response: withLifetime(key, result) });
}

/** GET without ranges and conditions: those are the cache's. */
const get: EdgeRequest = { method: "GET", target: "", headers: {} };

function requestOf({ brotli, purpose }: CacheKey): EdgeRequest {
  return {
    ...get,
    headers: {
      "accept-encoding": brotli ? "br" : undefined,
      "sec-fetch-dest": purpose === "page" ? "document" : undefined,
      "service-worker": purpose === "worker" ? "script" : undefined,
    },
  };
}

/**
 * How long the edge keeps a response. What the key's release has never changes. What another one has depends on more than
 * the key: on what is live, and on the visitor. `no-store` stays.
 */
function withLifetime(key: CacheKey, { response, release }: SearchResult): EdgeResponse {
  const { "cache-control": kept } = response.headers;
  const missing = key.purpose === "page" ? 60 : 5;
  const seconds = release === undefined ? missing : release === key.digest ? year : 5;
  return {
    ...response,
    headers: {
      ...response.headers,
      ...(kept !== "no-store" && { "cache-control": `${kept}, s-maxage=${seconds}` }),
      ...(release !== undefined && { [foundHeader]: key.digest, [tagHeader]: cacheTag(key.slug) }),
    },
  };
}

interface FileLookup {
  readonly key: CacheKey;
  readonly files: ProjectFiles;
  readonly response: EdgeResponse;
}

function originResponseOf(request: CloudFrontRequest, { files, response }: FileLookup) {
  const object = bodyOf(response);
  if (object === undefined) return generatedResponse(response);
  const { "content-length": _, ...headers } = response.headers;
  const range = response.status === 200 ? rangeOf(request, response, object.end) : undefined;
  if (range === "unsatisfiable") return generatedResponse(unsatisfiable(headers, object.end));
  if (range === undefined) delete request.headers["range"];
  handOver(request, { status: response.status, headers });
  request.uri = `/${files.fileKey(object.sha256)}`;
  return request;
}

/** It is about one request, so nobody keeps it. */
function unsatisfiable(headers: EdgeResponse["headers"], size: number): EdgeResponse {
  const aboutBytes = ["accept-ranges", "content-encoding", "content-type", foundHeader, tagHeader];
  const others = Object.entries(headers).filter(([name]) => !aboutBytes.includes(name));
  const kept = {
    ...Object.fromEntries(others),
    "cache-control": String(headers["cache-control"]).replace(edgeLifetime, ""),
  };
  return { status: 416, headers: { ...kept, "content-range": `bytes */${size}` }, body: undefined };
}

/**
 * S3 knows another ETag, so whether a range is meant is decided here (RFC 9110, sections 13.1.5 and 13.2.2). A viewer that has
 * the file gets 304 from the cache, once the file is there.
 */
function rangeOf(request: CloudFrontRequest, { headers }: EdgeResponse, size: number) {
  const etag = String(headers["etag"]);
  const names = ["range", "if-range", "if-none-match"];
  const sent = Object.fromEntries(names.map((name) => [name, firstOf(request.headers, name)]));
  const asked = { ...get, headers: sent };
  return isNotModified(asked, etag) ? undefined : requestedRange(asked, { size, etag });
}

function firstOf(headers: CloudFrontHeaders, name: string): string | undefined {
  return headers[name]?.[0]?.value;
}
