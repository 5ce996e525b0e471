import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyText } from "../../test/support/any-text.ts";
import { presignedUrl, type SignedRequest, type Signer } from "./presigned-url.ts";

const role: Signer = {
  accessKeyId: "ASIAEXAMPLE",
  secretAccessKey: "secret/+with=signs",
  sessionToken: "token/+with=signs",
  region: "eu-central-1",
};
const user: Signer = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret", region: "us-east-2" };
const now = new Date("2026-01-02T03:04:05.678Z");
const key = "projects/my-game/files/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const checksum = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=";

function sdk({ region, ...credentials }: Signer, endpoint?: string): S3Client {
  return new S3Client({
    region,
    credentials: { ...credentials, sessionToken: credentials.sessionToken as string },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint && { endpoint, forcePathStyle: true }),
  });
}

const places = [
  { signer: role, endpoint: undefined, origin: "https://svc-files.s3.eu-central-1.amazonaws.com", folder: "/" },
  { signer: user, endpoint: undefined, origin: "https://svc-files.s3.us-east-2.amazonaws.com", folder: "/" },
  { signer: user, endpoint: "http://127.0.0.1:9000", origin: "http://127.0.0.1:9000", folder: "/svc-files/" },
  { signer: role, endpoint: "http://localhost", origin: "http://localhost", folder: "/svc-files/" },
];

describe.each(places)("byte for byte as the SDK's presigner for $origin:", ({ signer, endpoint, origin, folder }) => {
  const client = sdk(signer, endpoint);
  const options = { expiresIn: 3_600, signingDate: now };
  const ours = (request: Omit<SignedRequest, "origin" | "expiresInSeconds">) =>
    presignedUrl({ ...request, origin, expiresInSeconds: 3_600 }, signer, now);

  test("an upload", async () => {
    const command = new PutObjectCommand({
      Bucket: "svc-files",
      Key: key,
      ContentLength: 4,
      ChecksumSHA256: checksum,
      IfNoneMatch: "*",
    });
    const unhoistableHeaders = new Set(["x-amz-checksum-sha256"]);
    const expected = await getSignedUrl(client, command, { ...options, unhoistableHeaders });
    const headers = { "content-length": "4", "if-none-match": "*", "x-amz-checksum-sha256": checksum };
    expect(ours({ method: "PUT", path: folder + key, query: { "x-id": "PutObject" }, headers })).toBe(expected);
  });

  test("a part of an upload", async () => {
    const command = new UploadPartCommand({
      Bucket: "svc-files",
      Key: key,
      UploadId: "2~a+b/c",
      PartNumber: 32,
      ContentLength: 4,
      ChecksumSHA256: checksum,
    });
    const unhoistableHeaders = new Set(["x-amz-checksum-sha256"]);
    const expected = await getSignedUrl(client, command, { ...options, unhoistableHeaders });
    const headers = { "content-length": "4", "x-amz-checksum-sha256": checksum };
    const query = { partNumber: "32", uploadId: "2~a+b/c", "x-id": "UploadPart" };
    expect(ours({ method: "PUT", path: folder + key, query, headers })).toBe(expected);
  });

  test("a download with response headers", async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ minLength: 1 }), async (disposition) => {
        const command = new GetObjectCommand({
          Bucket: "svc-files",
          Key: key,
          ResponseContentType: "text/html; charset=utf-8",
          ResponseContentDisposition: disposition,
        });
        const query = {
          "x-id": "GetObject",
          "response-content-type": "text/html; charset=utf-8",
          "response-content-disposition": disposition,
        };
        const expected = await getSignedUrl(client, command, options);
        expect(ours({ method: "GET", path: folder + key, query })).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });

  test("a list", async () => {
    const command = new ListObjectsV2Command({
      Bucket: "svc-files",
      Prefix: "projects/my-game/files/",
      StartAfter: "projects/my-game/files/a b~c(1)*",
      MaxKeys: 10,
    });
    const query = {
      "list-type": "2",
      "max-keys": "10",
      prefix: "projects/my-game/files/",
      "start-after": "projects/my-game/files/a b~c(1)*",
    };
    expect(ours({ method: "GET", path: folder, query })).toBe(await getSignedUrl(client, command, options));
  });
});

test("each signature is for its own day, secret and region, in any order of calls", async () => {
  const request = { method: "GET", origin: "https://x.test", path: "/y", expiresInSeconds: 60 } as const;
  const sign = (signer: Signer, time: Date) => new URL(presignedUrl(request, signer, time)).searchParams;
  const tomorrow = new Date(now.getTime() + 86_400_000);
  const variants: [Signer, Date][] = [
    [role, now],
    [role, tomorrow],
    [user, now],
    [{ ...user, region: "eu-west-1" }, now],
    [{ ...user, secretAccessKey: "another" }, now],
  ];
  const once = variants.map(([signer, time]) => sign(signer, time).get("X-Amz-Signature"));
  const again = variants.toReversed().map(([signer, time]) => sign(signer, time).get("X-Amz-Signature"));
  expect(again.toReversed()).toEqual(once);
  expect(new Set(once).size).toBe(variants.length);
});
