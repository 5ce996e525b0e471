import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Api } from "../api.ts";
import { uploadAll } from "./upload.ts";
import { patienceOf } from "./waiting.ts";

/** Response of the store, after so many of its bytes; never: it stays silent, until the request is aborted. */
interface Outcome {
  readonly moved?: number;
  readonly status: number | "never";
  readonly code?: string;
}

/** The requests that the page has sent to the store, and when. */
let puts: { readonly url: string; readonly at: number; readonly size: number; readonly type: string }[];
let aborted: string[];
/** Outcomes of the next requests; later files are stored. */
let outcomes: Outcome[];
/** The files of each request for URLs. */
let asked: string[][];
/** Bytes that were sent, after each change. */
let sent: number[];
/** Whether the connection was lost, and back. */
let offline: boolean[];
/** Bytes of large files that need not be sent. */
let known: number[][];
/** The names of the headers that the page has set. */
let headers: string[];
let stop: AbortController;
let latest: StoreRequest;

class StoreRequest {
  readonly upload = new EventTarget();
  readonly #ends = new EventTarget();
  addEventListener = this.#ends.addEventListener.bind(this.#ends);
  status = 0;
  responseText = "";
  #url = "";

  open(_: string, url: string): void {
    this.#url = url;
  }

  setRequestHeader(name: string): void {
    headers.push(name);
  }

  send({ size, type }: Blob): void {
    latest = this;
    puts.push({ url: this.#url, at: Date.now(), size, type });
    const { moved = size, status, code } = outcomes.shift() ?? { status: 200 };
    this.move(moved);
    if (status === "never") return;
    this.responseText = `<Code>${code}</Code>`;
    queueMicrotask(() => this.#end(status));
  }

  move(loaded: number): void {
    this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded }));
  }

  abort(): void {
    aborted.push(this.#url);
    this.#end(0);
  }

  #end(status: number): void {
    this.status = status;
    this.#ends.dispatchEvent(new Event("loadend"));
  }
}

beforeEach(() => {
  jest.useFakeTimers();
  [puts, aborted, outcomes, asked, sent] = [[], [], [], [], []];
  [offline, known, headers, stop] = [[], [], [], new AbortController()];
  const page = new EventTarget();
  Object.assign(globalThis, {
    XMLHttpRequest: StoreRequest,
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Lets time pass in steps, because what an upload waits for is only known after the step before. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 100) await jest.advanceTimersByTimeAsync(100);
}

const urlOf = (sha256: string) => `https://store.example/${sha256}-${asked.length}`;
const content = "0123456789";

/** Uploads files of ten bytes with these names. @returns what it said at the end */
function uploading(...names: string[]): Promise<unknown> {
  return uploadingSo(names, {});
}

const patience = (signal: AbortSignal) => patienceOf({ signal, onOffline: (isOffline) => offline.push(isOffline) });

function uploadingSo(names: readonly string[], given: Partial<Parameters<typeof uploadAll>[0]>): Promise<unknown> {
  const call = async (_: string, { body }: { body: { sha256: string[] } }) => {
    asked.push(body.sha256);
    return { uploads: body.sha256.map((sha256) => ({ sha256, url: urlOf(sha256), headers: {} })) };
  };
  return uploadAll({
    api: { call } as unknown as Api,
    slug: "game",
    releaseId: "rel_1",
    files: names.map((name) => ({ path: name, sha256: name, size: content.length })),
    firstUploads: [],
    bytesOf: async () => new Blob([content], { type: "text/html" }),
    known: new Map(),
    onKnown: (...bytes) => known.push(bytes),
    onBytes: (bytes) => sent.push((sent.at(-1) ?? 0) + bytes),
    patience: patience(stop.signal),
    ...given,
  }).then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.message : error),
  );
}

test.each<[string, Outcome]>([
  ["the connection is lost", { status: 0 }],
  ["the store has trouble", { status: 503 }],
  ["its URL has expired", { status: 403 }],
])(
  "if %s in the middle of a file, its bytes are not sent any more, and the file is sent again after a pause",
  async (_, outcome) => {
    outcomes = [{ ...outcome, moved: 6 }];
    const end = uploading("a");
    await pass(200);
    expect({ puts: puts.length, sent }).toEqual({ puts: 1, sent: [6, 0] });
    await pass(800);
    expect(await end).toBe("done");
    expect(puts).toHaveLength(2);
    expect(sent).toEqual([6, 0, 10, 10]);
  },
);

