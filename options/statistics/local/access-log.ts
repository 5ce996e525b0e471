import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type LogRow, logFields } from "../contract/log-fields.ts";
import type { LogAnswer, LogRequest } from "./messages.ts";

/** Time for which rows wait to be written together. */
const writeMilliseconds = 1_000;

/** Result of a query: the names of its columns, and its rows as text; undefined for NULL. */
export interface LogResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | undefined)[])[];
}

/**
 * The access log of the local service's games, in a SQLite database that another thread has. Rows go to it as one text a second, since
 * objects would be copied field by field. A row of a busy second costs a player's request little more than that text.
 */
export class AccessLog {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<LogAnswer>>();
  /** Rows that wait, in JSON. */
  #rows: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #requests = 0;
  /** The error that ended the thread. */
  #failure: unknown;

  /** @param dataFolder the folder of the database; undefined: it is in memory */
  constructor(dataFolder: string | undefined) {
    this.#worker = new Worker(new URL("worker.ts", import.meta.url), {
      workerData: { path: dataFolder === undefined ? ":memory:" : join(dataFolder, "access-log.sqlite") },
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    this.#worker.on("message", (answer: LogAnswer) => this.#settle(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.unref();
  }

  /** Adds a row, which is written within a second. */
  add(row: LogRow): void {
    this.#rows.push(JSON.stringify(logFields.map((field) => row[field])));
    this.#timer ??= setTimeout(() => void this.write(), writeMilliseconds).unref();
  }

  /** Writes what waits. A failure is printed: the log is best effort, as CloudFront's is. */
  async write(): Promise<void> {
    const rows = this.#take();
    try {
      if (rows.length > 0) await this.#send({ batch: { json: `[${rows.join()}]`, count: rows.length } });
    } catch (error) {
      console.error(`${rows.length} rows of the access log could not be written:`, error);
    }
  }

  /**
   * Runs a query over all rows that were added before.
   *
   * @throws Error of SQLite
   */
  async query(sql: string): Promise<LogResult> {
    await this.write();
    const { columns = [], rows = [] } = await this.#send({ sql });
    return { columns, rows };
  }

  async stop(): Promise<void> {
    await this.write();
    await this.#worker.terminate();
  }

  #take(): readonly string[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  async #send(request: Omit<LogRequest, "id">): Promise<LogAnswer> {
    this.#requests += 1;
    const id = this.#requests;
    if (this.#failure !== undefined) throw this.#failure;
    const waiting = Promise.withResolvers<LogAnswer>();
    this.#waiting.set(id, waiting);
    this.#worker.ref();
    this.#worker.postMessage({ id, ...request } satisfies LogRequest);
    return await waiting.promise;
  }

  #settle(answer: LogAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (answer.error === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(answer.error));
  }

  #fail(error: unknown): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
