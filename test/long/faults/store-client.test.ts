import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { sendToStore } from "../../../functions/files/http-client.ts";
import { StorageUnavailableError } from "../../../functions/storage-unavailable-error.ts";

let store: Server;
let url: string;
let responses: [status: number, code: string][];

beforeEach(async () => {
  store = createServer((_, response) => {
    const [status, code] = responses.shift() ?? [200, ""];
    response.writeHead(status).end(code && `<Error><Code>${code}</Code></Error>`);
  }).listen(0, "127.0.0.1");
  await once(store, "listening");
  url = `http://127.0.0.1:${(store.address() as AddressInfo).port}/key`;
});

afterEach(() => {
  store.close();
  store.closeAllConnections();
});

// S3 responds to a body that came too slowly with 400 (API Reference, "Error responses").
test.each([
  [503, "SlowDown"],
  [500, "InternalError"],
  [429, "TooManyRequests"],
  [400, "RequestTimeout"],
  [409, "ConditionalRequestConflict"],
])("a temporary failure, %i %s, is retried", async (status, code) => {
  responses = Array(3).fill([status, code]);
  await expect(sendToStore({ method: "PUT", url, body: Buffer.from("x") })).resolves.toEqual(Buffer.from(""));
  expect(responses).toEqual([]);
});

test.each([
  [400, "BadDigest"],
  [403, "AccessDenied"],
  [404, "NoSuchKey"],
  [307, "TemporaryRedirect"],
  [412, "PreconditionFailed"],
])("a refusal, %i %s, is not retried", async (status, code) => {
  responses = [
    [status, code],
    [200, ""],
  ];
  await expect(sendToStore({ method: "GET", url })).rejects.toThrow(`${status} ${code}`);
  expect(responses).toHaveLength(1);
});

test("an object that is there already, 412, counts as written", async () => {
  responses = [[412, "PreconditionFailed"]];
  await sendToStore({ method: "PUT", url, body: Buffer.from("x") });
  expect(responses).toEqual([]);
});

test("dead open connections do not use up the attempts", async () => {
  const alive = new Set<unknown>();
  store.on("connection", (socket) => alive.add(socket));
  await Promise.all(Array.from({ length: 4 }, () => sendToStore({ method: "GET", url })));
  expect(alive.size).toBe(4);
  alive.clear();
  store.prependListener("request", ({ socket }) => {
    if (!alive.has(socket)) socket.destroy();
  });
  expect(await sendToStore({ method: "GET", url })).toEqual(Buffer.from(""));
});

test("an attempt that takes too long is aborted", async () => {
  let requests = 0;
  store.removeAllListeners("request").on("request", (_, response) => {
    requests += 1;
    if (requests === 2) response.end("second");
  });
  const startedAt = performance.now();
  expect(String(await sendToStore({ method: "GET", url, attemptMilliseconds: 200 }))).toBe("second");
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
  const neverInTime = sendToStore({ method: "GET", url, attemptMilliseconds: 10 });
  await expect(neverInTime).rejects.toThrow(StorageUnavailableError);
  expect(requests).toBe(6);
});

test("all attempts finish within the 15 s of a function, of which the pauses between them take half a second", async () => {
  store.removeAllListeners("request");
  const ofSignals = AbortSignal.timeout.bind(AbortSignal);
  const timeout = jest.spyOn(AbortSignal, "timeout").mockImplementation(() => ofSignals(10));
  try {
    await expect(sendToStore({ method: "GET", url })).rejects.toThrow(StorageUnavailableError);
    const limits = timeout.mock.calls.map(([milliseconds]) => milliseconds);
    expect(limits).toHaveLength(4);
    expect(Math.min(...limits)).toBeGreaterThan(2_000);
    expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThanOrEqual(14_500);
  } finally {
    timeout.mockRestore();
  }
});