test("only an expired URL is asked for again, and no other file's", async () => {
  outcomes = [{ status: 200 }, { status: 400, code: "ExpiredToken" }, { status: 503 }];
  const end = uploading("a", "b", "c");
  await pass(1_000);
  expect(await end).toBe("done");
  expect(asked).toEqual([["a", "b", "c"], ["b"]]);
  expect(
    puts
      .slice(3)
      .map(({ url }) => url)
      .toSorted(),
  ).toEqual(["https://store.example/b-2", "https://store.example/c-1"]);
});

test("a store that has trouble six times ends the upload, and the other files of it", async () => {
  jest.spyOn(Math, "random").mockReturnValue(0.5);
  outcomes = [{ status: "never" }, ...Array<Outcome>(10).fill({ status: 500 })];
  const end = uploading("a", "b");
  await pass(58_000);
  const [second = 0, ...later] = puts.slice(2).map(({ at }) => at);
  // 250 ms, doubled each time, of which a quarter is left out here; before the first of these a pause has passed.
  expect(later.map((at) => at - second)).toEqual([388, 1_163, 2_713, 5_713].map((at) => expect.closeTo(at, -1)));
  expect(await end).toBe("b could not be sent: the store has trouble. Try again in a minute: what is sent is kept.");
  expect(puts).toHaveLength(7);
  expect(aborted).toEqual(["https://store.example/a-1"]);
});

test("a connection on which nothing moves for a minute is given up, and none that moves", async () => {
  outcomes = [{ status: "never", moved: 1 }];
  const end = uploading("a");
  await pass(59_000);
  latest.move(2);
  await pass(59_000);
  expect(aborted).toEqual([]);
  await pass(2_000);
  expect(aborted).toHaveLength(1);
  expect(await end).toBe("done");
});

test("URLs are asked for a hundred at a time, and six files are sent at once", async () => {
  const names = Array.from({ length: 101 }, (_, index) => `${index}`);
  outcomes = Array<Outcome>(6).fill({ status: "never" });
  void uploading(...names);
  await pass(1_000);
  expect(puts).toHaveLength(6);
  await pass(62_000);
  expect(asked).toEqual([names.slice(0, 100), ["100"]]);
});

test.each<[string, Outcome]>([
  ["bytes move", { status: "never" }],
  ["a file is stored whose bytes nobody saw move", { status: 200, moved: 0 }],
])("a lost connection is told, and that it is back once %s", async (_, outcome) => {
  outcomes = [{ status: 0, moved: 0 }, outcome];
  void uploading("a");
  await pass(100);
  expect(offline).toEqual([true]);
  await pass(1_000);
  expect(offline).toEqual([true, false]);
});

test("the URLs that came with the release are used, with their headers but what a browser sets itself", async () => {
  const url = (sha256: string) => ({
    sha256,
    url: `https://store.example/${sha256}-first`,
    headers: { "Content-Length": "10", "if-none-match": "*", "x-amz-checksum-sha256": "c" },
  });
  const firstUploads = [url("a"), url("c")] as unknown as Parameters<typeof uploadAll>[0]["firstUploads"];
  const end = uploadingSo(["a", "b", "c"], { firstUploads });
  await pass(100);
  expect(await end).toBe("done");
  expect(asked).toEqual([["b"]]);
  expect(puts.map(({ url: to, type }) => `${to}${type}`).toSorted()).toEqual([
    "https://store.example/a-first",
    "https://store.example/b-1",
    "https://store.example/c-first",
  ]);
  expect(headers).toEqual(["if-none-match", "x-amz-checksum-sha256", "if-none-match", "x-amz-checksum-sha256"]);
});

const bytes = new Blob([content]);

test.each<[string, Partial<Parameters<typeof uploadAll>[0]>, puts: number]>([
  [
    "waits for a URL",
    { api: { call: () => stopping({ uploads: [{ sha256: "a", url: "x", headers: {} }] }) } as unknown as Api },
    0,
  ],
  ["reads a file", { bytesOf: () => stopping(bytes) }, 0],
  [
    "has not begun",
    { patience: patience(AbortSignal.abort("cancelled")), bytesOf: () => Promise.reject(new Error("read")) },
    0,
  ],
  ["sends", { onBytes: () => stop.abort("cancelled") }, 1],
])("an upload that is cancelled while it %s sends nothing more, and ends with that alone", async (_, given, count) => {
  const end = uploadingSo(["a"], given);
  await pass(2_000);
  expect(await end).toBe("cancelled");
  expect(puts).toHaveLength(count);
  expect(offline).not.toContain(true);
});

async function stopping<T>(value: T): Promise<T> {
  stop.abort("cancelled");
  return value;
}

