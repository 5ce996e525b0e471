import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { defaultSettings } from "../../contract/api/releases/release-settings.ts";
import { Manifest, readManifest, writeManifest } from "../../functions/files/manifests.ts";
import { setCredentials } from "../../local/credentials.ts";
import { type RecordedStore, startRecordedStore } from "../../test/support/store/store-recorder.ts";

let store: RecordedStore;
const saved = { ...process.env };

beforeAll(async () => {
  store = await startRecordedStore();
  setCredentials(false);
  Object.assign(process.env, { S3_ENDPOINT: store.endpoint, BUCKET_NAME: store.bucketName });
});

afterAll(async () => {
  await store.stop();
  process.env = saved;
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The digest of a manifest with this many files, which is written to the store. */
async function written(name: string, files: number): Promise<string> {
  const entries = Array.from({ length: files }, (_, index) => ({
    path: `${name}/${String(index).padStart(400, "0")}`,
    size: 1,
    sha256: sha256("x"),
  }));
  const manifest = Manifest.of(entries, defaultSettings);
  await writeManifest("game", manifest.digest, await manifest.pack());
  return manifest.digest;
}

/** Number of requests to the store while these manifests are read, one after the other. */
async function requestsFor(digests: readonly string[]): Promise<number> {
  const requests = await store.during(async () => {
    for (const digest of digests) await readManifest("game", digest);
  });
  return requests.length;
}

test("a warm function caches the manifests that it used last, up to 32 MiB", async () => {
  // 5 MB each, so that six are kept.
  const [first = "", ...others] = await Promise.all(
    Array.from({ length: 8 }, (_, index) => written(`large-${index}`, 10_500)),
  );
  expect(await requestsFor([first])).toBe(1);
  expect(await requestsFor(others.slice(0, 3))).toBe(3);
  expect(await requestsFor([first])).toBe(0);
  expect(await requestsFor(others.slice(3))).toBe(4);
  expect(await requestsFor([first, ...others.slice(3)])).toBe(0);
  expect(await requestsFor(others.slice(0, 1))).toBe(1);
});

test("a warm function caches at most 1,000 manifests", async () => {
  const digests: string[] = [];
  for (let index = 0; index < 1_001; index += 1) digests.push(await written(`small-${index}`, 1));
  expect(await requestsFor(digests)).toBe(1_001);
  expect(await requestsFor(digests.slice(1))).toBe(0);
  expect(await requestsFor(digests.slice(0, 1))).toBe(1);
});

test("a manifest takes no more memory than its text, also when it is small", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const buffersInUse = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const manifest = Manifest.of(["a", "b", "c", "d", "e"].map((path) => ({ path, size: 10, sha256: sha256(path) })));
  const packed = await manifest.pack();
  const before = buffersInUse();
  const unpacked = await Promise.all(Array.from({ length: 500 }, () => Manifest.unpack(packed)));
  const most = unpacked.length * 4 * manifest.byteLength;
  let grown = Number.POSITIVE_INFINITY;
  // zlib frees its memory a little later; each look collects all garbage of this process.
  for (let wait = 20; wait < 2_000 && grown >= most; wait *= 2) {
    await delay(wait);
    grown = buffersInUse() - before;
  }
  expect(grown).toBeLessThan(most);
});
