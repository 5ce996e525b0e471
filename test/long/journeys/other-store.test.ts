import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { dummyCredentials } from "../../../local/credentials.ts";
import type { Part } from "../../../local/part.ts";
import { startObjectStore } from "../../../local/store/object-store.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { play, playFile } from "../../support/service/play.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { newProject, publish } from "../../support/service/steps.ts";

/*
 * `S3_ENDPOINT`: the store is another server, from which the edge fetches the bytes.
 */

let store: Part | undefined;
let service: TestService;
let slug: string;
const large = randomBytes(1_000_000);

beforeAll(async () => {
  store = await startObjectStore("svc-local", undefined);
  const { accessKeyId, secretAccessKey } = dummyCredentials;
  const env = { S3_ENDPOINT: store.endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  service = await startService({ env });
  const ada = await actorsOf(service).developer();
  slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "<p>far away", "large.bin": large, "gone.bin": "gone", "empty.txt": "" });
});

afterAll(async () => {
  await service?.stop();
  await stopStore();
});

async function stopStore(): Promise<void> {
  const running = store;
  store = undefined;
  await running?.stop();
}

test.each([
  ["the whole of a large file", {}, 200, large],
  ["a part of it", { range: "bytes=500000-500099" }, 206, large.subarray(500_000, 500_100)],
  ["its end", { range: "bytes=-10" }, 206, large.subarray(-10)],
])("%s comes from the other store, byte for byte", async (_, headers, status, expected) => {
  const { status: got, body, headers: described } = await playFile(service, slug, { path: "/large.bin", headers });
  expect({ got, length: described["content-length"] }).toEqual({ got: status, length: String(expected.length) });
  expect(body.equals(expected)).toBe(true);
});

test("a response without a body requests nothing from it", async () => {
  expect(await play(service, slug, { path: "/empty.txt" })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  const { headers } = await playFile(service, slug, { path: "/large.bin", method: "HEAD" });
  expect(headers["content-length"]).toBe("1000000");
});

test("without the store a person reads that the game is not available, with Retry-After", async () => {
  const page = await play(service, slug, { path: "/" });
  expect(page.body.toString()).toBe("<p>far away");
  await stopStore();
  const { status, headers, body } = await play(service, slug, { path: "/gone.bin" });
  expect({ status, after: headers["retry-after"] }).toEqual({ status: 503, after: "1" });
  expect(body.toString()).toContain("Try again in a moment");
});
