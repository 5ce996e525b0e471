import type { Route } from "../../../contract/api/route.ts";
import { retryOnConflict } from "../../../functions/conflict.ts";
import { ServiceError } from "../../../functions/domain/service-error.ts";
import { readBearer } from "../../../functions/http/bearer.ts";
import { problemWithChallenge } from "../../../functions/http/challenge.ts";
import { type Handler, lambdaHandler, type RouteRequest } from "../../../functions/http/lambda-handler.ts";
import { parseBody, parseParameters } from "../../../functions/http/request.ts";
import type { ResponseOf } from "../../../functions/http/response.ts";
import { RawGrant } from "./raw-grant.ts";

type GrantRoute = Route & { readonly credential: "grant" };

/** Makes the Lambda handler of a route that takes a telemetry grant and nothing else. After a conflict the request is retried. */
export function serveGrant<R extends GrantRoute>(
  route: R,
  run: (request: RouteRequest<NoInfer<R>> & { readonly raw: RawGrant }) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  return lambdaHandler(
    route,
    async ({ event, receivedAt }) => {
      const { params, query } = parseParameters(route, event);
      const { headers } = event;
      const raw = RawGrant.parse(readBearer(headers));
      if (raw === undefined) throw new ServiceError("telemetry_grant_invalid");
      const body = parseBody(route, event);
      return await retryOnConflict(() => run({ raw, params, query, body, headers, receivedAt }));
    },
    problemWithChallenge,
  );
}
