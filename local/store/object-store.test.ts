import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { fileKey, filesPrefix } from "../../functions/files/object-keys.ts";
import { presignedUrl, type SignedRequest } from "../../functions/files/presigned-url.ts";
import { entries, holdFiles } from "../../test/support/table/held-files.ts";
import { dummyCredentials } from "../credentials.ts";
import type { Part } from "../part.ts";
import { startObjectStore } from "./object-store.ts";

let store: Part;
let folder: string;
let s3: S3Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-store-"));
  store = await startObjectStore("bucket", folder);
  const { endpoint } = store;
  s3 = new S3Client({
    endpoint,
    region: "eu-central-1",
    forcePathStyle: true,
    credentials: dummyCredentials,
    maxAttempts: 1,
  });
});
afterAll(async () => {
  await store?.stop();
  await rm(folder, { recursive: true });
});

const bytes = Buffer.from("a game");
const signer = { ...dummyCredentials, region: "eu-central-1" };

function checksum(content: Buffer): string {
  return createHash("sha256").update(content).digest("base64");
}

function signedUrl(key: string, signed: Partial<SignedRequest>, at = new Date()): string {
  const place = { method: "GET", origin: store.endpoint, path: `/bucket/${key}`, expiresInSeconds: 60 } as const;
  return presignedUrl({ ...place, ...signed }, signer, at);
}

const onlyCreate = { "if-none-match": "*" };

/** An upload URL for this content, and the headers that it signs. */
function upload(content: Buffer, at?: Date) {
  const key = randomUUID();
  const headers = {
    "content-length": String(content.length),
    ...onlyCreate,
    "x-amz-checksum-sha256": checksum(content),
  };
  return { key, headers, url: signedUrl(key, { method: "PUT", headers }, at) };
}

async function send(method: string, url: string, headers: Record<string, string> = {}, body?: Buffer) {
  const response = await fetch(url, { method, headers, ...(body && { body: new Uint8Array(body) }) });
  const text = await response.text();
  return { status: response.status, text, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] };
}

async function isStored(key: string): Promise<boolean> {
  return (await send("GET", signedUrl(key, {}))).status === 200;
}

test("an object that was uploaded as signed can be read", async () => {
  const { key, headers, url } = upload(bytes);
  expect((await send("PUT", url, headers, bytes)).status).toBe(200);
  expect(await send("GET", signedUrl(key, {}))).toMatchObject({ status: 200, text: "a game" });
});

