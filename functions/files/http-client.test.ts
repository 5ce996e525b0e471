import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { sendToStore } from "./http-client.ts";

let store: Server;
let url: string;
let answers: [status: number, code: string][];

beforeEach(async () => {
  store = createServer((_, response) => {
    const [status, code] = answers.shift() ?? [200, ""];
    response.writeHead(status).end(code && `<Error><Code>${code}</Code></Error>`);
  }).listen(0, "127.0.0.1");
  await once(store, "listening");
  url = `http://127.0.0.1:${(store.address() as AddressInfo).port}/key`;
});

afterEach(() => {
  store.close();
  store.closeAllConnections();
});

// S3 answers a body that came too slowly with 400 (API Reference, "Error responses").
test.each([
  [503, "SlowDown"],
  [500, "InternalError"],
  [429, "TooManyRequests"],
  [400, "RequestTimeout"],
  [409, "ConditionalRequestConflict"],
])("what passes, %i %s, is tried again", async (status, code) => {
  answers = Array(3).fill([status, code]);
  expect(await sendToStore({ method: "PUT", url, body: Buffer.from("x") })).toEqual(Buffer.from(""));
  expect(answers).toEqual([]);
});

test.each([
  [400, "BadDigest"],
  [403, "AccessDenied"],
  [404, "NoSuchKey"],
  [307, "TemporaryRedirect"],
  [412, "PreconditionFailed"],
])("a refusal, %i %s, is not", async (status, code) => {
  answers = [
    [status, code],
    [200, ""],
  ];
  await expect(sendToStore({ method: "GET", url })).rejects.toThrow(`${status} ${code}`);
  expect(answers).toHaveLength(1);
});

test("an object that is there already, 412, counts as written", async () => {
  answers = [[412, "PreconditionFailed"]];
  await sendToStore({ method: "PUT", url, body: Buffer.from("x") });
  expect(answers).toEqual([]);
});
