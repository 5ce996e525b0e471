import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeadBucketCommand, ListObjectsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { fileKey } from "../../functions/files/object-keys.ts";
import { dummyCredentials } from "../../local/credentials.ts";
import { newProject, publish, sha256 } from "../../test/support/service/steps.ts";
import { useOwner, useService } from "../../test/support/service/suite.ts";

/*
 * Clients that were not written for this service: curl with ETags, and what people look into an S3 store with.
 */
const service = useService();
const ada = useOwner(service);
const folder = mkdtempSync(join(tmpdir(), "svc-http-clients-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program; its output, whatever its exit code is. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, HOME: folder, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  await new Promise((resolve) => child.on("close", resolve));
  return output;
}

const testWith = (program: string) => (spawnSync(program, ["--version"]).error === undefined ? test : test.skip);

testWith("curl")("curl keeps an ETag, gets nothing again, and overwrites no change of somebody else", async () => {
  const slug = await newProject(ada);
  const url = `${service.api}/projects/${slug}`;
  const etagFile = join(folder, "etag");
  const get = ["--silent", "--write-out", "%{http_code}", "--output", "/dev/null", url];
  expect(await run("curl", ["--etag-save", etagFile, ...get])).toBe("200");
  expect(await run("curl", ["--etag-compare", etagFile, ...get])).toBe("304");
  const edit = [
    ...["--request", "PATCH", "--header", `authorization: Bearer ${ada.credential}`],
    ...["--header", `if-match: ${readFileSync(etagFile, "utf8").trim()}`, "--json"],
  ];
  expect(await run("curl", [...edit, '{"name":"One"}', ...get])).toBe("200");
  expect(await run("curl", [...edit, '{"name":"Two"}', ...get])).toBe("412");
  expect(await run("curl", ["--etag-compare", etagFile, ...get])).toBe("200");
  expect((await ada.get(`/projects/${slug}`)).body.name).toBe("One");
});

testWith("curl")(
  "curl's target in absolute form, as to a proxy, and a JSON body with a byte order mark are read",
  async () => {
    const status = ["--silent", "--write-out", "%{http_code}", "--output", "/dev/null"];
    expect(await run("curl", ["--proxy", service.api, ...status, `${service.api}/health`])).toBe("200");
    expect(await run("curl", ["--proxy", service.api, ...status, "http://svc.example/health"])).toBe("403");
    const slug = await newProject(ada);
    const body = join(folder, "body.json");
    writeFileSync(body, '\ufeff{"name":"Marked"}');
    const edit = [
      ...["--request", "PATCH", "--header", `authorization: Bearer ${ada.credential}`],
      ...["--header", "content-type: application/json", "--data-binary", `@${body}`],
    ];
    expect(await run("curl", [...edit, ...status, `${service.api}/projects/${slug}`])).toBe("200");
    expect((await ada.get(`/projects/${slug}`)).body.name).toBe("Marked");
  },
);

testWith("curl")("curl, as a page of another origin, may send preconditions and read ETag and Location", async () => {
  const asks = [
    "--header",
    "access-control-request-method: PATCH",
    "--header",
    "access-control-request-headers: if-match",
  ];
  const origin = ["--silent", "--header", `origin: ${new URL(service.dashboard).origin}`];
  const preflight = await run("curl", [...origin, ...asks, "--include", "--request", "OPTIONS", `${service.api}/me`]);
  expect(preflight).toMatch(/^access-control-allow-headers: .*\bif-match,if-none-match,if-unmodified-since\r$/im);
  const page = await run("curl", [...origin, "--include", `${service.api}/health`]);
  expect(page).toMatch(/^access-control-expose-headers: .*\betag,location\b/im);
});

describe("the store of the local service is listed by", () => {
  beforeEach(() => publish(ada, ada.slug, { "index.html": "A page" }));
  const keys = () => expect.stringContaining(`projects/${ada.slug}/`);
  const env = () => ({
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
    AWS_REGION: "eu-central-1",
  });

  test("the AWS SDK, and not with another key", async () => {
    const { bucketName: Bucket, s3Endpoint: endpoint } = service;
    const client = (credentials: { accessKeyId: string; secretAccessKey: string }) =>
      new S3Client({ endpoint, region: "eu-central-1", forcePathStyle: true, credentials, maxAttempts: 1 });
    const s3 = client(dummyCredentials);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `projects/${ada.slug}/` }));
    expect(Contents.map(({ Key }) => Key)).toContainEqual(keys());
    const { Contents: ofVersion1 = [] } = await s3.send(
      new ListObjectsCommand({ Bucket, Prefix: `projects/${ada.slug}/` }),
    );
    expect(ofVersion1.map(({ Key }) => Key)).toEqual(Contents.map(({ Key }) => Key));
    const { CommonPrefixes = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: "/" }));
    expect(CommonPrefixes).toEqual([{ Prefix: "projects/" }]);
    await s3.send(new HeadBucketCommand({ Bucket }));
    const stranger = client({ ...dummyCredentials, secretAccessKey: "another" });
    await expect(stranger.send(new ListObjectsV2Command({ Bucket }))).rejects.toMatchObject({
      name: "SignatureDoesNotMatch",
    });
  });

  testWith("aws")("the AWS command line, which reads an object and copies it as a part of another", async () => {
    const aws = (...args: readonly string[]) => run("aws", ["--endpoint-url", service.s3Endpoint, ...args], env());
    expect(await aws("s3", "ls", "--recursive", `s3://${service.bucketName}/`)).toEqual(keys());
    const file = join(folder, "read.html");
    const source = `${service.bucketName}/${fileKey(ada.slug, sha256("A page"))}`;
    await aws("s3", "cp", `s3://${source}`, file);
    expect(readFileSync(file, "utf8")).toBe("A page");
    const target = ["--bucket", service.bucketName, "--key", "copied"];
    const begun = JSON.parse(
      await aws("s3api", "create-multipart-upload", ...target, "--checksum-algorithm", "SHA256"),
    );
    const part = ["--upload-id", begun.UploadId, "--part-number", "1", "--copy-source", source];
    const { CopyPartResult: copied } = JSON.parse(await aws("s3api", "upload-part-copy", ...target, ...part));
    expect(Buffer.from(copied.ChecksumSHA256, "base64").toString("hex")).toBe(sha256("A page"));
    const parts = [{ PartNumber: 1, ETag: copied.ETag, ChecksumSHA256: copied.ChecksumSHA256 }];
    const complete = [...target, "--upload-id", begun.UploadId, "--if-none-match", "*"];
    const upload = ["--multipart-upload", JSON.stringify({ Parts: parts })];
    expect(JSON.parse(await aws("s3api", "complete-multipart-upload", ...complete, ...upload)).Key).toBe("copied");
    await aws("s3", "cp", `s3://${service.bucketName}/copied`, file);
    expect(readFileSync(file, "utf8")).toBe("A page");
  });

  testWith("s3cmd")("s3cmd, which is told what an upload lacks that may not overwrite", async () => {
    const { host } = new URL(service.s3Endpoint);
    const { accessKeyId, secretAccessKey } = dummyCredentials;
    const as = [`--access_key=${accessKeyId}`, `--secret_key=${secretAccessKey}`];
    const at = ["--no-ssl", `--host=${host}`, `--host-bucket=${host}`];
    expect(await run("s3cmd", [...as, ...at, "ls", "--recursive", `s3://${service.bucketName}/`])).toEqual(keys());
    const source = `s3://${service.bucketName}/${fileKey(ada.slug, sha256("A page"))}`;
    const file = join(folder, "file.txt");
    await run("s3cmd", [...as, ...at, "get", "--force", source, file]);
    expect(readFileSync(file, "utf8")).toBe("A page");
    writeFileSync(file, "text");
    const put = await run("s3cmd", [...as, ...at, "put", file, `s3://${service.bucketName}/projects/x/file.txt`]);
    expect(put).toContain("An upload needs If-None-Match: *");
  });
});
