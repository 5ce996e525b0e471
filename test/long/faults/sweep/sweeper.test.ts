import { afterEach, describe, expect, test } from "@jest/globals";
import { suspendProject, takeDownProject } from "../../../../functions/domain/accounts/suspensions.ts";
import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import type { Project } from "../../../../functions/entities/project.ts";
import { Manifest } from "../../../../functions/files/manifests.ts";
import { keys } from "../../../../functions/table/keys.ts";
import { readProject } from "../../../../functions/table/projects/project-items.ts";
import { finishDeletion, readEveryRelease } from "../../../../functions/table/sweep/object-items.ts";
import { type Folder, manifestOf, openRelease, publish, sha256 } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { endLife, setAttribute, storedItem, storeItems } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/*
 * The sweeper with the local service's table and store (docs/decisions/0016-sweep.md).
 */
const service = useRecordedService();
const ada = useOwner(service);
useFunctionEnvironment(service);

afterEach(() => service.recorder.plan(undefined));

const minute = 60_000;
const day = 24 * 60 * minute;
const longAgo = "2020-01-01T00:00:00.000Z";

const sweep = (options = {}) => sweepProject(ada.slug, sweepOf({ releases: 2, ...options }));
const rollBack = (id: string) => ada.post(`/projects/${ada.slug}/releases/${id}/publish`);
const hasObject = async (text: string) =>
  (await storedProject(service, ada.slug)).objects.includes(`files/${sha256(text)}`);
const digestOf = (folder: Folder) => Manifest.of(manifestOf(folder)).digest;
const project = async () => (await readProject(ada.slug)) as Project;

