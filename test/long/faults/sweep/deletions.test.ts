import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import { referencedParts } from "../../../../functions/domain/sweep/referenced-objects.ts";
import { unreferencedObjects } from "../../../../functions/domain/sweep/unreferenced-objects.ts";
import { Manifest } from "../../../../functions/files/manifests.ts";
import { filesPrefix, manifestKey } from "../../../../functions/files/object-keys.ts";
import { writeObject } from "../../../../functions/files/store.ts";
import { keys } from "../../../../functions/table/keys.ts";
import { readProject } from "../../../../functions/table/projects/project-items.ts";
import { startService } from "../../../support/service/service.ts";
import { type Folder, manifestOf, publish, sha256 } from "../../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useOwner, useServers } from "../../../support/service/suite.ts";
import { startFullBucket } from "../../../support/store/full-bucket.ts";
import { type StoreFault, startRecordedStore } from "../../../support/store/store-recorder.ts";
import { storeItems } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/*
 * Responses to the sweeper's DELETE requests, and more objects than it deletes at once.
 */
const start = useServers();
const store = duringTests(startRecordedStore);
const service = duringTests(() => startService({ env: { S3_ENDPOINT: store.endpoint } }));
const ada = useOwner(service);
useFunctionEnvironment(service);

afterEach(() => store.plan(undefined));

const minute = 60_000;

const sweep = (options = {}) => sweepProject(ada.slug, sweepOf(options));

/** Responds to the first DELETE of this file in this way, and to the others as usual. */
function respondToDeletionOf(text: string, fault: StoreFault): void {
  let isFirst = true;
  store.plan(({ kind, path }) => {
    if (kind !== "delete" || !path.endsWith(sha256(text)) || !isFirst) return undefined;
    isFirst = false;
    return fault;
  });
}

async function publishAll(...folders: Folder[]): Promise<void> {
  for (const folder of folders) await publish(ada, ada.slug, folder);
}

const hasFile = async (text: string) =>
  (await storedProject(service, ada.slug)).objects.includes(`files/${sha256(text)}`);

describe("a DELETE request", () => {
  beforeEach(() => publishAll({ "index.html": "old" }, { "index.html": "new" }));

  test("that is refused makes the sweep fail, ends its deletion, and is sent again by the next one", async () => {
    respondToDeletionOf("old", 403);
    await expect(sweep()).rejects.toThrow("1 DELETE requests were refused");
    expect(await readProject(ada.slug)).not.toHaveProperty("deleting");
    expect(await hasFile("old")).toBe(true);
    expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 1 });
    expect(await hasFile("old")).toBe(false);
  });

  test("for which the store has no time is sent again at once", async () => {
    respondToDeletionOf("old", 503);
    expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 2 });
    expect(await hasFile("old")).toBe(false);
  });

  test("for which the store never has time ends its deletion, as one that is refused", async () => {
    store.plan(({ kind }) => (kind === "delete" ? 503 : undefined));
    await expect(sweep()).rejects.toThrow("2 DELETE requests were refused");
    expect(await readProject(ada.slug)).not.toHaveProperty("deleting");
  });

  test.each(["break", "lose-response"] as const)(
    "without a response (%s) keeps its deletion intent until the lease is over, since it may still arrive",
    async (fault) => {
      respondToDeletionOf("old", fault);
      await expect(sweep()).rejects.toThrow("1 DELETE requests had no response");
      expect(await readProject(ada.slug)).toMatchObject({ deleting: true });
      const opening = () => ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": "old" }) });
      expect(await opening()).toMatchObject({ status: 503, body: { code: "files_being_deleted" } });
      expect(await sweep({ later: 5 * minute })).toMatchObject({ outcome: "again", deletedObjects: 0 });
      expect(await sweep({ later: 7 * minute })).toMatchObject({ outcome: "done", deletedObjects: 2 });
      expect(await readProject(ada.slug)).not.toHaveProperty("deleting");
      expect(await hasFile("old")).toBe(false);
      expect(await opening()).toMatchObject({ status: 201, body: { missing: [sha256("old")] } });
    },
  );
});

