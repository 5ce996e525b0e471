import type { MiddlewareObj } from "@middy/core";
import { headers } from "../../contract/headers.ts";
import type { Route } from "../../contract/route.ts";
import type { Account } from "../domain/accounts.ts";
import { findCaller, type Person } from "../domain/authentication.ts";
import { authorize } from "../domain/authorization.ts";
import type { Project } from "../domain/projects.ts";
import { expiryWarning, noteTokenUse, type Token } from "../domain/tokens.ts";
import { readCredential } from "./credential.ts";
import { log } from "./log.ts";
import type { ResponseOf } from "./response.ts";
import { type Event, type Handler, handlerOf, type Received } from "./stack.ts";

type ClosedRoute = Route & { readonly credential: "session" | "any" };

/** The caller as a route's own requirements guarantee it. */
type CallerOf<R extends Route> = R extends { account: "optional" }
  ? { readonly person: Person; readonly account: Account | undefined }
  : {
      readonly account: Account;
      readonly token: R["credential"] extends "session" ? undefined : Token | undefined;
      readonly project: R extends { project: "owner" } ? Project : undefined;
    };

/** A request that has passed every check of its route. */
type Incoming<R extends Route> = Received<R> & { readonly caller: CallerOf<R> };

type AuthenticatedEvent = Event & { caller?: unknown; tokenUse?: Promise<void> };

/**
 * Makes the Lambda handler of a route that asks for a credential: parse the parameters, authenticate, authorise, parse
 * the body, run, response. A body is looked at only once its sender may send it.
 */
export function serve<R extends ClosedRoute>(
  route: R,
  run: (request: Incoming<NoInfer<R>>) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  return handlerOf(route, [authentication(route)], run);
}

/** Finds out who calls and whether they may; notes the use of a token beside the handler's own work. */
function authentication(route: Route): MiddlewareObj<AuthenticatedEvent> {
  const tokenUseNoted = async ({ event }: { event: AuthenticatedEvent }) => {
    await event.tokenUse;
  };
  return {
    before: async ({ event }) => {
      const credential = await readCredential(event.headers);
      const { slug } = (event.params ?? {}) as { slug?: string };
      const caller = await findCaller(credential, route.project && slug, event.receivedAt);
      if (caller.token) warnOfExpiry(caller.token, event);
      authorize(route, caller, slug);
      event.caller = caller;
      if (caller.token) event.tokenUse = noteUse(caller.token, event, route);
    },
    after: tokenUseNoted,
    onError: tokenUseNoted,
  };
}

/** Tells the bearer of a token that is about to expire, on success and on failure alike. */
function warnOfExpiry(token: Token, event: AuthenticatedEvent): void {
  const expiresAt = expiryWarning(token, event.receivedAt);
  if (expiresAt !== undefined) event.responseHeaders = { [headers.tokenExpiresAt]: expiresAt };
}

/** A note that cannot be written must not fail the request that it is about. */
async function noteUse(token: Token, { receivedAt, requestContext }: Event, route: Route): Promise<void> {
  try {
    await noteTokenUse(token, receivedAt);
  } catch (error) {
    log({
      level: "warn",
      message: "The use of a token could not be noted",
      request_id: requestContext.requestId,
      route: `${route.method} ${route.path}`,
      error,
    });
  }
}
