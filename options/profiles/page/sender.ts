import type { TelemetryRecord } from "../contract/telemetry-records.ts";

/** Characters of the records of one request: less than the API and `keepalive` take. */
const requestCharacters = 55_000;
const requestRecords = 500;
/** Records beyond it are not kept while the network is lost. */
const queueCharacters = 4_000_000;
const sendMilliseconds = 3_000;
const longestPauseMilliseconds = 30_000;

interface SenderOptions {
  readonly api: string;
  readonly grant: string;
  /** Called when nothing more can be sent, with the reason. */
  readonly onEnd: (reason: string) => void;
  /** Called whenever it is known whether the network is there. */
  readonly onNetwork: (isThere: boolean) => void;
}

/**
 * Sends records in their order, each until it is acknowledged: the API leaves out what it has already. After a loss of the network it goes on
 * where it was. Records that the API refuses, of an older version that does not know their kind, are left out: it gets the others.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #page = crypto.randomUUID();
  #queue: string[] = [];
  #queued = 0;
  /** Number of this page's records that are acknowledged. */
  #acknowledged = 0;
  /** Kinds of records that the API does not know. */
  readonly #unknownKinds = new Set<string>();
  #pause = sendMilliseconds;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  push(record: TelemetryRecord): void {
    if (this.#isOver || this.#queued > queueCharacters || this.#unknownKinds.has(record.type)) return;
    const text = JSON.stringify(record);
    this.#queue.push(text);
    this.#queued += text.length + 1;
  }

  /** Begins: the first request takes the profile over from a page that was opened before. */
  start(): void {
    this.#schedule(0);
  }

  /** Sends what is not acknowledged in one request that outlives the page. Only the first part of more than it can hold. */
  flush(): void {
    if (this.#isOver || this.#queue.length === 0) return;
    // A lost response is no loss: if the page stays after all, it sends the same again.
    this.#request(this.#next(), true).catch(() => undefined);
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#send().catch((error: unknown) => this.#end(String(error)));
    }, milliseconds);
  }

  #next(): string[] {
    let characters = 0;
    const records: string[] = [];
    for (const record of this.#queue) {
      characters += record.length + 1;
      if (records.length >= requestRecords || characters > requestCharacters) break;
      records.push(record);
    }
    return records;
  }

  async #request(records: readonly string[], keepalive: boolean): Promise<Response> {
    const page = JSON.stringify(this.#page);
    return await fetch(`${this.#options.api}/telemetry`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#options.grant}`, "content-type": "application/json" },
      body: `{"page":${page},"first":${this.#acknowledged},"records":[${records.join(",")}]}`,
      credentials: "omit",
      keepalive,
    });
  }

  async #send(): Promise<void> {
    let response: Response | undefined;
    try {
      response = await this.#request(this.#next(), false);
    } catch {
      // The network is lost; it is tried again.
    }
    if (this.#isOver) return;
    const isTemporary = response === undefined || response.status === 429 || response.status >= 500;
    this.#options.onNetwork(!isTemporary);
    if (response === undefined || isTemporary) {
      this.#pause = Math.min(this.#pause * 2, longestPauseMilliseconds);
      return this.#schedule(this.#pause);
    }
    if (!response.ok) {
      const problem = (await response.json().catch(() => ({}))) as Problem;
      if (response.status === 422 && this.#leaveOut(problem)) return this.#schedule(0);
      return this.#end(problem.detail ?? `The service responded with ${response.status}.`);
    }
    const { received } = (await response.json()) as { received: number };
    this.#acknowledge(received);
    this.#pause = sendMilliseconds;
    // Records that wait are sent at once, so that the page catches up.
    this.#schedule(this.#queue.length > requestRecords ? 0 : sendMilliseconds);
  }

  /** Takes what was refused out of the queue. Returns false if the problem names no record. */
  #leaveOut({ errors = [] }: Problem): boolean {
    const lengthBefore = this.#queue.length;
    const refused = new Set<number>();
    for (const { pointer } of errors) {
      const [, index, member] = /^\/records\/(\d+)(\/type)?/.exec(pointer) ?? [];
      if (index === undefined) continue;
      refused.add(Number(index));
      if (member) this.#unknownKinds.add(kindOf(this.#queue[Number(index)]));
    }
    this.#queue = this.#queue.filter((text, index) => !refused.has(index) && !this.#unknownKinds.has(kindOf(text)));
    this.#queued = this.#queue.reduce((sum, text) => sum + text.length + 1, 0);
    return this.#queue.length < lengthBefore;
  }

  #acknowledge(received: number): void {
    const gone = this.#queue.splice(0, received - this.#acknowledged);
    this.#queued -= gone.reduce((sum, text) => sum + text.length + 1, 0);
    this.#acknowledged = received;
  }

  #end(reason: string): void {
    this.#isOver = true;
    this.#queue = [];
    this.#options.onEnd(reason);
  }
}

/** Response of the API to a request that it refuses (contract/api/problem.ts). */
interface Problem {
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string }[];
}

function kindOf(text = "{}"): string {
  return (JSON.parse(text) as Partial<TelemetryRecord>).type ?? "";
}
