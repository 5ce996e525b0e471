import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Api } from "../api.ts";
import { uploadAll } from "./upload.ts";

/** How the store responds to a request, after so many of its bytes; never: it stays silent, until the request is aborted. */
interface Outcome {
  readonly moved?: number;
  readonly status: number | "never";
  readonly code?: string;
}

/** What the page has sent to the store, and when. */
let puts: { readonly url: string; readonly at: number }[];
let aborted: string[];
/** Of the next requests; those after them are stored. */
let outcomes: Outcome[];
/** The files of each request for URLs. */
let asked: string[][];
/** How much is sent, after each change. */
let sent: number[];
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

  setRequestHeader(): void {}

  send({ size }: Blob): void {
    latest = this;
    puts.push({ url: this.#url, at: Date.now() });
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
  const page = new EventTarget();
  Object.assign(globalThis, {
    XMLHttpRequest: StoreRequest,
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
});

afterEach(() => {
  jest.useRealTimers();
});

/** In steps, because what an upload waits for is only known after the one before. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 100) await jest.advanceTimersByTimeAsync(100);
}

const urlOf = (sha256: string) => `https://store.example/${sha256}-${asked.length}`;
const content = "0123456789";

/** Uploads files of ten bytes with these names. @returns what it said at the end */
function uploading(...names: string[]): Promise<unknown> {
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
    bytesOf: async () => new Blob([content]),
    onBytes: (bytes) => sent.push((sent.at(-1) ?? 0) + bytes),
    signal: new AbortController().signal,
    onOffline: () => {},
  }).then(
    () => "done",
    (error: Error) => error.message,
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
  outcomes = [{ status: "never" }, ...Array<Outcome>(10).fill({ status: 500 })];
  const end = uploading("a", "b");
  await pass(58_000);
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
