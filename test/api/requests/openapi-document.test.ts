import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import document from "../../../contract/documents/openapi.json" with { type: "json" };
import { useService } from "../../support/service/suite.ts";

const service = useService();

/** The response as it was sent: fetch would decompress it. */
async function get(headers: Record<string, string> = {}, method = "GET") {
  return await new Promise<{ status: number | undefined; headers: Record<string, unknown>; bytes: Buffer }>(
    (resolve, reject) => {
      const sent = request(`${service.api}/openapi.json`, { headers, method }, async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, bytes: await buffer(response) });
      });
      sent.on("error", reject).end();
    },
  );
}

test("the document is kept for five minutes and has an ETag, after which a client asks by it", async () => {
  const { status, headers, bytes } = await get();
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
    vary: "Accept-Encoding",
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
  expect(headers).not.toHaveProperty("content-encoding");
  const servers = [{ url: service.api, description: expect.any(String) }];
  expect(JSON.parse(bytes.toString())).toEqual({ ...document, servers });
  const again = await get({ "if-none-match": String(headers["etag"]) });
  expect(again).toMatchObject({
    status: 304,
    headers: { etag: headers["etag"], "cache-control": "public, max-age=300" },
  });
  expect(again.bytes).toHaveLength(0);
  expect((await get({ "if-none-match": '"another"' })).status).toBe(200);
});

test("a client that accepts gzip gets it, by another ETag, and a sixth of the bytes", async () => {
  const plain = await get();
  const { status, headers, bytes } = await get({ "accept-encoding": "gzip, deflate, br" });
  expect({ status, encoding: headers["content-encoding"] }).toEqual({ status: 200, encoding: "gzip" });
  expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
  expect(bytes.length).toBeLessThan(plain.bytes.length / 6);
  expect(headers["etag"]).not.toBe(plain.headers["etag"]);
  const again = { "accept-encoding": "gzip", "if-none-match": String(headers["etag"]) };
  expect((await get(again)).status).toBe(304);
  expect((await get({ ...again, "accept-encoding": "identity" })).status).toBe(200);
});

test.each(["gzip;q=0", "identity, gzip;q=0.5", "br"])(
  "Accept-Encoding: %s gets the document as it is",
  async (accepted) => {
    expect((await get({ "accept-encoding": accepted })).headers).not.toHaveProperty("content-encoding");
  },
);

test("HEAD has the headers alone", async () => {
  const { status, headers, bytes } = await get({ "accept-encoding": "gzip" }, "HEAD");
  expect({ status, encoding: headers["content-encoding"], length: bytes.length }).toEqual({
    status: 200,
    encoding: "gzip",
    length: 0,
  });
});
