/** The table of the log: the same name as in a stage's data catalog. */
export const logTable = "access_log";

/** The rows of a second. */
export interface Batch {
  /** A list: of each row its values, in the order of `logFields`. */
  readonly json: string;
  readonly count: number;
}

/** A batch to write, or a query. */
export interface LogRequest {
  readonly id: number;
  readonly batch?: Batch;
  readonly sql?: string;
}

export interface LogAnswer {
  readonly id: number;
  /** A query's names of columns and its rows, as Athena gives them. */
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly (string | undefined)[])[];
  readonly error?: string;
}