describe("refuses, and stores nothing of,", () => {
  test("other bytes of the same length: 400 BadDigest", async () => {
    const { key, headers, url } = upload(bytes);
    expect(await send("PUT", url, headers, Buffer.from("a gamE"))).toMatchObject({ status: 400, code: "BadDigest" });
    expect(await isStored(key)).toBe(false);
  });

  test("other bytes if the checksum is in the URL instead of a header", async () => {
    const key = randomUUID();
    const url = signedUrl(key, { method: "PUT", query: { "x-amz-checksum-sha256": checksum(bytes) } });
    expect((await send("PUT", url, onlyCreate, Buffer.from("a gamE"))).code).toBe("BadDigest");
    expect(await isStored(key)).toBe(false);
    expect((await send("PUT", url, onlyCreate, bytes)).status).toBe(200);
  });

  test("an object that exists, which does not change", async () => {
    const { key, headers, url } = upload(bytes);
    await send("PUT", url, headers, bytes);
    expect((await send("PUT", url, headers, Buffer.from("a gamE"))).status).toBe(400);
    expect(await send("PUT", url, headers, bytes)).toMatchObject({ status: 412, code: "PreconditionFailed" });
    expect((await send("GET", signedUrl(key, {}))).text).toBe("a game");
  });

  test("all but one of simultaneous uploads of one object", async () => {
    const { headers, url } = upload(bytes);
    const sent = await Promise.all(Array.from({ length: 10 }, () => send("PUT", url, headers, bytes)));
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(412)]);
  });

  test.each([
    ["without a condition", {}, { status: 403, code: "AccessDenied" }],
    ["with another condition", { "if-none-match": '"etag"' }, { status: 501, code: "NotImplemented" }],
  ])("an upload %s", async (_, headers, refusal) => {
    const key = randomUUID();
    expect(await send("PUT", signedUrl(key, { method: "PUT" }), headers, bytes)).toMatchObject(refusal);
    expect(await isStored(key)).toBe(false);
  });

  test("an upload with an x-amz- header that was not signed", async () => {
    const { key, headers, url } = upload(bytes);
    const added = { ...headers, "x-amz-storage-class": "GLACIER" };
    expect(await send("PUT", url, added, bytes)).toMatchObject({ status: 403, code: "AccessDenied" });
    expect(await isStored(key)).toBe(false);
  });

  test("a longer body", async () => {
    const { key, headers, url } = upload(bytes);
    const { "content-length": _, ...rest } = headers;
    expect(await send("PUT", url, rest, Buffer.from("a game and more"))).toMatchObject({
      status: 403,
      code: "SignatureDoesNotMatch",
    });
    expect(await isStored(key)).toBe(false);
  });

  test("a checksum that was not signed", async () => {
    const { key, headers, url } = upload(bytes);
    const other = Buffer.from("a gamE");
    const forged = { ...headers, "x-amz-checksum-sha256": checksum(other) };
    expect((await send("PUT", url, forged, other)).code).toBe("SignatureDoesNotMatch");
    expect(await isStored(key)).toBe(false);
  });

  test("an upload whose URL has expired", async () => {
    const { key, headers, url } = upload(bytes, new Date(Date.now() - 61_000));
    expect(await send("PUT", url, headers, bytes)).toMatchObject({ status: 403, code: "AccessDenied" });
    expect(await isStored(key)).toBe(false);
  });

  test("an upload that breaks off", async () => {
    const { key, headers, url } = upload(bytes);
    const broken = request(url, { method: "PUT", headers });
    broken.on("error", () => undefined);
    broken.write("a ga", () => setTimeout(() => broken.destroy(), 50));
    await new Promise((resolve) => broken.on("close", resolve));
    expect(await isStored(key)).toBe(false);
  });
});

describe("a list", () => {
  const list = async (query: Record<string, string>) => {
    const url = signedUrl("", { path: "/bucket", query: { "list-type": "2", ...query } });
    const { text } = await send("GET", url);
    return { keys: [...text.matchAll(/<Key>([^<]+)</g)].map(([, key]) => key), isTruncated: /ted>true</.test(text) };
  };
  /** Keys and common prefixes of each page, as the SDK requests them one after the other. */
  const pages = async (input: Omit<ListObjectsV2CommandInput, "Bucket">) => {
    const found = [];
    for await (const { Contents = [], CommonPrefixes = [] } of paginateListObjectsV2(
      { client: s3, ...(input.MaxKeys && { pageSize: input.MaxKeys }) },
      { Bucket: "bucket", ...input },
    ))
      found.push([...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)]);
    return found;
  };
  const put = async (key: string) => {
    expect((await send("PUT", signedUrl(key, { method: "PUT" }), onlyCreate, bytes)).status).toBe(200);
  };

  test("has the keys below a prefix in their order, up to the maximum", async () => {
    for (const name of ["b", "a/c", "a/b/d", "ab"]) await put(`list/${name}`);
    const all = ["list/a/b/d", "list/a/c", "list/ab", "list/b"];
    expect(await list({ prefix: "list/" })).toEqual({ keys: all, isTruncated: false });
    expect(await list({ prefix: "list/a" })).toEqual({ keys: all.slice(0, 3), isTruncated: false });
    expect(await list({ prefix: "list/a/", "max-keys": "1" })).toEqual({ keys: all.slice(0, 1), isTruncated: true });
    expect((await list({ prefix: "list/", "start-after": "list/a/c" })).keys).toEqual(all.slice(2));
    await put("list/a/b/e");
    expect((await list({ prefix: "list/" })).keys).toEqual(all.toSpliced(1, 0, "list/a/b/e"));
  });

  test("does not have a deleted key, until it is written again", async () => {
    for (const name of ["a", "b", "c"]) await put(`deleted/${name}`);
    await list({ prefix: "deleted/" });
    expect((await send("DELETE", signedUrl("deleted/b", { method: "DELETE" }))).status).toBe(204);
    expect(await isStored("deleted/b")).toBe(false);
    expect((await list({ prefix: "deleted/" })).keys).toEqual(["deleted/a", "deleted/c"]);
    expect(await list({ prefix: "deleted/", "max-keys": "2" })).toMatchObject({ isTruncated: false });
    await put("deleted/b");
    expect((await list({ prefix: "deleted/" })).keys).toEqual(["deleted/a", "deleted/b", "deleted/c"]);
  });

  test("has 1,000 keys at most, and the next page continues behind them", async () => {
    const files = entries(1_050);
    await holdFiles({ dataFolder: folder, bucketName: "bucket" }, "many", files);
    const keys = files.map(({ sha256 }) => fileKey("many", sha256)).toSorted();
    expect((await list({ prefix: filesPrefix("many"), "max-keys": "2000" })).keys).toEqual(keys.slice(0, 1_000));
    const found = await pages({ Prefix: filesPrefix("many") });
    expect(found.map(({ length }) => length)).toEqual([1_000, 50]);
    expect(found.flat()).toEqual(keys);
  });

  test("of folders has each once, also over pages, and escapes its keys", async () => {
    for (const name of ["a/1", "a/2", "a/3/4", "b%26%3Cc%3E", "c/1"]) await put(`folders/${name}`);
    const folders = { Prefix: "folders/", Delimiter: "/" };
    expect(await pages(folders)).toEqual([["folders/b&<c>", "folders/a/", "folders/c/"]]);
    const single = [["folders/a/"], ["folders/b&<c>"], ["folders/c/"]];
    expect(await pages({ ...folders, MaxKeys: 1 })).toEqual(single);
  });
});

