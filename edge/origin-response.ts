import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResponse, CloudFrontResultResponse } from "aws-lambda";
import { handedOver, headersOf } from "./events/origin-event.ts";

/** Headers that a function may not change at the event of the origin's response. */
const readOnlyHeaders = ["transfer-encoding", "via"];
/** Headers of S3's own that stay. */
const keptHeaders = ["content-length", "content-range", "date", ...readOnlyHeaders];

/** The headers of the bucket's response that must stay also if another response takes its place. */
export function readOnlyOf(headers: CloudFrontHeaders): CloudFrontHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => readOnlyHeaders.includes(name)));
}

/**
 * The bucket's response as the visitor is to have it: with what the function of the request noted, and with nothing of S3's
 * own (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-updating-http-responses.html).
 *
 * @returns undefined if the bucket has not sent the object
 */
export function originResponse(
  request: CloudFrontRequest,
  response: CloudFrontResponse,
): CloudFrontResultResponse | undefined {
  const described = handedOver(request);
  if (described === undefined || !["200", "206", "304"].includes(response.status)) return undefined;
  const bucketHeaders = Object.entries(response.headers).filter(([name]) => keptHeaders.includes(name));
  const status = response.status === "200" ? String(described.status) : response.status;
  return {
    status,
    statusDescription: "",
    headers: { ...Object.fromEntries(bucketHeaders), ...headersOf(described.headers) },
  };
}