describe("a large file", () => {
  const part = 5 * 1024 ** 2;
  const whole = new Blob([new Uint8Array(2.5 * part)]);

  const copy = (number: number) => ({ number, sha256: "old", offset: number * 1_000 });
  let copies: ReturnType<typeof copy>[];
  beforeEach(() => {
    copies = [];
  });

  /** The service lacks these parts, each time it is asked; none: it has the file. */
  function lacking(...lists: readonly (readonly number[])[]) {
    const bodies: unknown[] = [];
    const call = async (_: string, { body }: { body: unknown }) => {
      const numbers = lists[bodies.push(body) - 1] ?? [];
      const url = (number: number) => ({ number, url: `${number}-${bodies.length}`, headers: {} });
      return { stored: numbers.length === 0, parts: numbers.map(url) };
    };
    const end = uploadingSo([], {
      api: { call } as unknown as Api,
      files: [{ path: "world.pck", sha256: "w", size: whole.size, parts: ["1", "2", "3"] }],
      bytesOf: async () => whole,
      known: new Map([["w", copies]]),
    });
    return { end, bodies };
  }

  const sends = () => puts.map(({ url, size }) => `${url} ${size / part}`);

  test("is sent by the parts that the service lacks, and then completed", async () => {
    const { end, bodies } = lacking([1, 3]);
    await pass(1_000);
    expect(await end).toBe("done");
    expect(sends()).toEqual(["1-1 1", "3-1 0.5"]);
    expect(bodies).toEqual(Array(2).fill({ parts: ["1", "2", "3"], bytes_per_part: part }));
    expect([sent[0], sent.at(-1)]).toEqual([part, whole.size]);
  });

  test("that the service has is not sent", async () => {
    const { end, bodies } = lacking([]);
    await pass(1_000);
    expect(await end).toBe("done");
    expect({ puts, sent, asked: bodies.length }).toEqual({ puts: [], sent: [whole.size], asked: 1 });
  });

  test("is sent without the parts that the service copies, and these are not among what is to be sent", async () => {
    copies = [copy(1), copy(2)];
    const { end, bodies } = lacking([2, 3]);
    await pass(1_000);
    expect(await end).toBe("done");
    expect(sends()).toEqual(["2-1 1", "3-1 0.5"]);
    const list = { parts: ["1", "2", "3"], bytes_per_part: part };
    expect(bodies).toEqual([{ ...list, copies }, list]);
    // One of them has other bytes than the index said: it is sent beside what was counted.
    expect({ known, sent: sent.at(-1) }).toEqual({ known: [[part, 2 * part]], sent: 1.5 * part });
  });

  test("is copied with 32 parts a request, until none is missing", async () => {
    copies = Array.from({ length: 70 }, (_, index) => copy(index + 1));
    const { end, bodies } = lacking([3], [3], [3]);
    await pass(1_000);
    expect(await end).toBe("done");
    expect(bodies.map((body) => (body as { copies?: unknown[] }).copies?.length)).toEqual([32, 32, 6, undefined]);
    [puts, sent] = [[], []];
    const other = lacking([3], []);
    await pass(1_000);
    expect(await other.end).toBe("done");
    expect({ asked: other.bodies.length, puts }).toEqual({ asked: 2, puts: [] });
  });

  test("has another URL for a part whose own has expired, unless that part is stored", async () => {
    outcomes = [{ status: 403 }, { status: 200 }];
    const { end } = lacking([2, 3], [2]);
    await pass(3_000);
    expect(await end).toBe("done");
    expect(sends()).toEqual(["2-1 1", "3-1 0.5", "2-2 1"]);
    [puts, sent, outcomes] = [[], [], [{ status: 403, moved: 0 }]];
    const other = lacking([2], []);
    await pass(3_000);
    expect(await other.end).toBe("done");
    expect(sends()).toEqual(["2-1 1"]);
    expect(sent.at(-1)).toBe(whole.size);
  });

  test("that the service does not complete is refused", async () => {
    const { end } = lacking([1], [1], [1], [1]);
    await pass(1_000);
    expect(await end).toBe("world.pck could not be completed. Try again: the parts that are sent are kept.");
    expect(sends()).toEqual(["1-1 1", "1-2 1", "1-3 1"]);
  });

  test("of which the service lacks a part once more gets that part again", async () => {
    const { end } = lacking([1, 3], [3]);
    await pass(1_000);
    expect(await end).toBe("done");
    expect(sends()).toEqual(["1-1 1", "3-1 0.5", "3-2 0.5"]);
  });
});