describe("a deletion", () => {
  test("succeeds for a missing object, and keeps a folder that becomes empty", async () => {
    const key = `emptied/${randomUUID()}`;
    expect((await send("PUT", signedUrl(key, { method: "PUT" }), onlyCreate, bytes)).status).toBe(200);
    const url = signedUrl(key, { method: "DELETE" });
    expect((await send("DELETE", url)).status).toBe(204);
    expect((await send("DELETE", url)).status).toBe(204);
    expect(existsSync(join(folder, "objects/bucket/emptied"))).toBe(true);
  });

  test("is refused once its signature has expired, and the object stays", async () => {
    const { key, headers, url } = upload(bytes);
    await send("PUT", url, headers, bytes);
    const late = signedUrl(key, { method: "DELETE" }, new Date(Date.now() - 61_000));
    expect(await send("DELETE", late)).toMatchObject({ status: 403, code: "AccessDenied" });
    expect(await isStored(key)).toBe(true);
  });
});

describe("a read", () => {
  test.each([
    ["bytes=2-3", 206, "ga", "bytes 2-3/6"],
    ["bytes=0-0", 206, "a", "bytes 0-0/6"],
    ["bytes=2-", 206, "game", "bytes 2-5/6"],
    ["bytes=4-99", 206, "me", "bytes 4-5/6"],
    ["bytes=-2", 206, "me", "bytes 4-5/6"],
    ["bytes=-99", 206, "a game", "bytes 0-5/6"],
    ["bytes=3-2", 200, "a game", null],
    ["bytes=0-1,3-4", 200, "a game", null],
    ["bytes=6-", 416, undefined, null],
    ["bytes=-0", 416, undefined, null],
  ])("of %s responds with %i", async (range, status, content, contentRange) => {
    const { key, headers, url } = upload(bytes);
    await send("PUT", url, headers, bytes);
    const response = await fetch(signedUrl(key, {}), { headers: { range } });
    const text = await response.text();
    expect({ status: response.status, range: response.headers.get("content-range") }).toEqual({
      status,
      range: contentRange,
    });
    if (content === undefined) expect(text).toContain("<Code>InvalidRange</Code>");
    else expect(text).toBe(content);
  });

  test("has the headers that its URL names, a length, a time and the ETag of the upload", async () => {
    const { key, headers, url } = upload(bytes);
    const etag = (await fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) })).headers.get("etag");
    const named = signedUrl(key, { method: "HEAD", query: { "response-content-type": "text/html", "x-id": "x" } });
    const response = await fetch(named, { method: "HEAD" });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html",
      "content-length": "6",
      "last-modified": expect.stringMatching(/GMT$/),
      "accept-ranges": "bytes",
      etag,
    });
    expect(etag).toMatch(/^"[0-9a-f]+-6"$/);
  });

  test("of an empty object has no byte, and no range", async () => {
    const { key, headers, url } = upload(Buffer.alloc(0));
    expect((await send("PUT", url, headers)).status).toBe(200);
    expect(await send("GET", signedUrl(key, {}))).toMatchObject({ status: 200, text: "" });
    expect((await fetch(signedUrl(key, {}), { headers: { range: "bytes=0-0" } })).status).toBe(416);
  });
});

