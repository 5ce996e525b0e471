import { describe, expect, test } from "@jest/globals";
import { perform } from "../../support/service/operations.ts";
import { manifestOf, newProject, openRelease, sha256, type UploadUrl, upload } from "../../support/service/steps.ts";
import { useService, useSharedOwner } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";
import { secondsUntil, time } from "../../support/wire-time.ts";

const service = useService();
const ada = useSharedOwner(service);

const folder = { "index.html": "<h1>", "a/player.png": "PNG", "a/copy.png": "PNG" };

describe("the response that opens a release", () => {
  const open = (extra = {}, headers = {}) => {
    const body = { files: manifestOf(folder), ...extra };
    return perform(ada, { method: "POST", path: `/projects/${ada.slug}/releases`, body, headers });
  };

  test("has the upload URLs of what is missing, the same that a request for them gets", async () => {
    const { body } = await open();
    const { uploads } = body.first_uploads;
    expect(uploads.map(({ sha256 }: UploadUrl) => sha256)).toEqual(body.missing);
    const path = `/projects/${ada.slug}/releases/${body.release.id}/uploads`;
    const asked = await ada.post(path, { sha256: body.missing });
    for (const [index, { url, headers }] of uploads.entries()) {
      const other = asked.body.uploads[index];
      expect(headers).toEqual(other.headers);
      expect(new URL(url).pathname).toBe(new URL(other.url).pathname);
    }
    expect(Math.abs(secondsUntil(body.first_uploads.expires_at) - 3_600)).toBeLessThan(10);
    const png = uploads.find((upload: UploadUrl) => upload.sha256 === sha256("PNG"));
    expect(await upload(png, "PNH")).toBe(400);
    expect(await upload(png, "PNG")).toBe(200);
  });

  test("has none for a dry run, nor if it finds an open release or repeats itself", async () => {
    const key = { "idempotency-key": '"once"' };
    expect((await open({ dry_run: true })).body.first_uploads).toBeNull();
    expect((await open({}, key)).body.first_uploads).not.toBeNull();
    expect((await open({}, key)).body).toMatchObject({ missing: [expect.anything(), expect.anything()] });
    expect((await open({}, key)).body.first_uploads).toBeNull();
    expect((await open()).body.first_uploads).toBeNull();
  });
});

