import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createSender } from "../../../cli/src/publish/sender.ts";
import {
  abortUpload,
  beginUpload,
  completeUpload,
  copyObject,
  copyPart,
  findUploads,
  storedParts,
} from "../../../functions/files/multipart.ts";
import { partUrl } from "../../../functions/files/store.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { sha256 } from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";

/*
 * The requests of an upload in parts beside those of the AWS SDK, which is made from S3's own description of its API: method, path,
 * parameters, headers and body. The server responds as the API Reference of S3 shows, and both must read the same of it.
 */
const bucket = "svc-files";
const key = `projects/star-hopper/files/${sha256("world")}`;
const uploadId = "VXBsb2FkSWQ";
const pieces = ["the first part", "the second"] as const;
const parts = pieces.map((piece, index) => ({
  number: index + 1,
  size: piece.length,
  sha256: sha256(piece),
  checksum: Buffer.from(sha256(piece), "hex").toString("base64"),
  etag: `"${index}8a0000000000000000000000000000e"`,
}));

/** The parts that tell one request from another: not how it is signed, sent and counted. */
interface Request {
  readonly method: string | undefined;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const requests: Request[] = [];
const store = duringTests(() =>
  startHttpServer(async (request, response) => {
    requests.push(await told(request));
    respond(requests.at(-1) as Request, response);
  }),
);

async function told(request: IncomingMessage): Promise<Request> {
  const { method, headers, url = "" } = request;
  const body = (await buffer(request)).toString();
  const { pathname, searchParams } = new URL(url, "http://store");
  const query = [...searchParams].filter(([name]) => !/^(X-Amz-|x-id$)/.test(name));
  const ofTransport = /^(host|connection|date|authorization|user-agent|accept.*|expect|content-type|content-length)$/;
  const ofSigning = /^(amz-sdk-.*|x-amz-(date|content-sha256|user-agent|security-token))$/;
  const own = Object.entries(headers).filter(([name]) => !ofTransport.test(name) && !ofSigning.test(name));
  return {
    method,
    // A bucket by its path has a slash at its end, or none.
    path: pathname.replace(/\/$/, ""),
    query: Object.fromEntries(query),
    headers: Object.fromEntries(own),
    body: plain(body),
  };
}

/** A completion lists the same elements in any order; `<?xml …?>` and the escapes of quotation marks say nothing. */
function plain(body: string): string {
  return body
    .replace(/^<\?xml[^>]*>/, "")
    .replaceAll("&quot;", '"')
    .replace(
      /<Part>(.*?)<\/Part>/g,
      (_, part: string) =>
        `<Part>${part
          .match(/<(\w+)>.*?<\/\1>/g)
          ?.toSorted()
          .join("")}</Part>`,
    );
}

/** The examples of the API Reference, with what is asked for here. */
function respond({ method, query, headers }: Request, response: ServerResponse): void {
  const is = (name: string) => name in query;
  const xml = (content: string) =>
    response.setHeader("content-type", "application/xml").end(`<?xml version="1.0" encoding="UTF-8"?>\n${content}`);
  const s3 = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  const named = `<Bucket>${bucket}</Bucket><Key>${key}</Key>`;
  if (method === "DELETE") response.writeHead(abortStatuses[query["uploadId"] ?? ""] ?? 204).end();
  else if (String(headers["x-amz-copy-source"]).endsWith("/deleted"))
    response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
  else if (method === "PUT" && query["uploadId"] === "fails late")
    xml("<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>");
  else if (method === "PUT" && "x-amz-copy-source" in headers)
    xml(`<CopyPartResult ${s3}><ETag>${parts[0]?.etag}</ETag></CopyPartResult>`);
  else if (method === "PUT") response.setHeader("etag", parts[0]?.etag ?? "").end();
  else if (method === "POST" && is("uploads"))
    xml(
      `<InitiateMultipartUploadResult ${s3}>${named}<UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
    );
  else if (method === "POST")
    xml(`<CompleteMultipartUploadResult ${s3}>${named}<ETag>&quot;1-2&quot;</ETag></CompleteMultipartUploadResult>`);
  else if (is("uploads"))
    xml(`<ListMultipartUploadsResult ${s3}><Bucket>${bucket}</Bucket><Prefix>${key}</Prefix><MaxUploads>1000</MaxUploads>
      <IsTruncated>false</IsTruncated>${begun.map(beganAt).join("\n")}</ListMultipartUploadsResult>`);
  else
    xml(`<ListPartsResult ${s3}>${named}<UploadId>${uploadId}</UploadId><StorageClass>STANDARD</StorageClass>
      <IsTruncated>false</IsTruncated><ChecksumAlgorithm>SHA256</ChecksumAlgorithm><ChecksumType>COMPOSITE</ChecksumType>
      ${parts.map(storedPart).join("\n")}</ListPartsResult>`);
}

const abortStatuses: Readonly<Record<string, number>> = { gone: 404, denied: 403 };

/** Uploads in the order of S3: by key, then by the time at which they began. */
const begun = [
  { key, id: uploadId, at: "2026-11-10T20:48:33.000Z" },
  { key, id: "later", at: "2026-11-10T20:48:34.000Z" },
  { key: `${key}x`, id: "another", at: "2026-11-01T00:00:00.000Z" },
];

function beganAt({ key: name, id, at }: (typeof begun)[number]): string {
  const person = "<ID>arn:aws:iam::111122223333:role/x</ID><DisplayName>x</DisplayName>";
  return `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiator>${person}</Initiator><Owner>${person}</Owner>
    <StorageClass>STANDARD</StorageClass><Initiated>${at}</Initiated><ChecksumAlgorithm>SHA256</ChecksumAlgorithm></Upload>`;
}

function storedPart({ number, size, checksum, etag }: (typeof parts)[number]): string {
  return `<Part><PartNumber>${number}</PartNumber><LastModified>2026-11-10T20:48:34.000Z</LastModified>
    <ETag>${etag.replaceAll('"', "&quot;")}</ETag><Size>${size}</Size><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`;
}

let sdk: S3Client;
beforeAll(() => {
  const credentials = { ...dummyCredentials };
  Object.assign(process.env, {
    S3_ENDPOINT: store.endpoint,
    BUCKET_NAME: bucket,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  sdk = new S3Client({ endpoint: store.endpoint, forcePathStyle: true, region: "eu-central-1", credentials });
});
beforeEach(() => {
  requests.length = 0;
});

/** Our request, and the SDK's; and what came of each. */
async function both<Ours, Theirs>(ours: () => Promise<Ours>, theirs: () => Promise<Theirs>) {
  const results = { ours: await ours(), theirs: await theirs() };
  expect(requests).toHaveLength(2);
  return { ...results, own: requests[0], documented: requests[1] };
}

const named = { Bucket: bucket, Key: key };

test("an upload begins with SHA-256 checksums, as CreateMultipartUpload with ChecksumAlgorithm", async () => {
  const command = new CreateMultipartUploadCommand({ ...named, ChecksumAlgorithm: "SHA256" });
  const { own, documented } = await both(
    () => beginUpload(key),
    () => sdk.send(command),
  );
  expect(own).toEqual(documented);
  expect(own?.headers).toEqual({ "x-amz-checksum-algorithm": "SHA256" });
});

test("unfinished uploads are found as by ListMultipartUploads, those of this object alone", async () => {
  const { own, documented, ours, theirs } = await both(
    () => findUploads(key),
    () => sdk.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key })),
  );
  expect(own).toEqual(documented);
  expect(ours).toEqual(theirs.Uploads?.filter(({ Key }) => Key === key).map(({ UploadId }) => UploadId));
});

test("the parts that are stored are listed as by ListParts, with the same checksums", async () => {
  const { own, documented, ours, theirs } = await both(
    () => storedParts(key, uploadId),
    () => sdk.send(new ListPartsCommand({ ...named, UploadId: uploadId })),
  );
  expect(own).toEqual(documented);
  expect(
    theirs.Parts?.map(({ PartNumber: number, Size: size, ChecksumSHA256 = "", ETag = "" }) => ({
      ...{ number, size, sha256: Buffer.from(ChecksumSHA256, "base64").toString("hex") },
      etag: ETag.replaceAll('"', "&quot;"),
    })),
  ).toEqual(ours);
});

test("svc sends a part as UploadPart with ChecksumSHA256", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-parts-"));
  const location = join(folder, "world.pck");
  writeFileSync(location, pieces.join(""));
  const [{ size }, part] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const options = { api: new URL("http://127.0.0.1:1"), files: [], timeoutMilliseconds: 5_000 };
  const sender = createSender(options, new AbortController().signal);
  const target = partUrl({ key, uploadId, part }, 60, new Date());
  const file = { path: "world.pck", location, size: pieces.join("").length, mtimeMs: 0, sha256: "" };
  const command = { ...named, UploadId: uploadId, PartNumber: 2, ChecksumSHA256: part.checksum, Body: pieces[1] };
  const { own, documented, ours } = await both(
    () => sender.open(file)({ start: size, size: part.size }, target, () => {}),
    () => sdk.send(new UploadPartCommand(command)),
  );
  sender.close();
  rmSync(folder, { recursive: true });
  expect(own).toEqual(documented);
  expect(own).toMatchObject({ body: pieces[1], headers: { "x-amz-checksum-sha256": part.checksum } });
  expect(ours.status).toBe(200);
});

test("a part is copied from a range of an object, as by UploadPartCopy", async () => {
  const source = `projects/star-hopper/files/${sha256("earlier world")}`;
  const command = { ...named, UploadId: uploadId, PartNumber: 2, CopySource: `/${bucket}/${source}` };
  const { own, documented } = await both(
    () => copyPart({ key, uploadId, number: 2, size: 10 }, { key: source, offset: 5 }),
    () => sdk.send(new UploadPartCopyCommand({ ...command, CopySourceRange: "bytes=5-14" })),
  );
  expect(own).toEqual(documented);
  expect(own?.headers).toMatchObject({ "x-amz-copy-source-range": "bytes=5-14" });
});

test("a copy that fails after its status was sent has failed", async () => {
  const failing = { key, uploadId: "fails late", number: 2, size: 10 };
  await expect(copyPart(failing, { key, offset: 0 })).rejects.toMatchObject({ name: "StorageUnavailableError" });
  expect(requests).toHaveLength(2);
});

test("an upload is completed once and from these parts alone, as CompleteMultipartUpload with IfNoneMatch", async () => {
  const listed = await storedParts(key, uploadId);
  requests.length = 0;
  const Parts = parts.map(({ number, etag, checksum }) => ({
    PartNumber: number,
    ETag: etag,
    ChecksumSHA256: checksum,
  }));
  const command = { ...named, UploadId: uploadId, IfNoneMatch: "*", MultipartUpload: { Parts } };
  const { own, documented } = await both(
    () => completeUpload(key, uploadId, listed),
    () => sdk.send(new CompleteMultipartUploadCommand(command)),
  );
  expect(own).toEqual(documented);
  expect(own?.headers).toEqual({ "if-none-match": "*" });
  expect(own?.body).toContain(`<ChecksumSHA256>${parts[1]?.checksum}</ChecksumSHA256>`);
});

test("an upload is ended as by AbortMultipartUpload", async () => {
  const { own, documented } = await both(
    () => abortUpload(key, uploadId),
    () => sdk.send(new AbortMultipartUploadCommand({ ...named, UploadId: uploadId })),
  );
  expect(own).toEqual(documented);
  expect(own).toMatchObject({ method: "DELETE", query: { uploadId } });
});

test("an upload that is gone has ended, and every other refusal is thrown", async () => {
  await abortUpload(key, "gone");
  await expect(abortUpload(key, "denied")).rejects.toMatchObject({ name: "StoreRefusal", status: 403 });
});

test("a large object that cannot be copied leaves no unfinished upload", async () => {
  const failing = copyObject("projects/star-hopper/deleted", { key, size: 20 * 1_048_576 });
  await expect(failing).rejects.toMatchObject({ name: "StoreRefusal", status: 404 });
  expect(requests.filter(({ method }) => method === "DELETE")).toEqual([
    expect.objectContaining({ query: { uploadId } }),
  ]);
});
