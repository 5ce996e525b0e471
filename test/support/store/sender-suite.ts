import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { beforeEach, expect, test } from "@jest/globals";
import { meaningOf, type PutResponse } from "../../../contract/api/releases/store-response.ts";
import { startHttpServer } from "../network/http-server.ts";
import { duringTests } from "../service/suite.ts";

/*
 * What every sender of files must do with a store (publisher/ports.ts): in Node, and in a browser, for which the store is another origin.
 */

/** One PUT of a range of a file whose bytes are {@link fileBytes}. */
export interface GivenPut {
  readonly size: number;
  readonly range: { readonly start: number; readonly size: number };
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A connection on which nothing moves for so long is given up. */
  readonly stalledMilliseconds: number;
  /** Whether the bytes are in memory, as a pack is. */
  readonly isInMemory?: boolean;
  /** Ends the signal after so long. */
  readonly abortAfterMilliseconds?: number;
}

export interface PutResult {
  /** Undefined: it was rejected. */
  readonly response?: PutResponse;
  readonly rejection?: { readonly name: string; readonly isTransient?: boolean };
  /** How many bytes were said to be sent, each time. */
  readonly sent: readonly number[];
}

/** The bytes of a file of this size; no two neighbours of 256 are the same, so that a wrong range is noticed. */
export function fileBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index += 1) bytes[index] = index * 7 + (index >> 8);
  return bytes;
}

interface SeenPut {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const readAll = (request: IncomingMessage) => buffer(request).catch(() => Buffer.alloc(0));

/** Registers the tests of one implementation. */
export function testSender(put: (given: GivenPut) => Promise<PutResult>): void {
  let seen: SeenPut[];
  let respond: (response: ServerResponse, request: IncomingMessage) => unknown;
  beforeEach(() => {
    [seen, respond] = [[], (response) => response.end()];
  });
  const store = duringTests(() =>
    startHttpServer(async (request, response) => {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "");
      response.setHeader("access-control-allow-methods", "PUT");
      if (request.method === "OPTIONS") return response.end();
      if (request.url === "/unread") return respond(response, request);
      seen.push({ headers: request.headers, body: await readAll(request) });
      return respond(response, request);
    }),
  );
  const checksum = "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=";
  const headers = { "content-length": "1000", "if-none-match": "*", "x-amz-checksum-sha256": checksum };
  const send = (given: Partial<GivenPut> & { path?: string } = {}) => {
    const { path = "/file", size = 1_000, range = { start: 0, size } } = given;
    return put({ size, range, headers, url: store.endpoint + path, stalledMilliseconds: 10_000, ...given });
  };
  /** As the store does, whose success has the checksum. */
  const confirm = (response: ServerResponse) => response.setHeader("x-amz-checksum-sha256", checksum).end();

  test.each<[string, Pick<GivenPut, "size"> & Partial<Pick<GivenPut, "range" | "isInMemory">>]>([
    ["a whole file", { size: 1_000 }],
    ["a large one", { size: 3_000_000 }],
    ["an empty one", { size: 0 }],
    ["a pack", { size: 3_000_000, isInMemory: true }],
    ["a small part of a large file", { size: 3_000_000, range: { start: 1_500_001, size: 100 } }],
    ["a large part of it", { size: 3_000_000, range: { start: 1_500_001, size: 1_400_000 } }],
  ])("%s is sent with the headers of its URL and no other that the store checks", async (_, { range, ...given }) => {
    respond = confirm;
    const { size } = given;
    const { start, size: length } = range ?? { start: 0, size };
    const { response } = await send({ ...given, ...(range && { range }) });
    expect(response && meaningOf(response)).toBe("stored");
    expect(seen[0]?.body.equals(fileBytes(size).subarray(start, start + length))).toBe(true);
    expect(seen[0]?.headers).toMatchObject({
      "content-length": String(length),
      "if-none-match": "*",
      "x-amz-checksum-sha256": checksum,
    });
    expect(seen[0]?.headers).not.toHaveProperty("content-type");
  });

  test("what is sent of a large range is told while it is sent, and all of it at the end", async () => {
    respond = confirm;
    const range = { start: 100, size: 2_900_000 };
    for (const given of [{ range }, { range: { start: 0, size: 3_000_000 }, isInMemory: true }]) {
      const { sent } = await send({ size: 3_000_000, ...given });
      expect(sent.at(-1)).toBe(given.range.size);
      expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    }
  });

  test.each<[status: number, code: string | undefined, meaning: string]>([
    [412, "PreconditionFailed", "stored"],
    [403, "AccessDenied", "expired"],
    [400, "ExpiredToken", "expired"],
    [404, "NoSuchUpload", "expired"],
    [503, "SlowDown", "trouble"],
    [400, "BadDigest", "refused"],
    [400, undefined, "refused"],
  ])("a response with %d and %p is %s", async (status, code, meaning) => {
    respond = (response) => response.writeHead(status).end(code && `<Error><Code>${code}</Code></Error>`);
    const { response } = await send();
    expect(response).toMatchObject({ status, code });
    expect(response && meaningOf(response)).toBe(meaning);
  });

  test("a refusal before all bytes are sent is that refusal, or a lost connection, and no success", async () => {
    respond = (response) => response.writeHead(400).end("<Code>BadDigest</Code>");
    const { response, rejection } = await send({ path: "/unread", size: 30_000_000 });
    if (response) expect(meaningOf(response)).toBe("refused");
    else expect(rejection).toEqual({ name: "NetworkError", isTransient: true });
  });

  test.each<[string, Partial<GivenPut> & { path?: string }, typeof respond]>([
    ["breaks before its response", {}, (_, request) => request.socket.destroy()],
    ["breaks while bytes are sent", { path: "/unread", size: 30_000_000 }, (_, request) => request.socket.destroy()],
    ["breaks during its response", {}, (response) => cut(response)],
    ["is silent", { stalledMilliseconds: 300 }, () => {}],
    ["takes no bytes", { path: "/unread", size: 30_000_000, stalledMilliseconds: 300 }, () => {}],
  ])("a connection that %s is a failure of the network, which can be tried again", async (_, given, behaviour) => {
    respond = behaviour;
    const { response, rejection } = await send(given);
    expect(response).toBeUndefined();
    expect(rejection).toEqual({ name: "NetworkError", isTransient: true });
  });

  test("nothing listens: the same", async () => {
    const gone = await startHttpServer(() => {});
    await gone.stop();
    const { rejection } = await send({ url: `${gone.endpoint}/file` });
    expect(rejection?.name).toBe("NetworkError");
  });

  test("the signal ends the request", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<unknown>();
    respond = (_, request) => resolve(once(request.socket, "close"));
    const { response, rejection } = await send({ abortAfterMilliseconds: 300 });
    expect(response).toBeUndefined();
    expect(rejection).toBeDefined();
    await closed;
  });
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100" }).write("begun");
  setTimeout(() => response.destroy(), 100);
}
