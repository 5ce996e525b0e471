import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { beginUpload, findUploads } from "../../../functions/files/multipart.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { manifestOf, sha256 } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useOwner } from "../../support/service/suite.ts";
import { startRecordedStore } from "../../support/store/store-recorder.ts";

/*
 * What a race can do to an upload in parts.
 */
const store = duringTests(startRecordedStore);
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ S3_ENDPOINT: store.endpoint }));
afterEach(() => {
  service.recorder.plan(undefined);
  store.plan(undefined);
});

const partBytes = 16 * 1024 * 1024;
const largest = 64 * 1024 * 1024;
let parts: string[];
let name: string;
let release: string;
beforeEach(async () => {
  const bytes = Buffer.alloc(largest + 1, randomBytes(4_099));
  const pieces = Array.from({ length: 5 }, (_, index) => bytes.subarray(index * partBytes, (index + 1) * partBytes));
  parts = pieces.map((piece) => sha256(piece));
  name = nameOfParts(parts);
  const files = [...manifestOf({ "index.html": "1" }), { path: "world.pck", size: bytes.length, sha256: name }];
  const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
  release = `/projects/${ada.slug}/releases/${body.release.id}`;
});

test.each([
  ["whole files", () => ["/uploads", { sha256: [name] }] as const],
  ["parts of a file", () => [`/uploads/${name}`, { parts }] as const],
])("a token that is revoked before the URLs of %s are signed gets none", async (_, request) => {
  const token = await ada.token({ scopes: ["publish"] });
  await token.get("/me");
  let reads = 0;
  service.recorder.plan(({ operation }) => {
    if (operation !== "BatchGetItem") return undefined;
    reads += 1;
    return reads === 2 ? { kind: "overtaken", by: ada.delete(`/tokens/${token.id}`).then(() => undefined) } : undefined;
  });
  const [path, body] = request();
  expect(await token.post(release + path, body)).toMatchObject({ status: 401, body: { code: "token_revoked" } });
});

test("of uploads that racing requests have begun, all but the oldest are aborted", async () => {
  const key = fileKey(ada.slug, name);
  await beginUpload(key);
  const [oldest] = await findUploads(key);
  for (let more = 0; more < 2; more += 1) {
    // The store tells their order in whole milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await beginUpload(key);
  }
  expect(await findUploads(key)).toHaveLength(3);
  const { body } = await ada.post(`${release}/uploads/${name}`, { parts });
  expect(new URL(body.parts[0].url).searchParams.get("uploadId")).toBe(oldest);
  expect(await findUploads(key)).toEqual([oldest]);
});
