import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { columnOf, logFields } from "../contract/log-fields.ts";
import { type Batch, type LogAnswer, type LogRequest, logTable } from "./messages.ts";

/*
 * The thread that has the access log's database: to write to it, and to query a million rows, must not hold up a player's request.
 */

/** Days for which rows are kept, as in a stage's bucket (../infra/games-log.ts). */
const keptDays = 30;

const columns = logFields.map((field) => `"${columnOf(field)}"`);
const database = new DatabaseSync(workerData.path);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
// Athena has it for casts that fail; those of SQLite do not.
database.function("try", { useBigIntArguments: true }, (value) => value);
// The column `day` is the partition of a stage's log.
const partition = `day TEXT GENERATED ALWAYS AS (replace("date", '-', '/')) VIRTUAL`;
database.exec(`CREATE TABLE IF NOT EXISTS ${logTable} (${columns.map((name) => `${name} TEXT`).join()}, ${partition})`);
database.exec(`CREATE INDEX IF NOT EXISTS by_day ON ${logTable} (day)`);
database.exec("CREATE TABLE IF NOT EXISTS waiting_batches (json TEXT)");
const places = logFields.map(() => "?").join();
const insert = database.prepare(`INSERT INTO ${logTable} (${columns.join()}) VALUES (${places})`);
const insertBatch = database.prepare("INSERT INTO waiting_batches (json) VALUES (?)");
const waitingBatches = database.prepare("SELECT json FROM waiting_batches");
const removeBatches = database.prepare("DELETE FROM waiting_batches");
const expire = database.prepare(`DELETE FROM ${logTable} WHERE day < strftime('%Y/%m/%d', 'now', '-${keptDays} days')`);
expire.run();
let expired = today();

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Rows a second above which rows wait: inserting each at once would take what players need of the machine. */
const busySecond = 500;

/** The rows of a busy second wait together, until there is a quiet one or a query. */
function write({ json, count }: Batch): void {
  if (count >= busySecond) insertBatch.run(json);
  else insertRows(json);
}

/** Inserts what waits, and the rows of one more batch. */
function insertRows(more = "[]"): void {
  database.exec("BEGIN");
  try {
    for (const { json } of waitingBatches.iterate()) insertEach(String(json));
    removeBatches.run();
    insertEach(more);
    if (expired !== today()) expire.run();
    expired = today();
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function insertEach(json: string): void {
  for (const row of JSON.parse(json) as string[][]) insert.run(...row);
}

function query(sql: string): Pick<LogAnswer, "columns" | "rows"> {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  const rows = statement.all() as unknown as (string | number | null)[][];
  return { columns: names, rows: rows.map((row) => row.map((value) => (value === null ? undefined : String(value)))) };
}

function answer({ batch, sql }: LogRequest): Omit<LogAnswer, "id"> {
  try {
    if (batch !== undefined) write(batch);
    if (sql === undefined) return {};
    insertRows();
    return query(sql);
  } catch (error) {
    return { error: (error as Error).message };
  }
}

parentPort?.on("message", (request: LogRequest) => {
  parentPort?.postMessage({ id: request.id, ...answer(request) } satisfies LogAnswer);
});