describe("a sweep", () => {
  test("deletes what only old releases need, and every kept release can go live again, whole", async () => {
    const folders = [
      { "index.html": "a", shared: "b" },
      { "index.html": "b", shared: "c" },
      { "index.html": "c", shared: "d" },
    ];
    const ids: string[] = [];
    for (const folder of folders) ids.push(await publish(ada, ada.slug, folder));
    const open = (await openRelease(ada, ada.slug, { "index.html": "e" })).body.release.id;
    expect(await sweep()).toEqual({ outcome: "done", endedReleases: 1, deletedObjects: 2 });
    const { objects } = await storedProject(service, ada.slug);
    const kept = ["b", "c", "d", "e"].map((text) => `files/${sha256(text)}`);
    const manifests = [...folders.slice(1), { "index.html": "e" }].map((folder) => `manifests/${digestOf(folder)}.zst`);
    expect(objects).toEqual([...kept, ...manifests].toSorted());
    for (const id of [ids[1], ids[2], open]) expect((await rollBack(id as string)).status).toBe(200);
    expect(await rollBack(ids[0] as string)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await sweep({ releases: 3 })).toEqual({ outcome: "done", endedReleases: 0, deletedObjects: 0 });
    expect((await openRelease(ada, ada.slug, { "index.html": "a" })).body.missing).toEqual([sha256("a")]);
  });

  test("is done again if the time is over before all manifests are read", async () => {
    for (const text of ["1", "2", "3"]) await publish(ada, ada.slug, { "index.html": text });
    let manifests = 0;
    const hasTime = () => {
      manifests += 1;
      return manifests < 3;
    };
    const short = { ...sweepOf({ releases: 3 }), hasTime };
    expect(await sweepProject(ada.slug, short)).toEqual({ outcome: "again", endedReleases: 0, deletedObjects: 0 });
    expect(manifests).toBe(3);
    expect(await sweep({ releases: 3 })).toEqual({ outcome: "done", endedReleases: 0, deletedObjects: 0 });
  });

  test("ends an open release an hour after it expired, and what was uploaded for it is gone", async () => {
    const { id } = (await openRelease(ada, ada.slug, { "index.html": "open" })).body.release;
    await endLife(service, keys.release(ada.slug, id), -30 * 60);
    expect(await sweep()).toMatchObject({ endedReleases: 0, deletedObjects: 0 });
    await endLife(service, keys.release(ada.slug, id), -61 * 60);
    expect(await sweep()).toEqual({ outcome: "done", endedReleases: 1, deletedObjects: 2 });
    const { items, objects } = await storedProject(service, ada.slug);
    expect({ items: Object.keys(items), objects }).toEqual({ items: ["PROJECT"], objects: [] });
  });

  test("leaves a manifest to the open release that has taken it over", async () => {
    const folder = { "index.html": "open" };
    const { id } = (await openRelease(ada, ada.slug, folder)).body.release;
    await endLife(service, keys.release(ada.slug, id), -61 * 60);
    await endLife(service, keys.openManifest(ada.slug, digestOf(folder)), -61 * 60);
    const next = (await openRelease(ada, ada.slug, folder)).body.release.id;
    expect(next).not.toBe(id);
    expect(await sweep()).toEqual({ outcome: "done", endedReleases: 1, deletedObjects: 0 });
    expect(await storedItem(service, keys.openManifest(ada.slug, digestOf(folder)))).toMatchObject({ releaseId: next });
    expect((await rollBack(next)).status).toBe(200);
  });

  test("writes no deletion intent for what a release needs that was opened since it read the releases", async () => {
    await publish(ada, ada.slug, { "index.html": "garbage", other: "more" });
    await publish(ada, ada.slug, { "index.html": "live" });
    let opening: Promise<unknown> | undefined;
    service.recorder.plan(({ operation, input }) => {
      const isIntent = operation === "TransactWriteItems" && JSON.stringify(input).includes('"DELETION"');
      if (!isIntent || opening !== undefined) return undefined;
      const opened = openRelease(ada, ada.slug, { "index.html": "garbage" });
      opening = opened;
      return { kind: "overtaken", by: opened.then(() => undefined) };
    });
    expect(await sweep({ releases: 1 })).toMatchObject({ outcome: "done", endedReleases: 1, deletedObjects: 2 });
    expect(opening).toBeDefined();
    expect(await hasObject("garbage")).toBe(true);
    expect(await hasObject("more")).toBe(false);
  });

  test("ends more releases than one read finds", async () => {
    const folder = { "index.html": "1" };
    await publish(ada, ada.slug, folder);
    const [at, manifest] = [longAgo, digestOf(folder)];
    const old = Array.from({ length: 1_001 }, (_, index) => ({ id: `0${String(index).padStart(6, "0")}`, manifest }));
    await storeItems(
      service,
      old.map((release) => ({ ...keys.release(ada.slug, release.id), ...release, createdAt: at, publishedAt: at })),
    );
    expect(await sweep({ releases: 1 })).toEqual({ outcome: "done", endedReleases: 1_001, deletedObjects: 0 });
    expect(await readEveryRelease(ada.slug)).toHaveLength(1);
  });

  test("of a project in which releases are opened all the time is left to the next one", async () => {
    await publish(ada, ada.slug, { "index.html": "garbage" });
    await publish(ada, ada.slug, { "index.html": "live" });
    let opened = 10;
    service.recorder.plan(({ operation, input }) => {
      const isIntent = operation === "TransactWriteItems" && JSON.stringify(input).includes('"DELETION"');
      if (!isIntent) return undefined;
      opened += 1;
      return { kind: "overtaken", by: setAttribute(service, keys.project(ada.slug), "opened", opened) };
    });
    expect(await sweep({ releases: 1 })).toEqual({ outcome: "busy", endedReleases: 1, deletedObjects: 0 });
    expect(opened).toBe(13);
    expect(await hasObject("garbage")).toBe(true);
  });
});