test("the bucket is private: a URL without a signature responds with 403", async () => {
  const { key, headers, url } = upload(bytes);
  await send("PUT", url, headers, bytes);
  expect((await send("GET", `${store.endpoint}/bucket/${key}`)).code).toBe("AccessDenied");
  expect((await send("PUT", `${store.endpoint}/bucket/${key}`, {}, bytes)).code).toBe("AccessDenied");
});

test("a store that overwrites keeps the last content, and still checks it", async () => {
  const overwriting = await startObjectStore("bucket", undefined, { ports: [], overwrites: true });
  const origin = overwriting.endpoint;
  const put = (content: Buffer, sent = content) => {
    const headers = { "x-amz-checksum-sha256": checksum(content) };
    return send("PUT", signedUrl("page", { method: "PUT", origin, headers }), headers, sent);
  };
  expect((await put(bytes)).status).toBe(200);
  expect((await put(Buffer.from("a new game"))).status).toBe(200);
  expect((await put(bytes, Buffer.from("a gamE"))).code).toBe("BadDigest");
  expect((await send("GET", signedUrl("page", { origin }))).text).toBe("a new game");
  await overwriting.stop();
});

test("only requests with an Origin get CORS headers", async () => {
  const { key, headers, url } = upload(bytes);
  await send("PUT", url, headers, bytes);
  const corsHeaders = async (init: RequestInit) => {
    const response = await fetch(signedUrl(key, {}), init);
    return [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
  };
  expect(await corsHeaders({})).toEqual([]);
  expect(await corsHeaders({ headers: { origin: "null" } })).toContain("access-control-allow-origin");
});

test("the dashboard's page may send the parts of a large file, and read what the store says of them", async () => {
  const own = await startObjectStore("bucket", undefined, { ports: [8787] });
  const origin = "http://dashboard.localhost:8787";
  const place = { method: "PUT", origin: own.endpoint, path: "/bucket/part", expiresInSeconds: 60 } as const;
  const url = presignedUrl({ ...place, query: { partNumber: "1", uploadId: randomUUID() } }, signer, new Date());
  const asked = { "access-control-request-method": "PUT", "access-control-request-headers": "x-amz-checksum-sha256" };
  const preflight = await fetch(url, { method: "OPTIONS", headers: { origin, ...asked } });
  const response = await fetch(url, { method: "PUT", headers: { origin }, body: "a part" });
  await own.stop();
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get("access-control-allow-headers")).toBe("x-amz-checksum-sha256");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.text()).toContain("NoSuchUpload");
});

test.each(["../out", "a/../../out", ".", "a/./b"])("the key %s is refused: it leads out of its folder", async (key) => {
  const signed = new URL(signedUrl("x", { method: "PUT" }));
  // As it is: fetch and URL resolve segments with dots.
  const { pathname, search } = { pathname: `/bucket/${key}`, search: new URL(presignedPath(`/bucket/${key}`)).search };
  const sent = request({
    host: signed.hostname,
    port: signed.port,
    path: pathname + search,
    method: "PUT",
    headers: onlyCreate,
  });
  sent.end(bytes);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(400);
  expect((await buffer(response)).toString()).toContain("<Code>InvalidArgument</Code>");
});

