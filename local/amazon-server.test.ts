import { request } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startAmazonServer } from "./amazon-server.ts";
import type { Part } from "./part.ts";

/* The ports of the key-value store and of Athena: any process of the machine can find them, and so can a web page. */
let server: Part;
let served = 0;
beforeAll(async () => {
  server = await startAmazonServer(async () => {
    served += 1;
    return { body: {} };
  });
});
afterAll(() => server.stop());

async function send(headers: Record<string, string>, method: string) {
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    request(server.endpoint, { method, headers, agent: false }, resolve).on("error", reject).end();
  });
  return { status: response.statusCode, headers: response.headers, body: await json(response) };
}

test.each([
  { host: "evil.example" },
  { host: "evil.example:8787" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "http://game.localhost:8787" },
  { origin: "http://localhost:8787" },
])("a request of a web page, with %j, does nothing, and no page reads the response", async (headers) => {
  const before = served;
  for (const method of ["GET", "POST", "OPTIONS"]) {
    const response = await send(headers, method);
    expect(response).toMatchObject({
      status: 403,
      body: { Message: expect.stringMatching(/^The (Host|Origin) header/) },
    });
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
  expect(served).toBe(before);
});

test("a request of the service is answered", async () => {
  expect(await send({}, "POST")).toMatchObject({ status: 200, body: {} });
});
