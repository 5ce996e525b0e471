/** Sealed saved games that wait for who has their id and their key; the service never gets the key. */
export interface SavesLink {
  readonly sizeBytes: number;
  /** Epoch seconds, from which on nobody gets them; then DynamoDB deletes it. */
  readonly ttl: number;
}

/** Links of a project in an hour. */
export interface SavesHour {
  readonly links: number;
  readonly sizeBytes: number;
  readonly ttl: number;
}
