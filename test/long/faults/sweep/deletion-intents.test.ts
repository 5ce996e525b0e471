import { afterEach, expect, test } from "@jest/globals";
import { Manifest } from "../../../../functions/files/manifests.ts";
import { fileKey, manifestKey } from "../../../../functions/files/object-keys.ts";
import { keys } from "../../../../functions/table/keys.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { manifestOf, openRelease, publish, sha256 } from "../../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { removeAttributes, removeItem, setAttribute, storedItem, storeItems } from "../../../support/table/stored.ts";
import { deleteObject, storedProject } from "../../../support/table/stored-project.ts";

/*
 * Openings of releases during a sweep (docs/decisions/0016-sweep.md): each opening is counted, and fails or waits if there is a
 * deletion intent.
 */
const service = useRecordedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service);

afterEach(() => service.recorder.plan(undefined));

const folder = { "index.html": "1", "game.js": "2" };
const files = manifestOf(folder);
const open = (body: object = {}) => ada.post(`/projects/${ada.slug}/releases`, { files, ...body });

/** Writes the deletion intent of these hashes as the sweeper does. */
async function writeIntent(named: { files?: string[]; manifests?: string[] }, epoch = 1): Promise<void> {
  const bytes = (hashes: string[] = []) => Buffer.from(hashes.join(""), "hex");
  const leaseEndsAt = new Date(Date.now() + 60_000).toISOString();
  const deletion = { epoch, leaseEndsAt, files: bytes(named.files), manifests: bytes(named.manifests) };
  await storeItems(service, [{ ...keys.deletionIntent(ada.slug), ...deletion }]);
  await setAttribute(service, keys.project(ada.slug), "epoch", epoch);
  await setAttribute(service, keys.project(ada.slug), "deleting", true);
}

async function finish(): Promise<void> {
  await removeItem(service, keys.deletionIntent(ada.slug));
  await removeAttributes(service, keys.project(ada.slug), "deleting");
}

async function releaseItems(): Promise<string[]> {
  const { items } = await storedProject(service, ada.slug);
  return Object.keys(items).filter((key) => /^(RELEASE|MANIFEST)#/.test(key));
}

test("each release that is opened is counted, and one that is found again is not", async () => {
  await publish(ada, ada.slug, { "index.html": "first" });
  expect(await storedItem(service, keys.project(ada.slug))).toMatchObject({ opened: 1 });
  await open();
  await open();
  expect(await storedItem(service, keys.project(ada.slug))).toMatchObject({ opened: 2 });
});

test.each([
  ["a file", { files: [sha256("other"), sha256("2")] }],
  ["the manifest", { files: [sha256("other")], manifests: [Manifest.of(files).digest] }],
])("while %s of a release is being deleted it is not opened, and afterwards it is", async (_, named) => {
  await writeIntent(named);
  const refused = await open();
  expect(refused).toMatchObject({ status: 503, body: { code: "files_being_deleted" } });
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await storedProject(service, ada.slug)).toMatchObject({ objects: [] });
  expect(await releaseItems()).toEqual([]);
  expect(await open({ dry_run: true })).toMatchObject({ status: 200 });
  await finish();
  expect((await open()).status).toBe(201);
});

const object = { size: 1, sha256: sha256("b") };
test.each([
  ["variant", { br: object }],
  ["delta", { deltas: [{ dictionary: sha256("older"), ...object }] }],
  ["index", { index: object }],
])("a %s that is being deleted counts as a file", async (_, more) => {
  const [page] = manifestOf({ "index.html": "a long page" });
  await writeIntent({ files: [object.sha256] });
  const response = await ada.post(`/projects/${ada.slug}/releases`, { files: [{ ...page, ...more }] });
  expect(response).toMatchObject({ status: 503, body: { code: "files_being_deleted" } });
});

test("while other files are being deleted a release is opened as usual, in as many round trips", async () => {
  await writeIntent({ files: [sha256("other")], manifests: [sha256("another")] });
  const calls = await service.recorder.during(() => publish(ada, ada.slug, folder));
  expect(calls.slice(0, 3).map(({ operation }) => operation)).toEqual([
    "BatchGetItem",
    "BatchGetItem",
    "TransactWriteItems",
  ]);
  expect(await storedItem(service, keys.project(ada.slug))).toMatchObject({ opened: 1, epoch: 1, deleting: true });
});

test("a deletion intent that is written after the project was read is noticed before the release is opened", async () => {
  const refused = await overtaken(open, () => writeIntent({ files: [sha256("1")] }));
  expect(refused).toMatchObject({ status: 503, body: { code: "files_being_deleted" } });
  expect(await releaseItems()).toEqual([]);
});

test("if that deletion has ended by then, the deleted files are missing", async () => {
  await publish(ada, ada.slug, folder);
  await publish(ada, ada.slug, { "index.html": "another" });
  const opened = await overtaken(
    () => open({ files: manifestOf({ "index.html": "1" }) }),
    async () => {
      await setAttribute(service, keys.project(ada.slug), "epoch", 1);
      await deleteObject(service, fileKey(ada.slug, sha256("1")));
    },
  );
  expect(opened).toMatchObject({ status: 201, body: { missing: [sha256("1")] } });
});

test("an epoch that changes with every attempt ends in 503, and nothing is opened", async () => {
  let epoch = 0;
  service.recorder.plan(({ operation }) => {
    if (operation !== "TransactWriteItems") return undefined;
    epoch += 1;
    return { kind: "overtaken", by: setAttribute(service, keys.project(ada.slug), "epoch", epoch) };
  });
  expect(await open()).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
  expect(epoch).toBe(10);
  expect(await releaseItems()).toEqual([]);
});

test("a release that replaces a deleted one writes the manifest again", async () => {
  const { body } = await openRelease(ada, ada.slug, folder);
  const { digest } = Manifest.of(files);
  const opened = await overtaken(
    () => open({ message: "again" }),
    async () => {
      for (const key of [keys.release(ada.slug, body.release.id), keys.openManifest(ada.slug, digest)])
        await removeItem(service, key);
      await deleteObject(service, manifestKey(ada.slug, digest));
    },
  );
  expect(opened).toMatchObject({ status: 201, body: { release: { message: "again" } } });
  expect(opened.body.release.id).not.toBe(body.release.id);
  expect((await storedProject(service, ada.slug)).objects).toContain(`manifests/${digest}.zst`);
  const published = await ada.post(`/projects/${ada.slug}/releases/${opened.body.release.id}/publish`);
  expect(published).toMatchObject({ status: 200 });
});

test("a release is not opened while its manifest is being deleted", async () => {
  const { body } = await openRelease(ada, ada.slug, folder);
  const { digest } = Manifest.of(files);
  await writeIntent({ manifests: [digest] });
  const opened = await overtaken(
    () => open({ message: "again" }),
    async () => {
      for (const key of [keys.release(ada.slug, body.release.id), keys.openManifest(ada.slug, digest)])
        await removeItem(service, key);
    },
  );
  expect(opened).toMatchObject({ status: 503, body: { code: "files_being_deleted" } });
});
