import type { Route } from "../../contract/api/route.ts";
import { type Handler, lambdaHandler, type RouteRequest } from "./lambda-handler.ts";
import { parseBody, parseParameters } from "./request.ts";
import type { ResponseOf } from "./response.ts";

type OpenRoute = Route & { readonly credential: "none" };

/**
 * Makes the Lambda handler of a route without a credential: parameters → body → handler → response. Separate from {@link serve},
 * so that the bundle of such a function contains no authentication.
 */
export function serveOpen<R extends OpenRoute>(
  route: R,
  run: (request: RouteRequest<NoInfer<R>>) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  return lambdaHandler(route, async ({ event, receivedAt }) => {
    const { params, query } = parseParameters(route, event);
    const body = parseBody(route, event);
    return await run({ params, query, body, headers: event.headers, receivedAt });
  });
}