test("a sweep that has no time for a deletion writes no intent, and is done again", async () => {
  await publishAll({ "index.html": "old" }, { "index.html": "new" });
  expect(await sweepProject(ada.slug, { ...sweepOf(), hasTime: () => false })).toEqual({
    outcome: "again",
    endedReleases: 1,
    deletedObjects: 0,
  });
  expect(await readProject(ada.slug)).not.toHaveProperty("epoch");
  expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 2 });
});

describe("more objects than one deletion intent names", () => {
  test("are deleted by one after the other, and what is needed stays", async () => {
    const bucket = await start(startFullBucket({ slug: ada.slug, releases: 1, filesEach: 10, unreferenced: 5_001 }));
    process.env["S3_ENDPOINT"] = bucket.endpoint;
    const at = new Date().toISOString();
    const release = { id: "only", manifest: bucket.manifests[0], files: 10, bytes: 10, createdAt: at, publishedAt: at };
    await storeItems(service, [{ ...keys.release(ada.slug, release.id), ...release }]);
    let begun = 0;
    const hasTime = () => {
      begun += 1;
      return true;
    };
    expect(await sweepProject(ada.slug, { ...sweepOf(), hasTime })).toEqual({
      outcome: "done",
      endedReleases: 0,
      deletedObjects: 5_001,
    });
    // Before the manifest and each deletion: the second one needs no attempt with a list of its own.
    expect(begun).toBe(3);
    // Two deletions, and the ledger that was set after them.
    expect(await readProject(ada.slug)).toMatchObject({ epoch: 3 });
    expect(await bucket.state()).toMatchObject({ deletions: 5_001, unreferenced: 0, lost: 0 });
  });
});

test("what manifests name is taken a part at a time: each hash is in one part, and no other is unreferenced", async () => {
  const folders = Array.from({ length: 5 }, (_, release): Folder => ({ "index.html": `${release}`, shared: "s" }));
  await publishAll(...folders);
  const { objects } = await storedProject(service, ada.slug);
  const manifests = objects.flatMap((key) => /^manifests\/(.*)\.zst$/.exec(key)?.[1] ?? []);
  const inOrder = [...folders.keys()].map(String).concat("s").map(sha256).sort();
  for (const [partSize, parts] of [
    [1, [1, 1, 1, 1, 1, 1]],
    [4, [4, 2]],
    [6, [6]],
  ] as const) {
    const found: string[][] = [];
    for await (const { sizes } of referencedParts(ada.slug, manifests, { hasTime: () => true, partSize }))
      found.push([...sizes.keys()].map((hash) => Buffer.from(hash, "latin1").toString("hex")).sort());
    expect(found.map(({ length }) => length)).toEqual(parts);
    expect(found.flat()).toEqual(inOrder);
    const kept = { manifests: new Set(manifests.slice(1)), proving: new Map() };
    const unreferenced = [];
    const needed = { bytes: 0, objects: 0 };
    for await (const object of unreferencedObjects(ada.slug, kept, needed, { hasTime: () => true, partSize }))
      unreferenced.push(object);
    const page =
      folders.find((folder) => Manifest.of(manifestOf(folder)).digest === manifests[0])?.["index.html"] ?? "";
    expect(unreferenced).toEqual([
      { kind: "manifest", sha256: manifests[0] },
      { kind: "file", sha256: sha256(page) },
    ]);
    expect(needed.objects).toBe(9);
  }
});

test("objects that the service did not name are left where they are", async () => {
  await publishAll({ "index.html": "old" }, { "index.html": "new" });
  const hash = sha256("foreign");
  const foreign = [`00${hash}`, `${hash}00`].flatMap((name) => [
    filesPrefix(ada.slug) + name,
    manifestKey(ada.slug, name),
  ]);
  const others = [`${manifestKey(ada.slug, hash)}.bak`, ...foreign];
  for (const key of others) await writeObject(key, Buffer.from("foreign"));
  expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 2 });
  const { objects } = await storedProject(service, ada.slug);
  expect(objects).toEqual(expect.arrayContaining(others.map((key) => key.slice(`projects/${ada.slug}/`.length))));
});
