/*
 * Items that are stored for profiles of games. Types only
 * (docs/decisions/0001-one-table-no-index.md#entities-are-types-below-all-layers).
 */

/** Grant for telemetry, with what it allows; its key is a digest of the raw grant. It never changes. */
export interface TelemetryGrant {
  /** SHA-256 of the raw grant, base64. */
  readonly hash: string;
  readonly profileId: string;
  readonly slug: string;
  /** The project's owner when it began. A deletion, a suspension and a hand-over change this or {@link publisherEpoch}. */
  readonly ownerKey: string;
  readonly publisherEpoch?: number;
  /** Account that made it: the project's owner. One of another account is refused. */
  readonly accountKey: string;
  /** The account's: it changes when all tokens are revoked or the account is suspended. */
  readonly approvalEpoch?: number;
  /** The token by which it was made. */
  readonly tokenId?: string;
  /** The only one from which it is taken. */
  readonly origin: string;
  /** The project's, if it was made for the live release: with another one the game was offline meanwhile. */
  readonly offlineEpoch?: number;
  /** The preview's, if it was made for one: with another one that had ended meanwhile. */
  readonly previewOpenedAt?: string;
  /** Epoch seconds at which it expires. */
  readonly ttl: number;
}

/** Facts about a profile beside its records. */
export interface Profile {
  readonly id: string;
  readonly releaseId: string;
  readonly createdAt: string;
  /** The key of its grant, and who made that. */
  readonly grantKey: string;
  readonly accountKey: string;
  readonly grantExpiresAt: string;
  /** When its grant was ended before it expired. */
  readonly endedAt?: string;
  readonly bytes: number;
  /** Number of records that all pages have sent. */
  readonly records: number;
  /** Each opening of the page that measures, the last one last: only that one adds records. */
  readonly pages: readonly string[];
  /** Number of records that the last page has sent. */
  readonly pageRecords: number;
  readonly device?: string;
  /** Epoch seconds after which DynamoDB may delete it, with its records. */
  readonly ttl: number;
}

/** Records that came together, as JSON. */
export interface TelemetryChunk {
  /** Number of the profile's records that come before. */
  readonly first: number;
  readonly records: string;
  readonly ttl: number;
}
