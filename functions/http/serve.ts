import { headers } from "../../contract/api/headers.ts";
import type { Route } from "../../contract/api/route.ts";
import { retryOnConflict } from "../conflict.ts";
import { type Caller, findCaller, type IdTokenCaller, type TokenCaller } from "../domain/authentication.ts";
import { authorize } from "../domain/authorization.ts";
import { idempotencyCheck } from "../domain/idempotency/idempotency.ts";
import { expiryWarning, noteTokenUse } from "../domain/tokens/tokens.ts";
import type { Account } from "../entities/account.ts";
import type { Idempotency } from "../entities/idempotent-creation.ts";
import type { Project } from "../entities/project.ts";
import { problemWithChallenge } from "./challenge.ts";
import { clientOf } from "./client-of.ts";
import { readCredential } from "./credential.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { type Call, type Handler, lambdaHandler, type RouteRequest } from "./lambda-handler.ts";
import { log } from "./log.ts";
import { parseBody, parseParameters } from "./request.ts";
import type { ResponseOf } from "./response.ts";

type ClosedRoute = Route & { readonly credential: "idToken" | "token" | "any" };

/** The caller as the route's own requirements guarantee it. */
type CallerOf<R extends Route> = (R["credential"] extends "idToken"
  ? IdTokenCaller
  : R["credential"] extends "token"
    ? TokenCaller
    : IdTokenCaller | TokenCaller) &
  (R extends { account: "optional" } ? unknown : { readonly account: Account }) &
  (R extends { project: string } ? { readonly project: Project } : unknown);

/** A request that its route admits. */
type AuthorizedRequest<R extends Route> = RouteRequest<R> & {
  readonly caller: CallerOf<R>;
  /** Idempotency of a request with a key, on a route that takes one. */
  readonly idempotency: Idempotency | undefined;
};

/**
 * Makes the Lambda handler of a route that requires a credential: parameters → credential → caller → authorisation → body
 * → handler → response. The body is parsed only once the caller may send it. After a conflict the
 * request is retried from the lookup of its caller.
 */
export function serve<R extends ClosedRoute>(
  route: R,
  run: (request: AuthorizedRequest<NoInfer<R>>) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  const respond = async (call: Call) => {
    const { event, receivedAt } = call;
    const { params, query } = parseParameters(route, event);
    const slug = event.pathParameters?.["slug"];
    const credential = await readCredential(event.headers);
    const idempotencyKey = readIdempotencyKey(route, event);
    const checkIdempotency = idempotencyCheck(idempotencyKey);
    const wanted = { slug: route.project && slug, storage: route.storage, idempotencyKey: idempotencyKey?.value };
    return await retryOnConflict(async () => {
      const caller = usedBy(await findCaller(credential, wanted, receivedAt), event);
      warnOfExpiry(caller, call);
      authorize(route, caller, event.pathParameters ?? {}, receivedAt);
      // Only beside a GET: a change has a condition on the token's item, with which this write would conflict.
      const useRecorded = route.method === "GET" ? recordUse(caller, call, route) : undefined;
      try {
        const body = parseBody(route, event);
        const idempotency = checkIdempotency(caller, receivedAt);
        // authorize() has checked what CallerOf says, but TypeScript cannot narrow by the route.
        const authorized = caller as unknown as CallerOf<R>;
        const { headers } = event;
        return await run({ caller: authorized, idempotency, params, query, body, headers, receivedAt });
      } finally {
        await (useRecorded ?? recordUse(caller, call, route));
      }
    });
  };
  return lambdaHandler(route, respond, problemWithChallenge);
}

/** The caller, whose token is used by this request's client now: `recordUse` stores that at most once an hour. */
function usedBy(caller: Caller, event: Call["event"]): Caller {
  if (caller.kind !== "token") return caller;
  return { ...caller, token: { ...caller.token, lastUsedBy: clientOf(event) } };
}

/** Adds the warning that a token expires soon, also to an error response. */
function warnOfExpiry(caller: Caller, { receivedAt, addedHeaders }: Call): void {
  const expiresAt = caller.kind === "token" ? expiryWarning(caller.token, receivedAt) : undefined;
  if (expiresAt !== undefined) addedHeaders[headers.tokenExpiresAt] = expiresAt;
}

/** Records the use of a token. A failure here must not fail the request. */
async function recordUse(caller: Caller, { event, receivedAt }: Call, route: Route): Promise<void> {
  if (caller.kind !== "token") return;
  try {
    await noteTokenUse(caller.token, clientOf(event), receivedAt);
  } catch (error) {
    log({
      level: "warn",
      message: "The use of a token could not be recorded",
      request_id: event.requestContext.requestId,
      route: `${route.method} ${route.path}`,
      error,
    });
  }
}
