import { setTimeout as delay } from "node:timers/promises";
import {
  AthenaClient,
  GetQueryExecutionCommand,
  paginateGetQueryResults,
  QueryExecutionState,
  StartQueryExecutionCommand,
} from "@aws-sdk/client-athena";
import * as environment from "../../../functions/environment.ts";

let client: AthenaClient | undefined;

function athena(): AthenaClient {
  client ??= new AthenaClient({
    ...environment.athenaEndpoint(),
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  return client;
}

/** The first pause before asking whether a query has finished, and the longest one. */
const pauseMilliseconds = { first: 50, longest: 2_000 };

/**
 * Runs a query over the games' access log.
 *
 * @returns its rows, each value as text; empty for NULL
 * @throws Error with Athena's reason if the query fails; the SDK's error if Athena cannot be reached
 */
export async function* query(sql: string): AsyncGenerator<readonly string[]> {
  const name = environment.athenaDatabase();
  const started = await athena().send(
    new StartQueryExecutionCommand({ QueryString: sql, QueryExecutionContext: { Database: name }, WorkGroup: name }),
  );
  const { QueryExecutionId } = started;
  await finished(QueryExecutionId);
  // The first row has the names of the columns.
  let skipped = 1;
  for await (const { ResultSet } of paginateGetQueryResults({ client: athena() }, { QueryExecutionId })) {
    for (const { Data = [] } of (ResultSet?.Rows ?? []).slice(skipped))
      yield Data.map(({ VarCharValue = "" }) => VarCharValue);
    skipped = 0;
  }
}

async function finished(QueryExecutionId: string | undefined): Promise<void> {
  for (let pause = pauseMilliseconds.first; ; pause = Math.min(2 * pause, pauseMilliseconds.longest)) {
    const { QueryExecution } = await athena().send(new GetQueryExecutionCommand({ QueryExecutionId }));
    const { State, StateChangeReason } = QueryExecution?.Status ?? {};
    if (State === QueryExecutionState.SUCCEEDED) return;
    if (State === QueryExecutionState.FAILED || State === QueryExecutionState.CANCELLED)
      throw new Error(`Athena's query is ${State}: ${StateChangeReason}`);
    await delay(pause);
  }
}
