import type { Route } from "../../contract/route.ts";
import type { ResponseOf } from "./response.ts";
import { type Handler, handlerOf, type Received } from "./stack.ts";

type OpenRoute = Route & { readonly credential: "none" };

/**
 * Makes the Lambda handler of a route that is open to all. It has a file of its own so that such a function carries
 * nothing that authenticates, nor a table that it does not read.
 */
export function serveOpen<R extends OpenRoute>(
  route: R,
  run: (request: Received<NoInfer<R>>) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  return handlerOf(route, [], run);
}