describe("a deletion that a stopped sweeper left", () => {
  /** @returns a sweep so many milliseconds after the lease */
  const leave = async (milliseconds: number, retention: object) => {
    const now = new Date();
    const leaseEndsAt = new Date(now.getTime() - milliseconds).toISOString();
    await publish(ada, ada.slug, { "index.html": "garbage" });
    await publish(ada, ada.slug, { "index.html": "live" });
    const hashes = { files: Buffer.from(sha256("garbage"), "hex"), manifests: Buffer.alloc(0) };
    await storeItems(service, [{ ...keys.deletionIntent(ada.slug), epoch: 7, leaseEndsAt, ...hashes }]);
    await setAttribute(service, keys.project(ada.slug), "epoch", 7);
    await setAttribute(service, keys.project(ada.slug), "deleting", true);
    return { ...sweepOf(retention), now: () => now };
  };

  test("is done again under a new epoch, five minutes after its lease", async () => {
    const atItsEnd = await leave(5 * minute, { releases: 2 });
    expect(await sweepProject(ada.slug, atItsEnd)).toEqual({ outcome: "done", endedReleases: 0, deletedObjects: 1 });
    expect(await project()).toMatchObject({ epoch: 8 });
    expect(await project()).not.toHaveProperty("deleting");
    expect(await storedItem(service, keys.deletionIntent(ada.slug))).toBeUndefined();
    expect(await hasObject("garbage")).toBe(false);
  });

  test("is left alone before", async () => {
    const early = await leave(5 * minute - 1, { releases: 1 });
    expect(await sweepProject(ada.slug, early)).toEqual({ outcome: "again", endedReleases: 0, deletedObjects: 0 });
    expect(await project()).toMatchObject({ epoch: 7, deleting: true });
    expect(await hasObject("garbage")).toBe(true);
    await finishDeletion(ada.slug, 7);
  });
});

describe("a deleted project", () => {
  test("is swept whole once it cannot be restored, and its slug can be given out again", async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
    await openRelease(ada, ada.slug, { "index.html": "2" });
    expect((await ada.delete(`/projects/${ada.slug}`)).status).toBe(200);
    expect(await sweep({ later: 7 * day })).toEqual({ outcome: "done", endedReleases: 0, deletedObjects: 0 });
    await setAttribute(
      service,
      keys.project(ada.slug),
      "deletedAt",
      new Date(Date.now() - 7 * day - 2 * 60 * minute).toISOString(),
    );
    expect(await sweep()).toEqual({ outcome: "done", endedReleases: 2, deletedObjects: 4 });
    const { items, objects } = await storedProject(service, ada.slug);
    expect({ items: Object.keys(items), objects }).toEqual({ items: ["PROJECT"], objects: [] });
    expect(items["PROJECT"]).toMatchObject({ sweepBegunAt: expect.any(String), sweptAt: expect.any(String) });
    expect(items["PROJECT"]).not.toHaveProperty("currentRelease");
    expect(await sweep({ later: day })).toEqual({ outcome: "done", endedReleases: 0, deletedObjects: 0 });
    expect((await storedProject(service, ada.slug)).items).toEqual(items);
  });

  test.each([
    ["", async () => undefined],
    ["which it had kept as evidence before,", () => suspendProject(ada.slug, "phishing", new Date(longAgo))],
    [
      "which its owner had deleted, and it had kept as evidence,",
      async () => {
        await setAttribute(service, keys.project(ada.slug), "deletedAt", longAgo);
        await suspendProject(ada.slug, "phishing", new Date(longAgo));
      },
    ],
  ])("%s that the operator took down is swept, and nobody gets its slug", async (_, before) => {
    await publish(ada, ada.slug, { "index.html": "1" });
    await before();
    await takeDownProject(ada.slug, "malware", new Date(longAgo));
    await takeDownProject(ada.slug, "spam", new Date(longAgo));
    expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 2 });
    expect(await project()).toMatchObject({ suspension: { reason: "malware" }, sweptAt: expect.any(String) });
    expect(await ada.post("/projects", { slug: ada.slug })).toMatchObject({
      status: 409,
      body: { code: "slug_taken" },
    });
  });
});
