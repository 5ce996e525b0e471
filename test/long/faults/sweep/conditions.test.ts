import { describe, expect, test } from "@jest/globals";
import type { Project } from "../../../../functions/entities/project.ts";
import type { Release } from "../../../../functions/entities/release.ts";
import { deleteObjects } from "../../../../functions/files/deletions.ts";
import { fileKey } from "../../../../functions/files/object-keys.ts";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import { setLedger } from "../../../../functions/table/projects/ledger.ts";
import { readProject } from "../../../../functions/table/projects/project-items.ts";
import { readRelease } from "../../../../functions/table/releases/release-items.ts";
import {
  beginClosing,
  endClosing,
  endRelease,
  finishDeletion,
  takeDeletionOver,
  writeDeletionIntent,
} from "../../../../functions/table/sweep/object-items.ts";
import { openRelease, publish, sha256 } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../support/service/suite.ts";
import { endLife, removeItem, storedItem } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";

/*
 * Writes of a sweeper that the table and the store refuse (docs/decisions/0016-sweep.md).
 */
const service = useService();
const ada = useOwner(service);
useFunctionEnvironment(service);

const minute = 60_000;
const longAgo = "2020-01-01T00:00:00.000Z";

const rollBack = (id: string) => ada.post(`/projects/${ada.slug}/releases/${id}/publish`);
const hasObject = async (text: string) =>
  (await storedProject(service, ada.slug)).objects.includes(`files/${sha256(text)}`);
const project = async () => (await readProject(ada.slug)) as Project;

describe("the table refuses", () => {
  const deletion = (epoch: number) => ({
    epoch,
    leaseEndsAt: new Date().toISOString(),
    files: Buffer.from(sha256("x"), "hex"),
    manifests: Buffer.alloc(0),
  });

  test("to end the live release, and one that is not as it was read", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const live = await publish(ada, ada.slug, { "index.html": "2" });
    const [before, current] = await Promise.all([readRelease(ada.slug, first), readRelease(ada.slug, live)]);
    expect(await endRelease(await project(), current as Release)).toBe(false);
    await rollBack(first);
    await rollBack(live);
    expect(await endRelease(await project(), before as Release)).toBe(false);
    expect((await rollBack(first)).status).toBe(200);
  });

  test("to end a release that was withdrawn since it was read: what closes its manifest must end with it", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    await publish(ada, ada.slug, { "index.html": "2" });
    const before = (await readRelease(ada.slug, first)) as Release;
    await ada.post(`/projects/${ada.slug}/releases/${first}/withdraw`);
    expect(await endRelease(await project(), before)).toBe(false);
    expect(await endRelease(await project(), (await readRelease(ada.slug, first)) as Release)).toBe(true);
    const { items } = await storedProject(service, ada.slug);
    expect(Object.keys(items).filter((key) => key.startsWith("MANIFEST#"))).toEqual([]);
  });

  test("to end a release that got a preview since it was read", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    await publish(ada, ada.slug, { "index.html": "2" });
    const before = await project();
    const release = (await readRelease(ada.slug, first)) as Release;
    expect((await ada.post(`/projects/${ada.slug}/releases/${first}/preview`)).status).toBe(200);
    expect(await endRelease(before, release)).toBe(false);
    expect(await endRelease(await project(), release)).toBe(true);
  });

  test("to end an open release that was found again", async () => {
    const { id } = (await openRelease(ada, ada.slug, { "index.html": "1" })).body.release;
    const before = (await readRelease(ada.slug, id)) as Release;
    await endLife(service, keys.release(ada.slug, id), 99);
    expect(await endRelease(await project(), before)).toBe(false);
  });

  test("to write a second deletion intent, or one after another was written", async () => {
    await openRelease(ada, ada.slug, { "index.html": "1" });
    const before = await project();
    expect(await writeDeletionIntent(before, deletion(1))).toBe(true);
    const after = await project();
    expect(after).toMatchObject({ epoch: 1, deleting: true });
    expect(await writeDeletionIntent(after, deletion(2))).toBe(false);
    expect(await finishDeletion(ada.slug, 1)).toBe(true);
    expect(await writeDeletionIntent(before, deletion(1))).toBe(false);
    expect(await writeDeletionIntent({ ...before, opened: 9, epoch: 1 }, deletion(2))).toBe(false);
  });

  test("to take the live release of a project that was restored since it was read, also if it was deleted again", async () => {
    const live = await publish(ada, ada.slug, { "index.html": "1" });
    await ada.delete(`/projects/${ada.slug}`);
    const deleted = await project();
    await ada.post(`/projects/${ada.slug}/restore`);
    expect(await beginClosing(deleted, new Date())).toBe(false);
    await ada.delete(`/projects/${ada.slug}`);
    expect(await beginClosing(deleted, new Date())).toBe(false);
    expect(await project()).toMatchObject({ currentRelease: { id: live } });
    expect(await project()).not.toHaveProperty("sweepBegunAt");
  });

  test("to note that nothing is left of a project whose slug was given out again", async () => {
    await endClosing({ ...(await project()), sweepBegunAt: longAgo }, new Date());
    expect(await project()).not.toHaveProperty("sweptAt");
  });

  test("to finish or take over a deletion that another sweeper took over", async () => {
    await writeDeletionIntent(await project(), deletion(1));
    expect(await takeDeletionOver(ada.slug, deletion(1), deletion(2))).toBe(true);
    expect(await takeDeletionOver(ada.slug, deletion(1), deletion(2))).toBe(false);
    expect(await finishDeletion(ada.slug, 1)).toBe(false);
    expect(await project()).toMatchObject({ epoch: 2, deleting: true });
    expect(await finishDeletion(ada.slug, 2)).toBe(true);
    expect(await takeDeletionOver(ada.slug, deletion(2), deletion(3))).toBe(false);
  });
});

