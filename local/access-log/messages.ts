import type { LogRow } from "../../edge/log-fields.ts";

/** The table of the log: the same name as in a stage's data catalog. */
export const logTable = "access_log";

/** Rows to write first, and then a query. */
export interface LogRequest {
  readonly id: number;
  readonly rows?: readonly LogRow[];
  readonly sql?: string;
}

export interface LogAnswer {
  readonly id: number;
  /** Of a query: the names of its columns and its rows, as Athena gives them. */
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly (string | undefined)[])[];
  readonly error?: string;
}
