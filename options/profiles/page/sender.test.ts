import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { Sender } from "./sender.ts";

let requests: { readonly second: number; readonly records: number; readonly keepalive: boolean }[];
let reasons: string[];
let networks: boolean[];

beforeEach(() => {
  jest.useFakeTimers();
  [requests, reasons, networks] = [[], [], []];
});
afterEach(() => {
  jest.useRealTimers();
});

/** A sender whose first requests get these responses, and all later ones are acknowledged. "lost": the network is. */
function senderWith(...responses: readonly (number | "lost")[]): Sender {
  const begun = Date.now();
  const respond = async (_: unknown, { body, keepalive = false }: RequestInit) => {
    const { first, records } = JSON.parse(String(body));
    const status = responses[requests.length] ?? 200;
    requests.push({ second: (Date.now() - begun) / 1_000, records: records.length, keepalive });
    if (status === "lost") throw new TypeError("Failed to fetch");
    const content = { received: first + records.length, detail: "Not now." };
    return { status, ok: status === 200, json: async () => content };
  };
  Object.assign(globalThis, { fetch: respond });
  const sender = new Sender({
    ...{ api: "https://api.example", grant: "tgr_1" },
    onEnd: (reason) => reasons.push(reason),
    onNetwork: (isThere) => networks.push(isThere),
  });
  sender.start();
  return sender;
}

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);
const mark = (length = 1) => ({ type: "mark", at: 0, name: "x".repeat(length) }) as const;

test.each(["lost", 429, 500, 503] as const)(
  "after %s it tries again, each time later; then as before",
  async (what) => {
    const sender = senderWith(what, what, what, what, what, 200, what);
    sender.push(mark());
    await seconds(112);
    expect(requests.map(({ second }) => second)).toEqual([0, 6, 18, 42, 72, 102, 105, 111]);
    expect(requests.map(({ records }) => records)).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
    expect(reasons).toEqual([]);
    expect(networks).toEqual([false, false, false, false, false, true, false, true]);
  },
);

test.each([400, 401, 403, 404, 409, 413, 422])("%i ends it with what the API says", async (status) => {
  const sender = senderWith(status);
  sender.push(mark());
  await seconds(60);
  sender.push(mark());
  sender.flush();
  expect(requests).toHaveLength(1);
  expect(reasons).toEqual(["Not now."]);
});

test("of what waits four million characters are kept, and as many again once they are acknowledged", async () => {
  const sender = senderWith();
  let before = 0;
  for (let round = 0; round < 2; round += 1) {
    for (let count = 0; count < 100; count += 1) sender.push(mark(50_000));
    // One fits into a request.
    await seconds(400);
    const sent = requests.reduce((sum, { records }) => sum + records, 0);
    expect(sent - before).toBe(80);
    before = sent;
  }
});

test("a page that is left sends what waits, in a request that outlives it", async () => {
  const sender = senderWith();
  await seconds(1);
  sender.push(mark());
  sender.flush();
  expect(requests).toEqual([
    { second: 0, records: 0, keepalive: false },
    { second: 1, records: 1, keepalive: true },
  ]);
});

test("each request names the page, its first record and the grant, and has no cookies", async () => {
  const sender = senderWith(200, "lost");
  const sent: [url: unknown, init: RequestInit][] = [];
  const respond = globalThis.fetch;
  Object.assign(globalThis, {
    fetch: (url: string, init: RequestInit) => {
      sent.push([url, init]);
      return respond(url, init);
    },
  });
  sender.push(mark());
  await seconds(1);
  sender.push(mark(2));
  sender.push(mark(3));
  await seconds(10);
  const bodies = sent.map(([, { body }]) => JSON.parse(String(body)));
  expect(bodies.map(({ first, records }) => [first, ...records])).toEqual([
    [0, mark()],
    [1, mark(2), mark(3)],
    [1, mark(2), mark(3)],
  ]);
  expect(new Set(bodies.map(({ page }) => page)).size).toBe(1);
  for (const [url, { method, headers, credentials }] of sent)
    expect({ url, method, headers, credentials }).toEqual({
      ...{ url: "https://api.example/telemetry", method: "POST", credentials: "omit" },
      headers: { authorization: "Bearer tgr_1", "content-type": "application/json" },
    });
});

test.each([
  ["records", 501, mark(), [500, 1]],
  // 27,500 with the rest of a record and its comma.
  ["characters", 4, mark(27_500 - '{"type":"mark","at":0,"name":""},'.length), [2, 2]],
] as const)("more %s than a request holds follow in the next one", async (_, count, record, expected) => {
  const sender = senderWith();
  for (let each = 0; each < count; each += 1) sender.push(record);
  await seconds(4);
  expect(requests.slice(0, expected.length).map(({ records }) => records)).toEqual(expected);
});

test("an API of an older version gets all records but those that it refuses", async () => {
  const sender = senderWith();
  const stored: object[] = [];
  let refusals = 0;
  const respond = async (_: unknown, { body }: RequestInit) => {
    const { first, records } = JSON.parse(String(body)) as { first: number; records: { type: string; at: number }[] };
    expect(first).toBe(stored.length);
    const errors = records.flatMap(({ type, at }, index) =>
      type === "unmeasured"
        ? [{ pointer: `/records/${index}/type` }]
        : at < 0
          ? [{ pointer: `/records/${index}/at` }]
          : [],
    );
    if (errors.length === 0) stored.push(...records);
    else refusals += 1;
    const status = errors.length > 0 ? 422 : 200;
    return { status, ok: status === 200, json: async () => ({ errors: errors.slice(0, 1), received: stored.length }) };
  };
  Object.assign(globalThis, { fetch: respond });
  const unknown = { type: "unmeasured", at: 0, duration: 1, reason: "worker" } as const;
  const wrong = { ...mark(), at: -1 };
  for (const record of [mark(1), unknown, mark(2), wrong, unknown, mark(3)]) sender.push(record);
  await seconds(1);
  sender.push(unknown);
  sender.push(mark(4));
  sender.flush();
  await seconds(0);
  expect(stored).toEqual([mark(1), mark(2), mark(3), mark(4)]);
  expect(refusals).toBe(2);
  expect(reasons).toEqual([]);
});

test("what is recorded while a request is under way is sent after it, once", async () => {
  const sent: unknown[] = [];
  const sender = senderWith();
  const respond = globalThis.fetch;
  Object.assign(globalThis, {
    fetch: async (url: string, init: RequestInit) => {
      sent.push(JSON.parse(String(init.body)).records);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return await respond(url, init);
    },
  });
  sender.push(mark(1));
  await seconds(1);
  sender.push(mark(2));
  await seconds(10);
  expect(sent.slice(0, 3)).toEqual([[mark(1)], [mark(2)], []]);
});
