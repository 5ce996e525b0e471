/** Crashes of a release in an hour. */
export interface HourlyCrashes {
  /** In UTC: `2026-11-25T13`. */
  readonly hour: string;
  /** The name by which the edge knows the release. */
  readonly release: string;
  /** Whether a preview of it crashed, whose plays nobody counts. */
  readonly isPreview: boolean;
  readonly total: number;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
  /** Number of crashes by `reason.device.engine`. */
  readonly [combination: `${string}.${string}.${string}`]: number;
}

/** When owner and admins of a project were told that a release crashes more often. */
export interface WorseNotice {
  readonly at: string;
  /** Epoch seconds, as above. */
  readonly ttl: number;
}
