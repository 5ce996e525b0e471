import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { dummyCredentials } from "../../local/credentials.ts";
import type { Part } from "../../local/part.ts";
import { startObjectStore } from "../../local/store/object-store.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import { sha256 } from "../../test/support/service/steps.ts";
import { findManifest, Manifest, readManifest, writeManifest } from "./manifests.ts";
import { fileKey } from "./object-keys.ts";
import { readObject, readVerified, writeObject } from "./store.ts";

let folder: string;
let store: Part;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-files-"));
  store = await startObjectStore("bucket", folder);
  Object.assign(process.env, {
    S3_ENDPOINT: store.endpoint,
    BUCKET_NAME: "bucket",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  });
});
afterAll(async () => {
  await store.stop();
  await rm(folder, { recursive: true });
});

/** Changes what the store holds under a key, as no request can. */
async function tamper(key: string, content: string | Buffer): Promise<void> {
  await writeFile(join(folder, "objects/bucket", `${key}._S3rver_object`), content);
}

test("an object is written once, and writing it again succeeds and changes nothing", async () => {
  const key = fileKey("once", sha256("first"));
  await writeObject(key, Buffer.from("first"));
  await writeObject(key, Buffer.from("other"));
  expect((await readObject(key)).toString()).toBe("first");
});

test.each([403, 404])("a manifest of which the store says %i is not there", async (status) => {
  const refusing = await startHttpServer((_, response) => void response.writeHead(status).end());
  process.env["S3_ENDPOINT"] = refusing.endpoint;
  try {
    expect(await findManifest("swept", sha256(`swept ${status}`))).toBeUndefined();
  } finally {
    process.env["S3_ENDPOINT"] = store.endpoint;
    await refusing.stop();
  }
});

test("a manifest that is written twice, also at the same time, is there once", async () => {
  const manifest = Manifest.of([{ path: "index.html", size: 1, sha256: sha256("1") }]);
  const packed = await manifest.pack();
  await Promise.all(Array.from({ length: 5 }, () => writeManifest("twice", manifest.digest, packed)));
  await writeManifest("twice", manifest.digest, packed);
  const names = await readdir(join(folder, "objects/bucket/projects/twice/manifests"));
  expect(names.filter((name) => name.endsWith("_object"))).toEqual([`${manifest.digest}.zst._S3rver_object`]);
  expect((await readManifest("twice", manifest.digest)).files()).toEqual(manifest.files());
});

test("a file with other content than its hash is not read", async () => {
  const key = fileKey("tampered", sha256("good"));
  await writeObject(key, Buffer.from("good"));
  expect((await readVerified(key, sha256("good"))).toString()).toBe("good");
  await tamper(key, "evil");
  await expect(readVerified(key, sha256("good"))).rejects.toThrow("has another SHA-256 than its key says");
});

test("a manifest with other content than its digest is not read", async () => {
  const good = Manifest.of([{ path: "index.html", size: 1, sha256: sha256("good") }]);
  const evil = Manifest.of([{ path: "index.html", size: 1, sha256: sha256("evil") }]);
  await writeManifest("lying", good.digest, await good.pack());
  await tamper(`projects/lying/manifests/${good.digest}.zst`, await evil.pack());
  await expect(readManifest("lying", good.digest)).rejects.toThrow("has another digest than its key says");
});