test.each([
  ["if there is an object more, which its ledger counts from then on", { bytes: 0, objects: 1 }, true],
  ["if there are more bytes, which its ledger counts from then on", { bytes: 1, objects: 0 }, true],
  ["if there is an object less, in no ledger", { bytes: 0, objects: -1 }, false],
  ["if there are fewer bytes, in no ledger", { bytes: -1, objects: 0 }, false],
  ["if there are fewer bytes in more objects, in no ledger", { bytes: -1, objects: 1 }, false],
])("what is counted of a project is set for an account that has no ledger %s", async (_, more, isCounted) => {
  const ledger = keys.ledger(accountKey(service.issuer, ada.uid));
  await publish(ada, ada.slug, { "index.html": "1" });
  await removeItem(service, ledger);
  const before = await project();
  const { usedBytes = 0, usedObjects = 0, epoch = 0, openReleases = 0 } = before;
  const found = { bytes: usedBytes + more.bytes, objects: usedObjects + more.objects };
  expect(await setLedger(before, { ...found, openReleases })).toBe(true);
  expect(await project()).toMatchObject({ usedBytes: found.bytes, usedObjects: found.objects, epoch: epoch + 1 });
  const counted = isCounted ? { ...ledger, usedBytes: more.bytes, usedObjects: more.objects } : undefined;
  expect(await storedItem(service, ledger)).toEqual(counted);
});

test("the store refuses a DELETE that arrives after the lease, and the object stays", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  const key = fileKey(ada.slug, sha256("1"));
  const late = new Date(Date.now() - 61_000);
  expect(await deleteObjects([key], late, minute)).toEqual({ deleted: 0, refused: 1, withoutResponse: 0 });
  expect(await hasObject("1")).toBe(true);
  expect(await deleteObjects([key], new Date(), minute)).toEqual({ deleted: 1, refused: 0, withoutResponse: 0 });
  expect(await hasObject("1")).toBe(false);
});
