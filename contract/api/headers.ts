/** A request header of routes that create something (draft-ietf-httpapi-idempotency-key-header-07, section 2). */
export const idempotencyKeyHeader = "idempotency-key";

/**
 * The request header, with the value `1`, of who loads an older file to make a delta (`older_files`), or a file of a release (`listFiles`). It
 * is signed, and of all pages only the dashboard can send it to the store, so the URL is of no use for players, whose traffic is counted.
 */
export const olderFileHeader = "svc-older-file";

/** Names of the response headers that are the service's own. */
export const headers = {
  /** The version of the API, on every response. */
  version: "svc-version",
  /** RFC 3339 time; only on responses to a personal access token that expires within a week. */
  tokenExpiresAt: "svc-token-expires-at",
  requestId: "svc-request-id",
} as const;
