import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { presignedUrl, type SignedRequest } from "../../functions/files/presigned-url.ts";
import { dummyCredentials } from "../credentials.ts";
import type { Part } from "../part.ts";
import { startObjectStore } from "./object-store.ts";

/* What S3 refuses of an upload in parts, by the error that it documents: the store of this machine must not take more. */

let store: Part;
let key: string;
let uploadId: string;

beforeAll(async () => {
  store = await startObjectStore("bucket", undefined);
});
afterAll(() => store?.stop());

beforeEach(async () => {
  key = randomUUID();
  const begun = await send("POST", { uploads: "" }, { "x-amz-checksum-algorithm": "SHA256" });
  uploadId = /<UploadId>(.+)<\/UploadId>/.exec(begun.text)?.[1] ?? "";
});

async function send(
  method: SignedRequest["method"],
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
  body = "",
) {
  const request = { method, origin: store.endpoint, path: `/bucket/${key}`, query, headers, expiresInSeconds: 60 };
  const url = presignedUrl(request, { ...dummyCredentials, region: "eu-central-1" }, new Date());
  const response = await fetch(url, { method, headers, ...(body !== "" && { body }) });
  const text = await response.text();
  return { status: response.status, text, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] };
}

const sha256 = (content: string) => createHash("sha256").update(content).digest("base64");

const sendPart = (partNumber: number, content: string, { checksum = sha256(content), id = uploadId } = {}) =>
  send("PUT", { partNumber: String(partNumber), uploadId: id }, { "x-amz-checksum-sha256": checksum }, content);

/** Completes the upload with these parts, by their numbers and contents. */
function complete(
  parts: readonly (readonly [number: number, content: string])[],
  headers: Readonly<Record<string, string>> = { "if-none-match": "*" },
) {
  const listed = parts.map(([number, content]) => {
    const etag = Buffer.from(sha256(content), "base64").toString("hex");
    return `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${etag}&quot;</ETag><ChecksumSHA256>${sha256(content)}</ChecksumSHA256></Part>`;
  });
  return send("POST", { uploadId }, headers, `<CompleteMultipartUpload>${listed.join("")}</CompleteMultipartUpload>`);
}

test.each([
  [0, "InvalidArgument"],
  [1, undefined],
  [10_000, undefined],
  [10_001, "InvalidArgument"],
])("a part with the number %i: %s", async (number, code) => {
  expect((await sendPart(number, "a")).code).toBe(code);
});

test("a part whose bytes are others, and one of an upload that is not begun", async () => {
  expect((await sendPart(1, "a", { checksum: sha256("b") })).code).toBe("BadDigest");
  expect((await sendPart(1, "a", { id: randomUUID() })).code).toBe("NoSuchUpload");
  expect((await send("GET", { uploadId })).text).not.toContain("<Part>");
});

test("a completion with a part that is missing, that has other bytes, without one that is stored, or without any", async () => {
  expect((await complete([])).code).toBe("InvalidPart");
  await sendPart(1, "a");
  for (const parts of [
    [[1, "b"]],
    [[2, "a"]],
    [
      [1, "a"],
      [2, "a"],
    ],
    [],
  ] as const)
    expect((await complete(parts)).code).toBe("InvalidPart");
  await sendPart(2, "b");
  expect((await complete([[1, "a"]])).code).toBe("InvalidPart");
  expect(
    (
      await complete([
        [1, "a"],
        [2, "b"],
      ])
    ).code,
  ).toBe("EntityTooSmall");
  expect((await send("GET", {})).status).toBe(404);
});

test("a completion that could overwrite, and a second one", async () => {
  await sendPart(1, "a");
  expect((await complete([[1, "a"]], {})).code).toBe("AccessDenied");
  expect((await complete([[1, "a"]])).status).toBe(200);
  expect(await send("GET", {})).toMatchObject({ status: 200, text: "a" });
  expect((await complete([[1, "a"]])).code).toBe("NoSuchUpload");
});

test("uploads are listed by the beginning of their keys", async () => {
  const own = key;
  key = "";
  const listed = async (prefix: string) => (await send("GET", { prefix, uploads: "" })).text;
  expect(await listed(own.slice(0, -1))).toContain(`<Key>${own}</Key><UploadId>${uploadId}</UploadId>`);
  expect(await listed(`${own}x`)).not.toContain("<Upload>");
});
