import type {
  CloudFrontHeaders,
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
  Context,
} from "aws-lambda";
import { generatedResponse } from "../../edge/events/origin-event.ts";
import { gamesDomainHeader, type OptionPages, originRequest, tableHeader } from "../../edge/origin-request.ts";
import { originResponse, readOnlyOf } from "../../edge/origin-response.ts";
import { pageResponse } from "../../edge/pages/own-response.ts";
import { unavailable as unavailablePage } from "../../edge/pages/pages.ts";
import { digestOf } from "../../edge/project/pointer.ts";
import { fileKey } from "../files/object-keys.ts";
import { log } from "../http/log.ts";
import { findServedFiles } from "./served-files.ts";
import { shownGame } from "./shown-games.ts";

export const handler = gamesOriginWith({});

/**
 * Lambda@Edge at both events of the games' origin: between CloudFront's cache and the bucket, on misses alone. It reads the
 * table only for games of which the key-value store has no pointer, and for the public pages of games.
 *
 * @param optionPages the pages that options add to each game's origin
 */
export function gamesOriginWith(optionPages: OptionPages) {
  return (event: OriginEvent, context: Context) => respond(event, context, optionPages);
}

type OriginEvent = CloudFrontRequestEvent | CloudFrontResponseEvent;

async function respond(
  event: OriginEvent,
  context: Context,
  optionPages: OptionPages,
): Promise<CloudFrontRequest | CloudFrontResultResponse> {
  const [{ cf }] = event.Records as [(typeof event.Records)[0]];
  try {
    if (!("response" in cf)) {
      useOrigin(cf.request);
      return await originRequest(cf.request, {
        filesOf: (slug) => ({
          readManifest: (release) => findServedFiles(slug, digestOf(release)),
          fileKey: (sha256) => fileKey(slug, sha256),
          hasCard: async (sha256) => {
            const { hasOwnCard } = await import("./own-cards.ts");
            return await hasOwnCard(fileKey(slug, sha256));
          },
        }),
        readPointer: async (site, isPage) => {
          // Loaded only for such a game: the SDK's client would lengthen every cold start.
          const { readPointer } = await import("../domain/projects/unstored-pointers.ts");
          return await readPointer(site, isPage);
        },
        readGame: shownGame,
        makePublicPage: async (slug, context) => {
          const [{ readPublicPage }, { publicPageHeaders, publicPageHtml }] = await Promise.all([
            import("../domain/projects/published-facts.ts"),
            import("./public-page.ts"),
          ]);
          const page = await readPublicPage(slug);
          return page && { html: publicPageHtml(page, context), headers: publicPageHeaders(context) };
        },
        makeCard: async (slug) => {
          const [{ readPublicPage }, { cardHeaders, cardHtml }] = await Promise.all([
            import("../domain/projects/published-facts.ts"),
            import("./card.ts"),
          ]);
          const page = await readPublicPage(slug);
          return page && { html: cardHtml(page), headers: cardHeaders };
        },
        optionPages,
      });
    }
    const response = originResponse(cf.request, cf.response);
    if (response !== undefined) return response;
    throw new Error(`The bucket responded with ${cf.response.status} to ${cf.request.uri}`);
  } catch (error) {
    const line = { request_id: context.awsRequestId, route: "games-origin", level: "error" } as const;
    log({ ...line, code: "game_unavailable", message: "A file of a game could not be read", error });
    return unavailable("response" in cf ? cf.response.headers : {});
  }
}

/**
 * Bucket, region and table of the stage, from the distribution's origin: functions at the edge have no environment variables
 * of their own, and run in any region.
 */
function useOrigin({ origin }: CloudFrontRequest): void {
  const [, bucket, region] = /^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com$/.exec(origin?.s3?.domainName ?? "") ?? [];
  if (bucket === undefined || region === undefined) throw new Error("The origin is no bucket of S3 by its region");
  const table = origin?.s3?.customHeaders[tableHeader]?.[0]?.value;
  const domain = origin?.s3?.customHeaders[gamesDomainHeader]?.[0]?.value;
  Object.assign(process.env, {
    ...{ BUCKET_NAME: bucket, STAGE_REGION: region },
    ...(table && { TABLE_NAME: table }),
    ...(domain && { GAMES_DOMAIN: domain }),
  });
}

/**
 * CloudFront sends what it still has instead, if it has it; else this, and asks again after a second.
 *
 * @param bucketHeaders of the bucket's response, if there is one: S3 sends its errors in chunks, and a function may not take that header away
 */
function unavailable(bucketHeaders: CloudFrontHeaders): CloudFrontResultResponse {
  const request = { method: "GET", target: "", headers: {} };
  const page = generatedResponse(pageResponse(request, unavailablePage, { "retry-after": "1" }));
  return { ...page, headers: { ...readOnlyOf(bucketHeaders), ...page.headers } };
}
