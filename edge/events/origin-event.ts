import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResultResponse } from "aws-lambda";
import type { EdgeBody, EdgeHeaders, EdgeResponse } from "../request.ts";

/*
 * Responses as functions of the origin give them to CloudFront
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-generating-http-responses.html).
 */

type ObjectRange = Extract<EdgeBody, { sha256: string }>;

/** The object that a response sends; undefined if it sends none. */
export function bodyOf({ body }: EdgeResponse): ObjectRange | undefined {
  return body !== undefined && "sha256" in body ? body : undefined;
}

/** A response without an object. CloudFront gives it its length; it may have 1 MB, and our pages are small. */
export function generatedResponse({ status, headers, body }: EdgeResponse): CloudFrontResultResponse {
  const { "content-length": _, ...others } = headers;
  return {
    status: String(status),
    headers: headersOf(others),
    body: body !== undefined && "text" in body ? body.text : "",
  };
}

/** Carries from the event of the request to that of its response what the object is sent with. S3 ignores it. */
const handedHeader = "x-svc-response";

/** Status and headers with which the bucket's bytes are sent. */
export interface ResponseDescription {
  readonly status: number;
  readonly headers: EdgeHeaders;
}

/** Notes in the request to the bucket what its response is to have. */
export function handOver(request: CloudFrontRequest, described: ResponseDescription): void {
  request.headers[handedHeader] = [{ key: handedHeader, value: JSON.stringify(described) }];
}

/** The description that was noted; undefined if none was. */
export function handedOver({ headers }: CloudFrontRequest): ResponseDescription | undefined {
  const text = headers[handedHeader]?.[0]?.value;
  return text === undefined ? undefined : JSON.parse(text);
}

export function headersOf(headers: EdgeHeaders): CloudFrontHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    [value].flat().map((text) => ({ key: name, value: text })),
  ]);
  return Object.fromEntries(entries);
}
