import { type ErrorCode, errors } from "./errors.ts";
import type { Route } from "./route.ts";

/** Every error that a route can respond with: its own, and those that follow from what it requires of a request. */
export function errorCodes(route: Route): ErrorCode[] {
  const isClosed = route.credential !== "none" && route.credential !== "grant";
  const isForPersons = route.personMakesLive === "session" || route.personMakesLive === "waits";
  const isOfPeople = route.project !== undefined && route.project !== "invited";
  const follows: (readonly [unknown, ErrorCode[]])[] = [
    [route.params ?? route.query, ["invalid_parameters"]],
    [isClosed, ["credential_missing", "credential_malformed", "id_token_invalid"]],
    [isClosed, ["id_token_expired", "token_invalid", "token_revoked", "token_expired"]],
    [isClosed, ["identity_provider_unavailable"]],
    [route.credential === "idToken", ["session_required"]],
    [route.credential === "token", ["token_required"]],
    [isClosed && route.account !== "optional", ["account_required"]],
    [isClosed && route.suspended !== "allowed", ["account_suspended"]],
    [route.credential === "grant", ["credential_missing", "credential_malformed", "telemetry_grant_invalid"]],
    [route.role, ["developer_required"]],
    [route.recentSignIn || isForPersons, ["recent_sign_in_required"]],
    [route.scope, ["insufficient_scope"]],
    [isOfPeople, ["project_not_in_token", "project_not_found", "project_deleted"]],
    [isOfPeople && route.project !== "viewer", ["project_role_required"]],
    [route.project && route.method !== "GET" && route.credential === "any", ["tokens_refused"]],
    [route.project && route.credential === "any", ["token_refused"]],
    [isForPersons && route.credential === "any", ["person_required"]],
    [route.project === "invited", ["invitation_not_found"]],
    [route.project && route.method !== "GET" && route.suspended !== "allowed", ["project_suspended"]],
    [
      route.idempotencyKey,
      ["idempotency_key_invalid", "idempotency_key_in_use", "idempotency_result_gone", "idempotency_key_reused"],
    ],
    [route.preconditions, ["precondition_failed"]],
    [route.form, ["invalid_client", "invalid_request", "payload_too_large"]],
    [route.body && !route.form, ["malformed_json", "payload_too_large", "unsupported_media_type", "validation_failed"]],
    [route.tag !== "Service", ["temporarily_unavailable"]],
    [true, ["internal_error"]],
  ];
  const codes = follows.flatMap(([isAsked, list]) => (isAsked ? list : []));
  return [...new Set([...codes, ...(route.errors ?? [])])].sort(
    (a, b) => errors[a].status - errors[b].status || a.localeCompare(b, "en"),
  );
}

/**
 * The statuses with which API Gateway refuses a request of a route by itself: invalid percent-encoding, a parameter that is
 * empty or has a slash, a body that is larger than it takes, more requests than the route's share, headers that are longer than it takes
 * (10,240 bytes), a function that crashed or ran out of time.
 */
export function gatewayStatuses({ params, body }: Route): number[] {
  return [400, ...(params ? [404] : []), ...(body ? [413] : []), 429, 431, 500, 503];
}
