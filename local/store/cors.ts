import type { IncomingMessage, ServerResponse } from "node:http";
import { olderFileHeader } from "../../contract/api/headers.ts";
import { foreignRequestReason, type OriginRule } from "../gateway/foreign-request.ts";
import { S3Error } from "./s3-error.ts";

/*
 * The bucket's CORS rules as infra/storage/bucket.ts has them: every origin may read, because a published page, in an opaque origin, loads
 * files through redirects to the store; the dashboard uploads and downloads releases, and pages of options at games' origins upload if the stage
 * has such.
 */

const allowedMethods = ["GET", "HEAD", "PUT"];
const allowedHeaders = ["content-type", "if-none-match", "x-amz-checksum-sha256", olderFileHeader];

export interface StoreRule extends OriginRule {
  /** Whether pages at games' origins upload. */
  readonly playersUpload?: boolean;
}

/**
 * @throws S3Error `AccessDenied` for a page of another site; published pages may read, but not with the header of a download, and write only if
 *   players upload
 */
export function refuseForeign({ headers, method }: IncomingMessage, { playersUpload, ...rule }: StoreRule): void {
  const asked = method === "OPTIONS" ? headers["access-control-request-method"] : method;
  const isReading = asked === "GET" || asked === "HEAD";
  const isDownload = namesOf(headers["access-control-request-headers"]).includes(olderFileHeader);
  const isUpload = !isReading && playersUpload === true && headers.origin !== "null";
  const published = (isReading && !isDownload) || isUpload;
  const refusal = foreignRequestReason(headers, { ...rule, published });
  if (refusal !== undefined) throw new S3Error("AccessDenied", refusal);
}

/** Like S3, only for a request with `Origin`: a browser may cache a response without these headers. */
export function addCorsHeaders({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin !== undefined) response.setHeader("access-control-allow-origin", "*");
}

/** @throws S3Error `AccessForbidden` if no rule allows the method or a header */
export function respondToPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const wanted = headers["access-control-request-headers"] ?? "";
  const names = namesOf(wanted);
  const isAllowed = wanted === "" || names.every((name) => allowedHeaders.includes(name));
  if (!isAllowed || !allowedMethods.includes(headers["access-control-request-method"] ?? ""))
    throw new S3Error("AccessForbidden", "CORSResponse: This CORS request is not allowed.");
  response.setHeader("access-control-allow-methods", allowedMethods.join(", "));
  if (wanted !== "") response.setHeader("access-control-allow-headers", names.join(", "));
  response.setHeader("access-control-max-age", 86_400).end();
}

function namesOf(headers = ""): string[] {
  return headers
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
}
