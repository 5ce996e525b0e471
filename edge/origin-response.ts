import type { CloudFrontRequest, CloudFrontResponse, CloudFrontResultResponse } from "aws-lambda";
import { handedOver, headersOf } from "./origin-event.ts";

/** What stays of S3's own headers; Transfer-Encoding and Via because a function may not change them. */
const keptHeaders = ["content-length", "content-range", "date", "transfer-encoding", "via"];

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
  const kept = Object.entries(response.headers).filter(([name]) => keptHeaders.includes(name));
  const status = response.status === "200" ? String(described.status) : response.status;
  return { status, statusDescription: "", headers: { ...Object.fromEntries(kept), ...headersOf(described.headers) } };
}
