import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { errors } from "../../contract/errors.ts";
import { headers } from "../../contract/headers.ts";
import type { Route } from "../../contract/route.ts";
import type { Account } from "../domain/accounts.ts";
import { findCaller, type Person } from "../domain/authentication.ts";
import { authorize } from "../domain/authorization.ts";
import type { Project } from "../domain/projects.ts";
import { expiryWarning, noteTokenUse, type Token } from "../domain/tokens.ts";
import { type Answer, problemOf, resultOf, serviceErrorFrom } from "./answer.ts";
import { readCredential } from "./credential.ts";
import { log } from "./log.ts";
import { type Parsed, parseBody, parseParameters } from "./request.ts";

/** The caller as a route's own requirements guarantee it. */
export type CallerOf<R extends Route> = R["credential"] extends "none"
  ? undefined
  : R extends { account: "optional" }
    ? { readonly person: Person; readonly account: Account | undefined }
    : {
        readonly account: Account;
        readonly token: R["credential"] extends "session" ? undefined : Token | undefined;
        readonly project: R extends { project: "owner" } ? Project : undefined;
      };

/** A request that has passed every check of its route. */
export type Incoming<R extends Route> = Parsed<R> & {
  readonly caller: CallerOf<R>;
  readonly headers: APIGatewayProxyEventV2["headers"];
  readonly receivedAt: Date;
};

/** API Gateway's event, and what the middlewares add to it one after the other. */
type Event = Omit<APIGatewayProxyEventV2, "body"> & {
  body?: unknown;
  receivedAt: Date;
  params?: unknown;
  query?: unknown;
  caller?: unknown;
  token?: Token;
  tokenUse?: Promise<void>;
};

type Result = APIGatewayProxyStructuredResultV2;
type Step = middy.MiddlewareObj<Event, Result>;
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Result>;

/**
 * Makes the Lambda handler of a route: parse the parameters, authenticate, authorise, parse the body, run, answer. Every
 * refusal and failure on the way becomes a problem response; a body is looked at only once its sender may send it.
 */
export function serve<R extends Route>(
  route: R,
  run: (request: Incoming<NoInfer<R>>) => Promise<Answer<NoInfer<R>>>,
): Handler {
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .use([answering(route), parameters(route), authentication(route), body(route)])
    .handler(run as never) as unknown as Handler;
}

/** Turns what the handler returns, or whatever was thrown, into the HTTP response; what went wrong on our side is logged. */
function answering(route: Route): Step {
  return {
    before: ({ event }) => {
      event.receivedAt = new Date();
    },
    after: (request) => {
      const { event } = request;
      const answer = request.response as unknown as Answer<Route>;
      request.response = withWarning(resultOf(route, answer, event.requestContext.requestId), event);
    },
    onError: (request) => {
      const { event } = request;
      const { requestId } = event.requestContext;
      const error = serviceErrorFrom(request.error);
      if (errors[error.code].status >= 500)
        log({
          level: error.code === "internal_error" ? "error" : "warn",
          message: error.detail,
          request_id: requestId,
          route: `${route.method} ${route.path}`,
          code: error.code,
          error: error.cause,
        });
      request.response = withWarning(problemOf(route, error, requestId), event);
    },
  };
}

/** Tells the bearer of a token that is about to expire, on success and on failure alike. */
function withWarning(result: Result, { token, receivedAt }: Event): Result {
  const expiresAt = token && expiryWarning(token, receivedAt);
  return expiresAt ? { ...result, headers: { ...result.headers, [headers.tokenExpiresAt]: expiresAt } } : result;
}

function parameters(route: Route): Step {
  return {
    before: ({ event }) => {
      Object.assign(event, parseParameters(route, event as unknown as APIGatewayProxyEventV2));
    },
  };
}

/** Finds out who calls and whether they may; notes the use of a token beside the handler's own work. */
function authentication(route: Route): Step {
  if (route.credential === "none") return { before: () => undefined };
  const tokenUseNoted = async ({ event }: { event: Event }) => {
    await event.tokenUse;
  };
  return {
    before: async ({ event }) => {
      const credential = await readCredential(event.headers);
      const { slug } = (event.params ?? {}) as { slug?: string };
      const caller = await findCaller(credential, route.project && slug, event.receivedAt);
      if (caller.token) event.token = caller.token;
      authorize(route, caller, slug);
      event.caller = caller;
      if (caller.token) event.tokenUse = noteUse(caller.token, event, route);
    },
    after: tokenUseNoted,
    onError: tokenUseNoted,
  };
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

function body(route: Route): Step {
  return {
    before: ({ event }) => {
      event.body = parseBody(route, event as unknown as APIGatewayProxyEventV2);
    },
  };
}