describe("POST …/releases/:id/uploads", () => {
  /** The upload URL of the only file of a new release. */
  async function urlFor(bytes: string): Promise<UploadUrl> {
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ file: bytes }) });
    const path = `/projects/${ada.slug}/releases/${body.release.id}/uploads`;
    const response = await ada.post(path, { sha256: [sha256(bytes)] });
    expect(response.status).toBe(200);
    expect(Math.abs(secondsUntil(response.body.expires_at) - 3_600)).toBeLessThan(10);
    expect(response.body).toEqual({ uploads: [expect.anything()], expires_at: time });
    return response.body.uploads[0];
  }

  test("gives a URL whose signature covers the length and the SHA-256", async () => {
    const uploadUrl = await urlFor("hello");
    expect(uploadUrl).toEqual({
      sha256: sha256("hello"),
      url: expect.stringContaining(`/projects/${ada.slug}/files/${sha256("hello")}?`),
      headers: {
        "content-length": "5",
        "if-none-match": "*",
        "x-amz-checksum-sha256": Buffer.from(sha256("hello"), "hex").toString("base64"),
      },
    });
    const { searchParams } = new URL(uploadUrl.url);
    expect(searchParams.get("X-Amz-Expires")).toBe("3600");
    const signed = searchParams.get("X-Amz-SignedHeaders");
    expect(signed).toBe("content-length;host;if-none-match;x-amz-checksum-sha256");
    expect(await upload(uploadUrl, "hello")).toBe(200);
    expect((await storedProject(service, ada.slug)).objects).toContain(`files/${sha256("hello")}`);
  });

  test.each([
    ["other bytes of the same length", "hullo", {}],
    ["fewer bytes", "hell", { "content-length": "4" }],
    ["more bytes", "hello!", { "content-length": "6" }],
    [
      "other bytes with their own checksum",
      "hullo",
      { "x-amz-checksum-sha256": Buffer.from(sha256("hullo"), "hex").toString("base64") },
    ],
  ])("the store refuses %s, and stores nothing", async (_, bytes, headers) => {
    const uploadUrl = await urlFor("hello");
    const status = await upload({ ...uploadUrl, headers: { ...uploadUrl.headers, ...headers } }, bytes);
    expect([400, 403]).toContain(status);
    expect((await storedProject(service, ada.slug)).objects).toEqual([expect.stringMatching(/^manifests\//)]);
  });

  test("the store refuses the bytes without their checksum, and under another key", async () => {
    const uploadUrl = await urlFor("hello");
    const { "x-amz-checksum-sha256": _, ...rest } = uploadUrl.headers;
    expect(await upload({ ...uploadUrl, headers: rest }, "hello")).toBe(403);
    const elsewhere = uploadUrl.url.replace(`${sha256("hello")}?`, `${sha256("hullo")}?`);
    expect(await upload({ ...uploadUrl, url: elsewhere }, "hello")).toBe(403);
    expect((await storedProject(service, ada.slug)).objects).toEqual([expect.stringMatching(/^manifests\//)]);
  });

  test("the store accepts a file once: the same upload again gets 412, without its condition 403", async () => {
    const uploadUrl = await urlFor("hello");
    const { "if-none-match": _, ...unconditional } = uploadUrl.headers;
    expect(await upload({ ...uploadUrl, headers: unconditional }, "hello")).toBe(403);
    expect(await upload(uploadUrl, "hello")).toBe(200);
    expect(await upload(uploadUrl, "hello")).toBe(412);
    expect(await upload({ ...uploadUrl, headers: unconditional }, "hello")).toBe(403);
  });

  test("gives each content one URL, however often it is requested", async () => {
    const { body } = await openRelease(ada, ada.slug, folder);
    const hash = sha256("PNG");
    const path = `/projects/${ada.slug}/releases/${body.release.id}/uploads`;
    expect((await ada.post(path, { sha256: [hash, hash] })).body.uploads).toHaveLength(1);
  });

  test("refuses hashes that are not of this release, and more than 1,000 hashes", async () => {
    const { body } = await openRelease(ada, ada.slug, folder);
    const path = `/projects/${ada.slug}/releases/${body.release.id}/uploads`;
    const refusal = async (hashes: unknown) => {
      const { status, body } = await ada.post(path, { sha256: hashes });
      return { status, code: body.code, errors: body.errors };
    };
    const refused = (pointer: string, detail: unknown = expect.any(String)) => ({
      status: 422,
      code: "validation_failed",
      errors: [{ pointer, detail }],
    });
    expect(await refusal([sha256("PNG"), sha256("?")])).toEqual(refused("/sha256/1", "is not a file of this release"));
    const many = await refusal(Array.from({ length: 101 }, (_, index) => sha256(`${index}`)));
    expect(many.errors).toHaveLength(100);
    expect(await refusal([])).toEqual(refused("/sha256"));
    expect(await refusal(["x"])).toEqual(refused("/sha256/0"));
    expect(await refusal(Array(1_001).fill(sha256("PNG")))).toEqual(refused("/sha256"));
  });

  test("does not find a release of another project", async () => {
    const { body } = await openRelease(ada, ada.slug, folder);
    const path = `/projects/${await newProject(ada)}/releases/${body.release.id}`;
    const gone = { status: 404, body: { code: "release_not_found" } };
    expect(await ada.post(`${path}/uploads`, { sha256: [sha256("PNG")] })).toMatchObject(gone);
    expect(await ada.post(`${path}/publish`)).toMatchObject(gone);
    expect(await ada.get(path)).toMatchObject(gone);
  });
});
