import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { AmazonError, startAmazonServer } from "../../../local/amazon-server.ts";
import type { Part } from "../../../local/part.ts";
import type { AccessLog, LogResult } from "./access-log.ts";

/*
 * Athena as far as the service uses it: a query is started, asked for until it has finished, and its rows are read by pages, by the SDK's
 * own requests (Amazon Athena API Reference). The database is the local service's access log.
 */

/** The rows of a page, as Athena has them at most. */
const rowsPerPage = 1_000;

interface AthenaRequest {
  readonly QueryString: string;
  readonly QueryExecutionId: string;
  readonly NextToken?: string;
}

interface Execution {
  readonly state: "RUNNING" | "SUCCEEDED" | "FAILED";
  readonly reason?: string;
  readonly result?: LogResult;
}

/** Starts it on a free port. What a query gives is kept until it has been read to its end. */
export async function startAthenaServer(log: AccessLog): Promise<Part> {
  const executions = new Map<string, Execution>();
  const start = ({ QueryString }: AthenaRequest) => {
    const id = randomUUID();
    executions.set(id, { state: "RUNNING" });
    log.query(QueryString).then(
      (result) => executions.set(id, { state: "SUCCEEDED", result }),
      (error: Error) => executions.set(id, { state: "FAILED", reason: error.message }),
    );
    return { QueryExecutionId: id };
  };
  const executionOf = ({ QueryExecutionId }: AthenaRequest) => {
    const execution = executions.get(QueryExecutionId);
    if (execution === undefined)
      throw new AmazonError("InvalidRequestException", 400, `QueryExecution ${QueryExecutionId} was not found`);
    return execution;
  };
  const state = (request: AthenaRequest) => {
    const { state: State, reason: StateChangeReason } = executionOf(request);
    return { QueryExecution: { QueryExecutionId: request.QueryExecutionId, Status: { State, StateChangeReason } } };
  };
  const results = (request: AthenaRequest) => {
    const { result } = executionOf(request);
    if (result === undefined) throw new AmazonError("InvalidRequestException", 400, "The query has no results");
    const page = pageOf(result, Number(request.NextToken ?? 0));
    if (page.NextToken === undefined) executions.delete(request.QueryExecutionId);
    return page;
  };
  const operations: Readonly<Record<string, (request: AthenaRequest) => object>> = {
    "AmazonAthena.StartQueryExecution": start,
    "AmazonAthena.GetQueryExecution": state,
    "AmazonAthena.GetQueryResults": results,
  };
  return await startAmazonServer(async (request: IncomingMessage) => {
    const operation = operations[String(request.headers["x-amz-target"])];
    if (operation === undefined) throw new AmazonError("UnknownOperationException", 400, "There is no such operation");
    return { body: operation((await json(request)) as AthenaRequest) };
  });
}

/** A page from a row on, of which the first one has the names of the columns. */
function pageOf(
  { columns, rows }: LogResult,
  from: number,
): { readonly ResultSet: object; readonly NextToken?: string } {
  const all = [columns, ...rows];
  const page = all.slice(from, from + rowsPerPage);
  const end = from + page.length;
  const ResultSet = { Rows: page.map((values) => ({ Data: values.map((VarCharValue) => ({ VarCharValue })) })) };
  return end < all.length ? { ResultSet, NextToken: String(end) } : { ResultSet };
}
