/** A request header of routes that create something (draft-ietf-httpapi-idempotency-key-header-07, section 2). */
export const idempotencyKeyHeader = "idempotency-key";

/** Names of the response headers that are the service's own. */
export const headers = {
  /** The version of the API, on every response. */
  version: "svc-version",
  /** RFC 3339 time; only on responses to a personal access token that expires within a week. */
  tokenExpiresAt: "svc-token-expires-at",
  requestId: "svc-request-id",
} as const;
