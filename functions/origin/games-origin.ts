import type {
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
  Context,
} from "aws-lambda";
import { generatedResponse } from "../../edge/origin-event.ts";
import { originRequest } from "../../edge/origin-request.ts";
import { originResponse } from "../../edge/origin-response.ts";
import { pageResponse } from "../../edge/own-response.ts";
import { findManifest } from "../files/manifests.ts";
import { fileKey } from "../files/object-keys.ts";
import { log } from "../http/log.ts";

/**
 * Lambda@Edge at both events of the games' origin: between CloudFront's cache and the bucket, on misses alone. The table is
 * not in the way of players.
 */
export async function handler(
  event: CloudFrontRequestEvent | CloudFrontResponseEvent,
  context: Context,
): Promise<CloudFrontRequest | CloudFrontResultResponse> {
  const [{ cf }] = event.Records as [(typeof event.Records)[0]];
  try {
    if (!("response" in cf)) {
      readFromBucketOf(cf.request);
      return await originRequest(cf.request, (slug) => ({
        readManifest: (digest) => findManifest(slug, digest),
        fileKey: (sha256) => fileKey(slug, sha256),
      }));
    }
    const response = originResponse(cf.request, cf.response);
    if (response !== undefined) return response;
    throw new Error(`The bucket responded with ${cf.response.status} to ${cf.request.uri}`);
  } catch (error) {
    const line = { request_id: context.awsRequestId, route: "games-origin", level: "error" } as const;
    log({ ...line, code: "game_unavailable", message: "A file of a game could not be read", error });
    return unavailable();
  }
}

/** The bucket of the distribution's origin: functions at the edge have no environment variables, and run in any region. */
function readFromBucketOf({ origin }: CloudFrontRequest): void {
  const [, bucket, region] = /^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com$/.exec(origin?.s3?.domainName ?? "") ?? [];
  if (bucket === undefined || region === undefined) throw new Error("The origin is no bucket of S3 by its region");
  Object.assign(process.env, { BUCKET_NAME: bucket, BUCKET_REGION: region });
}

/** CloudFront sends what it still has instead, where it has it; else this, and asks again after a second. */
function unavailable(): CloudFrontResultResponse {
  const request = { method: "GET", target: "", headers: {} };
  const page = { name: "unavailable", reportUrl: undefined, headers: { "retry-after": "1" } } as const;
  return generatedResponse(pageResponse(request, page));
}
