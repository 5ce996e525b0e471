/* Types only (docs/decisions/0001-one-table-no-index.md#entities-are-types-below-all-layers). */

/** Result of a creation with an idempotency key. */
export interface IdempotentCreation {
  /** SHA-256 of the request's route, path parameters and body, base64. */
  readonly fingerprint: string;
  /** The slug of a project, the id of a token or release; of an approval the path's user code is enough, so it is empty. */
  readonly created: string;
  /** Epoch seconds at which the key is free again. DynamoDB deletes the item some time later. */
  readonly ttl: number;
}

/** An idempotency key, and which request it was sent with. */
export interface SentIdempotencyKey {
  readonly value: string;
  readonly fingerprint: string;
}

/** The idempotency key of an authorised request. */
export interface Idempotency extends SentIdempotencyKey {
  readonly accountKey: string;
  /** Creation by an earlier request with the same key, less than a day ago. */
  readonly earlier: IdempotentCreation | undefined;
}
