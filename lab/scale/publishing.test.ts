import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { limits } from "../../contract/api/limits.ts";
import type { ManifestFile } from "../../contract/api/releases/manifest-rules.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import type { CheckedResponse } from "../../test/support/service/checked-request.ts";
import { startRecordedService } from "../../test/support/service/recorded-service.ts";
import { newProject, newSlug, sha256 } from "../../test/support/service/steps.ts";
import { duringTests } from "../../test/support/service/suite.ts";
import { type StoreRequest, startRecordedStore } from "../../test/support/store/store-recorder.ts";
import { entries, holdFiles } from "../../test/support/table/held-files.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-scale-"));
});

const store = duringTests(() => startRecordedStore(folder));
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const actors = actorsOf(service);
let ada: Developer;

beforeAll(async () => {
  ada = await actors.developer();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const hold = (slug: string, files: readonly ManifestFile[]) =>
  holdFiles({ dataFolder: folder, bucketName: store.bucketName }, slug, files);

/** The cost of a request: its DynamoDB operations one after the other, and its requests to the store by kind. */
async function costOf(action: () => Promise<CheckedResponse>) {
  let response: CheckedResponse | undefined;
  const requests: StoreRequest[] = [];
  const calls = await service.recorder.during(async () => {
    const made = await store.during(async () => {
      response = await action();
    });
    requests.push(...made);
  });
  const count = (wanted: string) => requests.filter(({ kind, hasResponse }) => hasResponse && kind === wanted).length;
  return {
    status: response?.status,
    body: response?.body,
    dynamodb: calls.map(({ operation }) => operation),
    gets: count("get"),
    lists: count("list"),
    puts: count("put"),
  };
}

const read = "BatchGetItem";
const change = "TransactWriteItems";

describe.each([1, 100, limits.filesPerRelease])("a release of %i files", (count) => {
  const files = entries(count);
  let base: string;
  let first: string;

  beforeAll(async () => {
    const slug = newSlug();
    await hold(slug, files);
    await ada.post("/projects", { slug });
    base = `/projects/${slug}/releases`;
  });

  test("is opened with 4 calls to DynamoDB; of new files there are at most as many lists, and at most 40", async () => {
    const { body, lists, ...cost } = await costOf(() => ada.post(base, { files }));
    expect(cost).toEqual({ status: 201, dynamodb: [read, read, change, change], gets: 0, puts: 1 });
    expect(lists).toBeLessThanOrEqual(Math.min(count, 40));
    expect(body).toMatchObject({ missing: [], added: { count } });
    expect(body.added.paths).toHaveLength(Math.min(count, limits.changedPathsListed));
    first = body.release.id;
  });

  test("goes live with 3 calls to DynamoDB and its manifest, and the same lists", async () => {
    const { body, lists, ...cost } = await costOf(() => ada.post(`${base}/${first}/publish`));
    expect(cost).toEqual({ status: 200, dynamodb: [read, read, change], gets: 1, puts: 0 });
    expect(lists).toBeLessThanOrEqual(Math.min(count, 40));
    expect(body.release).toMatchObject({ id: first, status: "live", files: count });
  });

  test("is found live with 2 calls to DynamoDB and none to the store", async () => {
    const { body, ...cost } = await costOf(() => ada.post(base, { files }));
    expect(cost).toEqual({ status: 200, dynamodb: [read, read], gets: 0, lists: 0, puts: 0 });
    expect(body).toMatchObject({ release: { id: first, status: "live" }, unchanged: { count } });
  });

  test("costs one list at most for one changed file, and none to roll back", async () => {
    const changed = files.with(0, { path: "new.png", size: 1, sha256: sha256("x") });
    const opened = await costOf(() => ada.post(base, { files: changed }));
    expect(opened).toMatchObject({ status: 201, dynamodb: [read, read, change, change], gets: 1, lists: 1, puts: 1 });
    expect(opened.body).toMatchObject({ missing: [sha256("x")], unchanged: { count: count - 1 } });
    const { id } = opened.body.release;
    const { body } = await ada.post(`${base}/${id}/uploads`, { sha256: [sha256("x")] });
    const { url, headers } = body.uploads[0];
    expect((await fetch(url, { method: "PUT", headers, body: "x" })).status).toBe(200);
    const published = await costOf(() => ada.post(`${base}/${id}/publish`));
    expect(published).toMatchObject({ status: 200, dynamodb: [read, read, change], gets: 1, lists: 1, puts: 0 });
    const back = await costOf(() => ada.post(`${base}/${first}/publish`));
    expect(back).toMatchObject({ status: 200, dynamodb: [read, read, change], gets: 0, lists: 0, puts: 0 });
  });

  test("shows a visitor a file with one call to DynamoDB, and its manifest once", async () => {
    const slug = base.split("/")[2];
    const path = files[0]?.path ?? "";
    const visit = () => actors.anonymous.get(`/projects/${slug}/files/${path}`);
    expect(await costOf(visit)).toMatchObject({ status: 302, dynamodb: [read], gets: 1, lists: 0 });
    expect(await costOf(visit)).toMatchObject({ status: 302, dynamodb: [read], gets: 0, lists: 0 });
  });
});

test("one list finds that an empty project lacks all files, and the response names them all within Lambda's 6 MB", async () => {
  const slug = await newProject(ada);
  const path = `/projects/${slug}/releases`;
  const files = entries(limits.filesPerRelease, "a".repeat(80));
  const { body, lists } = await costOf(() => ada.post(path, { files }));
  expect(body.missing).toHaveLength(limits.filesPerRelease);
  expect(lists).toBe(1);
  expect(body.first_uploads.uploads).toHaveLength(limits.firstUploadUrls);
  const most = { sha256: body.missing.slice(0, limits.uploadUrlsPerCall) };
  const uploads = await costOf(() => ada.post(`${path}/${body.release.id}/uploads`, most));
  expect(uploads).toMatchObject({ status: 200, dynamodb: [read, read], gets: 1, lists: 0, puts: 0 });
  expect(uploads.body.uploads).toHaveLength(limits.uploadUrlsPerCall);
  for (const response of [body, uploads.body]) expect(JSON.stringify(response).length).toBeLessThan(6_000_000);
});

describe("a store that fails", () => {
  test.each([503, "break"] as const)("(%s) responds with 503, and nothing is changed", async (fault) => {
    const slug = await newProject(ada);
    const path = `/projects/${slug}/releases`;
    const files = entries(1, `${fault}`);
    store.plan(() => fault);
    try {
      const refused = await ada.post(path, { files });
      expect(refused).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
      expect(refused.headers.get("retry-after")).toBe("1");
    } finally {
      store.plan(undefined);
    }
    expect((await ada.get(path)).body.releases).toEqual([]);
  });

  test("a tenth of the time does not fail a publication", async () => {
    let requests = 0;
    store.plan(() => {
      requests += 1;
      return requests % 10 === 0 ? (requests % 20 === 0 ? "break" : 500) : undefined;
    });
    try {
      const slug = await newProject(ada);
      const { status, body } = await ada.post(`/projects/${slug}/releases`, { files: entries(1_000, "tenth") });
      expect({ status, missing: body.missing.length }).toEqual({ status: 201, missing: 1_000 });
    } finally {
      store.plan(undefined);
    }
  });
});
