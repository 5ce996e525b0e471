import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { PutResponse } from "../contract/api/releases/store-response.ts";
import { NetworkError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import type { KnownParts } from "../contract/folder/known-parts.ts";
import type { Range, Sender } from "./ports.ts";
import { type UploadOptions, uploadAll } from "./upload.ts";
import type { UploadFailure } from "./upload-failure.ts";

const part = 5 * 1024 ** 2;

/** Result of a PUT, after so many of its bytes; never: it ends with the signal alone. */
interface Outcome {
  readonly moved?: number;
  readonly result: Partial<PutResponse> | Error | "never";
}

const lost = new NetworkError("No route.", { isTransient: true, isUnsent: false, isLost: true });
const crowded = Object.assign(new Error("Too many open files"), { busy: "process" as const });
const opened = Object.assign(new Error("Another program has it"), { busy: "file" as const });

/** Each PUT: where it went and when, and how many requests for URLs were made until then. */
let puts: { readonly url: string; readonly at: number; readonly range: Range; readonly requested: number }[];
/** Outcomes of the next ones; later ones are stored. */
let outcomes: Outcome[];
/** The hashes of each request for URLs. */
let requests: string[][];
/** Bytes that were sent, after each change. */
let sent: number[];
let done: string[];
/** Whether the network was lost, and back. */
let network: ("lost" | "back")[];
let stop: AbortController;
let senderSignal: AbortSignal;
let isClosed: boolean;
/** Minutes for which URLs are valid. */
let minutes: number;
/** Calls `onSent` of the first PUT once more. */
let late: () => void;

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(Math, "random").mockReturnValue(0.5);
  [puts, outcomes, requests, sent, done, network] = [[], [], [], [], [], []];
  [stop, isClosed, minutes] = [new AbortController(), false, 60];
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

interface File {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

const fileOf = (path: string, size = 10): File => ({ path, sha256: path, size });
const filesOf = (count: number) => Array.from({ length: count }, (_, index) => fileOf(`${index}`));

function senderWith(given: Partial<Sender<File>>, signal: AbortSignal): Sender<File> {
  senderSignal = signal;
  return {
    filesAtOnce: 6,
    partsAtOnce: 2,
    urlsPerCall: 100,
    open:
      () =>
      async (range, { url }, onSent) => {
        puts.push({ url, at: Date.now(), range, requested: requests.length });
        if (puts.length === 1) late = () => onSent(range.size);
        const { moved = range.size, result } = outcomes.shift() ?? { result: {} };
        onSent(moved);
        if (result === "never")
          return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))));
        if (result instanceof Error) throw result;
        return { status: 200, code: undefined, ...result };
      },
    read: async () => new Uint8Array(),
    openBytes: () => async () => ({ status: 200, code: undefined }),
    partsOf: async () => ["1", "2", "3", "4"],
    busy: (failure) => (failure as { busy?: "process" | "file" }).busy,
    explain: (failure, { path }) => [path, (failure as Partial<UploadFailure>).meaning ?? (failure as Error).message],
    close: () => {
      isClosed = true;
    },
    ...given,
  };
}

const urlOf = (sha256: string) => ({ sha256, url: `${sha256}-${requests.length}`, headers: {} });
const expiry = () => new Date(Date.now() + minutes * 60_000).toISOString();

/** A client that responds so to every request. */
const clientOf = (respond: (body: never) => unknown) =>
  ({ call: async (_: string, { body }: { body: never }) => await respond(body) }) as unknown as Client;

const api = clientOf(({ sha256 }: { sha256: string[] }) => {
  requests.push(sha256);
  return { uploads: sha256.map(urlOf), expires_at: expiry() };
});

/** Uploads the files. @returns what it said at the end */
function uploading(
  files: readonly File[],
  given: Partial<UploadOptions<File>> = {},
  sender: Partial<Sender<File>> = {},
): Promise<unknown> {
  return uploadAll<File>({
    client: api,
    params: { slug: "game", id: "r1" },
    files,
    first: undefined,
    known: new Map(),
    openSender: (signal) => senderWith(sender, signal),
    onKnown: () => {},
    onBytes: (bytes) => sent.push((sent.at(-1) ?? 0) + bytes),
    onFile: ({ path }) => done.push(path),
    patience: {
      longestMilliseconds: Number.POSITIVE_INFINITY,
      tries: 1,
      signal: stop.signal,
      onLost: () => network.push("lost"),
      onResponse: () => network.push("back"),
    },
    ...given,
  }).then(
    () => "done",
    (failure: unknown) => failure,
  );
}

