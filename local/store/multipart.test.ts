import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
  type UploadPartCopyCommandInput,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { presignedUrl, type SignedRequest } from "../../functions/files/presigned-url.ts";
import { dummyCredentials } from "../credentials.ts";
import type { Part } from "../part.ts";
import { startObjectStore } from "./object-store.ts";

/* Uploads in parts that S3 refuses, by the error that it documents: the store of this machine must refuse them too. */

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

test("a part with other bytes, and one of an unknown upload, are refused", async () => {
  expect((await sendPart(1, "a", { checksum: sha256("b") })).code).toBe("BadDigest");
  expect((await sendPart(1, "a", { id: randomUUID() })).code).toBe("NoSuchUpload");
  expect((await send("GET", { uploadId })).text).not.toContain("<Part>");
});

test("a completion with a part that is missing or has other bytes, without one that is stored, or without any, is refused", async () => {
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

test("a completion that could overwrite is refused, and so is a second one", async () => {
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

describe("a part that is copied from an object", () => {
  const mebibyte = 1024 * 1024;
  const bytes = randomBytes(6 * mebibyte);
  const source = "a game/level 1.bin";
  const digest = (content: Uint8Array) => createHash("sha256").update(content).digest("base64");
  let s3: S3Client;
  let etag: string | undefined;
  let target: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined };

  const put = async (Key: string, Body: Uint8Array) =>
    (await s3.send(new PutObjectCommand({ Bucket: "bucket", Key, Body, IfNoneMatch: "*" }))).ETag;

  beforeAll(async () => {
    const { endpoint } = store;
    const place = { endpoint, region: "eu-central-1", forcePathStyle: true, maxAttempts: 1 };
    s3 = new S3Client({ ...place, credentials: dummyCredentials });
    etag = await put(source, bytes);
    await put("small", bytes.subarray(0, 5 * mebibyte));
  });
  afterAll(() => s3?.destroy());

  beforeEach(async () => {
    const place = { Bucket: "bucket", Key: randomUUID() };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...place, ChecksumAlgorithm: "SHA256" }));
    target = { ...place, UploadId };
  });

  const copy = async (PartNumber: number, input: Partial<UploadPartCopyCommandInput> = {}) => {
    const CopySource = encodeURI(`bucket/${source}`);
    const command = new UploadPartCopyCommand({ ...target, PartNumber, CopySource, ...input });
    return { PartNumber, ...(await s3.send(command)).CopyPartResult };
  };

  test("is the range of it, and becomes the object with a part that is sent", async () => {
    const copied = await copy(1, { CopySourceRange: "bytes=1000-5243879", CopySourceIfMatch: etag });
    const range = bytes.subarray(1_000, 5_243_880);
    expect(copied).toMatchObject({
      ETag: expect.stringMatching(/^".+"$/),
      LastModified: expect.any(Date),
      ChecksumSHA256: digest(range),
    });
    const Body = Buffer.from("the end");
    const sent = await s3.send(new UploadPartCommand({ ...target, PartNumber: 2, Body, ChecksumSHA256: digest(Body) }));
    const Parts = [copied, { PartNumber: 2, ETag: sent.ETag, ChecksumSHA256: digest(Body) }].map(
      ({ PartNumber, ETag, ChecksumSHA256 }) => ({ PartNumber, ETag, ChecksumSHA256 }),
    );
    await s3.send(new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts }, IfNoneMatch: "*" }));
    const { Body: stored } = await s3.send(new GetObjectCommand({ Bucket: target.Bucket, Key: target.Key }));
    const content = Buffer.from((await stored?.transformToByteArray()) ?? []);
    expect(content.equals(Buffer.concat([range, Body]))).toBe(true);
  });

  test.each<[string, Partial<UploadPartCopyCommandInput>, Uint8Array]>([
    ["all of it without a range", {}, bytes],
    ["all of it by its range", { CopySourceRange: `bytes=0-${bytes.length - 1}` }, bytes],
    ["its last byte", { CopySourceRange: `bytes=${bytes.length - 1}-${bytes.length - 1}` }, bytes.subarray(-1)],
    ["of a source with a slash before it", { CopySource: `/bucket/${encodeURIComponent(source)}` }, bytes],
    ["all of a small object", { CopySource: "bucket/small" }, bytes.subarray(0, 5 * mebibyte)],
  ])("is %s", async (_, input, content) => {
    expect(await copy(1, input)).toMatchObject({ ChecksumSHA256: digest(content) });
  });

  test.each<[string, Partial<UploadPartCopyCommandInput>, { name: string; status: number }]>([
    ["another ETag", { CopySourceIfMatch: '"another"' }, { name: "PreconditionFailed", status: 412 }],
    ["an object that does not exist", { CopySource: "bucket/none" }, { name: "NoSuchKey", status: 404 }],
    ["another bucket", { CopySource: "other/small" }, { name: "NoSuchBucket", status: 404 }],
    [
      "a range that ends behind it",
      { CopySourceRange: `bytes=0-${bytes.length}` },
      { name: "InvalidArgument", status: 400 },
    ],
    ["a range without an end", { CopySourceRange: "bytes=0-" }, { name: "InvalidArgument", status: 400 }],
    ["a range that ends before it begins", { CopySourceRange: "bytes=2-1" }, { name: "InvalidArgument", status: 400 }],
    ["several ranges", { CopySourceRange: "bytes=0-0,2-2" }, { name: "InvalidArgument", status: 400 }],
    [
      "a range of an object of 5 MiB",
      { CopySource: "bucket/small", CopySourceRange: "bytes=0-0" },
      { name: "InvalidRequest", status: 400 },
    ],
    ["a version", { CopySource: "bucket/small?versionId=1" }, { name: "NotImplemented", status: 501 }],
    ["another condition", { CopySourceIfNoneMatch: '"x"' }, { name: "NotImplemented", status: 501 }],
    ["an upload that is not begun", { UploadId: randomUUID() }, { name: "NoSuchUpload", status: 404 }],
    ["the number 0", { PartNumber: 0 }, { name: "InvalidArgument", status: 400 }],
  ])("is refused for %s, and nothing is stored", async (_, input, { name, status }) => {
    await expect(copy(1, input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: status } });
    ({ Key: key = "", UploadId: uploadId = "" } = target);
    expect((await send("GET", { uploadId })).text).not.toContain("<Part>");
  });

  test("is none without an upload: an object is not copied", async () => {
    const path = { "x-amz-copy-source": "/bucket/small", "if-none-match": "*" };
    expect((await send("PUT", {}, path)).code).toBe("NotImplemented");
    expect((await send("GET", {})).code).toBe("NoSuchKey");
  });
});

test("a part that is sent again takes the place of the one before", async () => {
  await sendPart(1, "a");
  await sendPart(1, "b");
  expect((await send("GET", { uploadId })).text.match(/<Part>/g)).toHaveLength(1);
  expect((await complete([[1, "b"]])).status).toBe(200);
  expect((await send("GET", {})).text).toBe("b");
});