const presignedPath = (path: string) => signedUrl("", { method: "PUT", path });

describe("a request that the AWS SDK has signed in its header", () => {
  const clientWith = (changes: Partial<S3ClientConfig>) =>
    new S3Client({
      endpoint: store.endpoint,
      region: "eu-central-1",
      forcePathStyle: true,
      credentials: dummyCredentials,
      maxAttempts: 1,
      ...changes,
    });
  const put = (Key: string, client = clientWith({})) =>
    client.send(new PutObjectCommand({ Bucket: "bucket", Key, Body: "a game", IfNoneMatch: "*" }));

  test("writes an object, once", async () => {
    const key = randomUUID();
    expect((await put(key)).ETag).toMatch(/^"[0-9a-f]+-6"$/);
    await expect(put(key)).rejects.toMatchObject({ name: "PreconditionFailed" });
  });

  test.each([
    ["16 minutes ago", { systemClockOffset: -16 * 60_000 }, "RequestTimeTooSkewed"],
    ["in 16 minutes", { systemClockOffset: 16 * 60_000 }, "RequestTimeTooSkewed"],
    ["with another access key", { credentials: { ...dummyCredentials, accessKeyId: "another" } }, "InvalidAccessKeyId"],
    ["with another secret", { credentials: { ...dummyCredentials, secretAccessKey: "x" } }, "SignatureDoesNotMatch"],
  ])("%s is refused, and writes nothing", async (_, changes, name) => {
    const key = randomUUID();
    await expect(put(key, clientWith(changes))).rejects.toMatchObject({ name });
    expect(await isStored(key)).toBe(false);
  });

  test("with another body is refused, and writes nothing", async () => {
    const key = randomUUID();
    const changing = clientWith({});
    changing.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body: "a gamE" });
        return next(args);
      },
      { step: "deserialize" },
    );
    await expect(put(key, changing)).rejects.toMatchObject({ name: "XAmzContentSHA256Mismatch" });
    expect(await isStored(key)).toBe(false);
  });
});

test("a signature with other credentials is refused", async () => {
  const { key, headers, url } = upload(bytes);
  await send("PUT", url, headers, bytes);
  const place = { method: "GET", origin: store.endpoint, path: `/bucket/${key}`, expiresInSeconds: 60 } as const;
  const forged = presignedUrl(place, { ...signer, secretAccessKey: "another" }, new Date());
  expect((await send("GET", forged)).code).toBe("SignatureDoesNotMatch");
});

test("the folder of a killed service is removed by the next one, and that of a running one is not", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const abandoned = await mkdtemp(join(tmpdir(), `svc-objects-${pid}-`));
  const inUse = await mkdtemp(join(tmpdir(), `svc-objects-${process.pid}-`));
  const link = join(tmpdir(), `svc-objects-${pid}-link`);
  await symlink(inUse, link);
  await (await startObjectStore("bucket", undefined)).stop();
  expect([abandoned, inUse, link].map((path) => existsSync(path))).toEqual([false, true, true]);
  await rm(link);
  await rm(inUse, { recursive: true });
});

test("a request that the stop interrupts is written nowhere: its URL is signed", async () => {
  const stopped = await startObjectStore("bucket", undefined);
  const written = jest.spyOn(console, "error").mockReturnValue();
  const url = presignedUrl(
    {
      method: "PUT",
      origin: stopped.endpoint,
      path: "/bucket/unfinished",
      expiresInSeconds: 60,
      headers: { "content-length": "6", ...onlyCreate },
    },
    signer,
    new Date(),
  );
  const upload = request(url, { method: "PUT", headers: { "content-length": "6", ...onlyCreate } });
  const ended = new Promise((resolve) => upload.once("error", resolve));
  upload.write(bytes.subarray(0, 3));
  await new Promise((resolve) => upload.once("socket", (socket) => socket.once("connect", resolve)));
  await sleep(100);
  await stopped.stop();
  await ended;
  await sleep(50);

  expect(written.mock.calls).toEqual([]);
  written.mockRestore();
});
