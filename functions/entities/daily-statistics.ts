/** Statistics of a project on a day, by visits that a release served. */
export interface DailyStatistics {
  /** In UTC: `2026-11-25`. */
  readonly day: string;
  /** The name by which the edge knows the release; empty for what no release was looked at for. */
  readonly release: string;
  readonly releaseId?: string;
  readonly releaseNumber?: number;
  /** Responses to requests for the first page: with its bytes, and without, because the browser had them. */
  readonly firstPlays: number;
  readonly repeatedPlays: number;
  /** Sum of the times to the first byte of all plays. */
  readonly firstByteMilliseconds: number;
  /** Plays in each hour of the day, 24 numbers; none if there were no plays. */
  readonly playsByHour?: readonly number[];
  readonly requests: number;
  readonly bytes: number;
  /** Number of plays from each country, by its code, or `unknown`. */
  readonly countries: Readonly<Record<string, number>>;
  /** Number of failed requests by status. */
  readonly errors: Readonly<Record<string, number>>;
  /** Requests for pages that somebody opened and that were not there (404), if there were any; not among `errors`. */
  readonly missedPages?: number;
  /** The paths that failed most. */
  readonly failing: readonly FailingPath[];
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}

export interface FailingPath {
  readonly path: string;
  readonly status: string;
  readonly requests: number;
}