/** Lets time pass in steps, because what an upload waits for is only known after the step before. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 100) await jest.advanceTimersByTimeAsync(100);
}

const urls = () => puts.map(({ url }) => url);

test.each<[string, Outcome["result"]]>([
  ["the connection is lost", lost],
  ["the store has trouble", { status: 503 }],
  ["its URL has expired", { status: 403 }],
  ["another program has the file", opened],
  ["another server has responded in place of the store", { status: 200, isConfirmed: false }],
])("if %s, the bytes of the try do not count any more, and it is repeated after a pause", async (_, result) => {
  outcomes = [{ result, moved: 6 }];
  const end = uploading([fileOf("a")]);
  await pass(100);
  expect({ puts: puts.length, sent, done }).toEqual({ puts: 1, sent: [6, 0], done: [] });
  await pass(900);
  expect(await end).toBe("done");
  expect({ puts: puts.length, sent, done, isClosed }).toEqual({
    ...{ puts: 2, sent: [6, 0, 10], done: ["a"] },
    isClosed: true,
  });
});

test("bytes that are told after the end of a try do not count", async () => {
  outcomes = [{ result: { status: 503 } }, { result: "never", moved: 3 }];
  void uploading([fileOf("a")]);
  await pass(1_000);
  late();
  expect(sent.at(-1)).toBe(3);
});

test("a network that is lost is told, and when it is back", async () => {
  outcomes = Array(20).fill({ result: lost, moved: 0 });
  const end = uploading([fileOf("a")]);
  await pass(300_000);
  expect(await end).toBe("done");
  expect([...new Set(network)]).toEqual(["lost", "back"]);
});

test("what the store refuses, and what the system does not give, is not tried again, and others end", async () => {
  for (const [result, why] of [
    [{ status: 400, code: "BadDigest" }, "refused"],
    [new Error("EIO"), "EIO"],
  ] as const) {
    puts = [];
    outcomes = [{ result }, { result: "never" }];
    expect(await uploading([fileOf("a"), fileOf("b")])).toEqual(["a", why]);
    expect({ puts: puts.length, isClosed, isAborted: senderSignal.aborted }).toEqual({
      ...{ puts: 2, isClosed: true },
      isAborted: true,
    });
  }
});

test("a store that has trouble six times ends the upload", async () => {
  outcomes = Array(10).fill({ result: { status: 500 } });
  const end = uploading([fileOf("a")]);
  await pass(10_000);
  expect(await end).toEqual(["a", "trouble"]);
  // 250 ms, doubled each time, of which a quarter is left out here.
  expect(puts.map(({ at }, index) => at - (puts[index - 1]?.at ?? at))).toEqual([0, 188, 375, 750, 1_500, 3_000]);
  expect(sent.at(-1)).toBe(0);
});

test("the store's Retry-After is waited for", async () => {
  outcomes = [{ result: { status: 503, retryAfterMilliseconds: 20_000 } }];
  const end = uploading([fileOf("a")]);
  await pass(19_900);
  expect(puts).toHaveLength(1);
  await pass(200);
  expect(await end).toBe("done");
});

test("URLs are requested in batches, each while half of the one before is in use", async () => {
  outcomes = Array(6).fill({ result: "never" });
  outcomes.splice(0, 0, ...Array<Outcome>(45).fill({ result: {} }));
  const files = filesOf(101);
  void uploading(files);
  await pass(100);
  expect(puts.slice(0, 44).every(({ requested }) => requested === 1)).toBe(true);
  expect({ puts: puts.length, requests: requests.map(({ length }) => length) }).toEqual({
    ...{ puts: 51, requests: [100, 1] },
  });
  outcomes = [];
  requests = [];
  puts = [];
  expect(await uploading(files)).toBe("done");
  expect(requests).toEqual([files.slice(0, 100).map(({ path }) => path), ["100"]]);
});

test("files whose URLs came with the release are sent first, while the others' URLs are requested", async () => {
  const first = { uploads: [urlOf("c")], expires_at: expiry() };
  expect(
    await uploading(
      ["a", "b", "c"].map((path) => fileOf(path)),
      { first },
      { filesAtOnce: 1 },
    ),
  ).toBe("done");
  expect(puts.map(({ url, requested }) => `${url}, ${requested}`)).toEqual(["c-0, 1", "a-1, 1", "b-1, 1"]);
  expect(requests).toEqual([["a", "b"]]);
});

test("only the URL that the store refuses is requested again, and no other file's", async () => {
  outcomes = [{ result: {} }, { result: { status: 400, code: "ExpiredToken" } }, { result: { status: 503 } }];
  const end = uploading(["a", "b", "c"].map((path) => fileOf(path)));
  await pass(1_000);
  expect(await end).toBe("done");
  expect(requests).toEqual([["a", "b", "c"], ["b"]]);
  expect(urls().slice(3).toSorted()).toEqual(["b-2", "c-1"]);
});

test("a URL that is about to expire is not used: a batch is requested anew", async () => {
  minutes = 0.4;
  const first = { uploads: ["a", "b"].map(urlOf), expires_at: expiry() };
  minutes = 60;
  expect(
    await uploading(
      ["a", "b", "c"].map((path) => fileOf(path)),
      { first },
    ),
  ).toBe("done");
  expect(requests.flat().toSorted()).toEqual(["a", "b", "c"]);
  expect(urls().some((url) => url.endsWith("-0"))).toBe(false);
});

test("URLs that expire while files are sent are requested anew", async () => {
  minutes = 1;
  outcomes = [{ result: { status: 503, retryAfterMilliseconds: 40_000 } }];
  const end = uploading(
    ["a", "b"].map((path) => fileOf(path)),
    {},
    { filesAtOnce: 1 },
  );
  await pass(41_000);
  expect(await end).toBe("done");
  expect({ requests, urls: urls() }).toEqual({
    ...{
      requests: [
        ["a", "b"],
        ["a", "b"],
      ],
      urls: ["a-1", "a-2", "b-2"],
    },
  });
});

test("a request for URLs that fails is not repeated here, where the client has done so", async () => {
  const failing = jest.fn(() => Promise.reject(lost));
  expect(await uploading([fileOf("a")], { client: clientOf(failing) })).toEqual(["a", "No route."]);
  expect(failing).toHaveBeenCalledTimes(1);
  expect(await uploading([fileOf("a")], { client: clientOf(() => ({ uploads: [], expires_at: expiry() })) })).toEqual([
    ...["a", "no_url"],
  ]);
});

test("if the system lets no more files be open, few uploads go on with those of the others", async () => {
  const many = filesOf(40);
  outcomes = Array(40).fill({ result: crowded });
  const end = uploading(many, {}, { filesAtOnce: 20 });
  await pass(60_000);
  expect(await end).toBe("done");
  expect(done.toSorted()).toEqual(many.map(({ path }) => path).toSorted());
  // After the first pause eight are left.
  const again = puts.filter(({ at }) => at === puts[20]?.at);
  expect(again).toHaveLength(8);
});

test("if it lets none be open, the last upload says so", async () => {
  outcomes = Array(1_000).fill({ result: crowded });
  const end = uploading(filesOf(40), {}, { filesAtOnce: 20 });
  await pass(600_000);
  expect(await end).toEqual([expect.any(String), "Too many open files"]);
  expect(done).toEqual([]);
});

test.each<[string, () => Partial<UploadOptions<File>>, puts: number]>([
  ["waits for a URL", () => ({ client: clientOf(() => stopping({ uploads: [urlOf("a")], expires_at: expiry() })) }), 0],
  ["has not begun", () => ({ patience: patienceOf(AbortSignal.abort("cancelled")) }), 0],
  ["sends", () => ({ onBytes: () => stop.abort("cancelled") }), 1],
])("an upload that is cancelled while it %s sends nothing more, and ends with that alone", async (_, given, count) => {
  const end = uploading([fileOf("a")], given());
  await pass(1_000);
  expect(await end).toBe("cancelled");
  expect(puts).toHaveLength(count);
  expect(network).toEqual([]);
});

test("an upload that is cancelled while the store takes its bytes ends with that, and not with what the sender says", async () => {
  outcomes = [{ result: "never" }];
  const end = uploading([fileOf("a")]);
  await pass(100);
  stop.abort("cancelled");
  expect(await end).toBe("cancelled");
});

const patienceOf = (signal: AbortSignal) => ({
  ...{ longestMilliseconds: 0, tries: 1, signal },
  ...{ onLost: () => {}, onResponse: () => {} },
});

async function stopping<T>(value: T): Promise<T> {
  await Promise.resolve();
  stop.abort("cancelled");
  return value;
}

describe("a large file", () => {
  const size = 3.5 * part;
  const copy = (number: number) => ({ number, sha256: "old", offset: number * 1_000 });
  let bodies: { readonly parts: string[]; readonly copies?: unknown[] }[];
  let known: number[][];
  beforeEach(() => {
    [bodies, known] = [[], []];
  });

  /** The service lacks these parts, each time it is asked; none: it has the file. */
  function lacking(
    lists: readonly (readonly number[])[],
    copies: readonly ReturnType<typeof copy>[] = [],
    firstMinutes = 60,
  ) {
    const client = clientOf((body) => {
      minutes = bodies.length === 0 ? firstMinutes : 60;
      const numbers = lists[bodies.push(body) - 1] ?? [];
      const parts = numbers.map((number) => ({ number, url: `${number}-${bodies.length}`, headers: {} }));
      return { stored: numbers.length === 0, parts, expires_at: expiry() };
    });
    const onKnown = (...bytes: number[]) => known.push(bytes);
    const ofCopies: KnownParts = new Map([["w", copies]]);
    return uploading([fileOf("w", size)], { client, known: ofCopies, onKnown });
  }

  const sends = () => puts.map(({ url, range }) => [url, range.start / part, range.size / part]);
  const list = { parts: ["1", "2", "3", "4"], bytes_per_part: part };

  test("is sent by the parts that the service lacks, and then completed", async () => {
    expect(await lacking([[1, 4]])).toBe("done");
    expect(sends()).toEqual([
      ["1-1", 0, 1],
      ["4-1", 3, 0.5],
    ]);
    expect({ bodies, done, first: sent[0], last: sent.at(-1) }).toEqual({
      ...{ bodies: [list, list], done: ["w"] },
      ...{ first: 2 * part, last: size },
    });
  });

  test("that the service has is not sent", async () => {
    expect(await lacking([[]])).toBe("done");
    expect({ puts, sent, bodies }).toEqual({ puts: [], sent: [size], bodies: [list] });
  });

  test("is sent without the parts that the service copies, and these are not among what is to be sent", async () => {
    const copies = [copy(1), copy(2)];
    expect(await lacking([[2, 3, 4]], copies)).toBe("done");
    expect(sends().map(([url]) => url)).toEqual(["2-1", "3-1", "4-1"]);
    expect(bodies).toEqual([{ ...list, copies }, list]);
    // One of them has other bytes than the index said: it is sent beside what was counted.
    expect({ known, sent: sent.at(-1) }).toEqual({ known: [[part, 2 * part]], sent: 2.5 * part });
  });

  test("is copied with 32 parts a request, until none is missing", async () => {
    const copies = Array.from({ length: 70 }, (_, index) => copy(index + 1));
    expect(await lacking([[3], [3], [3]], copies)).toBe("done");
    expect(bodies.map((body) => body.copies?.length)).toEqual([32, 32, 6, undefined]);
    [puts, bodies] = [[], []];
    expect(await lacking([[3], []], copies)).toBe("done");
    expect({ asked: bodies.length, puts }).toEqual({ asked: 2, puts: [] });
  });

  test("has another URL for a part whose own has expired, unless that part is stored", async () => {
    outcomes = [{ result: { status: 403 } }, { result: {} }];
    const end = lacking([[2, 4], [2]]);
    await pass(1_000);
    expect(await end).toBe("done");
    expect(urls()).toEqual(["2-1", "4-1", "2-2"]);
    [puts, sent, bodies, outcomes] = [[], [], [], [{ result: { status: 403 }, moved: 0 }]];
    const other = lacking([[2], []]);
    await pass(1_000);
    expect(await other).toBe("done");
    expect({ urls: urls(), sent: sent.at(-1) }).toEqual({ urls: ["2-1"], sent: size });
  });

  test("uses no URL of a part that is about to expire", async () => {
    expect(await lacking([[2], [2]], [], 0.4)).toBe("done");
    expect(urls()).toEqual(["2-2"]);
  });

  test("of which the service lacks a part once more gets that part again, twice at most", async () => {
    expect(await lacking([[1, 3], [3]])).toBe("done");
    expect(urls()).toEqual(["1-1", "3-1", "3-2"]);
    [puts, bodies] = [[], []];
    expect(await lacking([[1], [1], [1], [1]])).toEqual(["w", "incomplete"]);
    expect(urls()).toEqual(["1-1", "1-2", "1-3"]);
  });
});
