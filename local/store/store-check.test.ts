import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { presignedUrl } from "../../functions/files/presigned-url.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import { useServers } from "../../test/support/service/suite.ts";
import { dummyCredentials } from "../credentials.ts";
import { startObjectStore } from "./object-store.ts";
import { checkStore } from "./store-check.ts";

const start = useServers();
const { AWS_REGION: region } = process.env;

beforeEach(() => {
  process.env["AWS_REGION"] = "eu-central-1";
});
afterEach(() => {
  if (region === undefined) delete process.env["AWS_REGION"];
  else process.env["AWS_REGION"] = region;
});

const check = (endpoint: string) => checkStore({ endpoint, bucketName: "bucket", credentials: dummyCredentials });

/** The checks that a store may make of an upload. */
const rules = {
  signature: (request: IncomingMessage, origin: string) => (isSignedByUs(request, origin) ? 200 : 403),
  checksum: (request: IncomingMessage, _: string, body: Buffer) =>
    createHash("sha256").update(body).digest("base64") === request.headers["x-amz-checksum-sha256"] ? 200 : 400,
};

/** Whether our own signature of the same request is equal. */
function isSignedByUs({ url = "", headers }: IncomingMessage, origin: string): boolean {
  const { pathname, searchParams } = new URL(url, origin);
  const [, year, month, day, hour, minute, second] =
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(searchParams.get("X-Amz-Date") ?? "") ?? [];
  const signedNames = ["content-length", "if-none-match", "x-amz-checksum-sha256"];
  const signed = Object.fromEntries(signedNames.map((name) => [name, String(headers[name])]));
  const request = { method: "PUT", origin, path: pathname, headers: signed, expiresInSeconds: 60 } as const;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const expected = presignedUrl(request, { ...dummyCredentials, region: "eu-central-1" }, time);
  return new URL(expected).searchParams.get("X-Amz-Signature") === searchParams.get("X-Amz-Signature");
}

/** A store that makes only these checks. */
async function storeThatChecks(names: readonly (keyof typeof rules | "existence")[]): Promise<string> {
  const taken = new Set<string>();
  const listener: RequestListener = async (request, response) => {
    const body = await buffer(request);
    const path = new URL(request.url ?? "", endpoint).pathname;
    const refusal = names
      .map((name) => (name === "existence" ? (taken.has(path) ? 412 : 200) : rules[name](request, endpoint, body)))
      .find((status) => status !== 200);
    if (refusal === undefined) taken.add(path);
    response.writeHead(refusal ?? 200).end();
  };
  const { endpoint } = await start(startHttpServer(listener));
  return endpoint;
}

test("the embedded store passes, each time that it is checked", async () => {
  const store = await start(startObjectStore("bucket", undefined));
  await check(store.endpoint);
  await check(store.endpoint);
});

test("a store that checks signature, checksum and existence passes", async () => {
  await check(await storeThatChecks(["signature", "checksum", "existence"]));
});

test.each([
  ["does not check x-amz-checksum-sha256", ["signature", "existence"]],
  ["does not check signatures", ["checksum", "existence"]],
  ["overwrites objects in spite of If-None-Match: *", ["signature", "checksum"]],
] as const)("a store that %s is refused, and the sentence says so", async (what, names) => {
  const endpoint = await storeThatChecks(names);
  await expect(check(endpoint)).rejects.toThrow(`The store at ${endpoint} ${what}`);
});

test("a store that refuses everything, or does not respond, does not pass", async () => {
  const store = await startObjectStore("another-bucket", undefined);
  await expect(check(store.endpoint)).rejects.toThrow("refuses a right upload (it responded with 404)");
  await store.stop();
  await expect(check(store.endpoint)).rejects.toThrow(`No store runs at ${store.endpoint}.`);
});
