import { beforeEach, describe, expect, test } from "@jest/globals";
import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import type { Project } from "../../../../functions/entities/project.ts";
import { listObjects } from "../../../../functions/files/store.ts";
import { accountKey, type Key, keys } from "../../../../functions/table/keys.ts";
import { setLedger } from "../../../../functions/table/projects/ledger.ts";
import { readProject } from "../../../../functions/table/projects/project-items.ts";
import { makeLive, manifestOf, newProject, openRelease, publish } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { brokenInvariants } from "../../../support/table/invariants.ts";
import {
  endLife,
  everyItem,
  removeAttributes,
  removeItem,
  setAttribute,
  storedItem,
} from "../../../support/table/stored.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/*
 * The sweep's work on the ledger (docs/decisions/0036-quota.md).
 */
const service = useRecordedService();
const ada = useOwner(service);
useFunctionEnvironment(service);

const keyOf = () => accountKey(service.issuer, ada.uid);
const sweep = () => sweepProject(ada.slug, sweepOf());
const project = async () => (await readProject(ada.slug)) as Project;

async function counted(key: Key = keys.project(ada.slug)) {
  const { usedBytes, usedObjects } = (await storedItem(service, key)) ?? {};
  return { bytes: usedBytes, objects: usedObjects };
}

const countedOfAccount = () => counted(keys.ledger(keyOf()));

/** Objects of the project in the bucket. */
async function stored() {
  const { objects } = await listObjects({ prefix: `projects/${ada.slug}/`, startAfter: "", maximum: 1_000 });
  return { bytes: objects.reduce((sum, { size }) => sum + size, 0), objects: objects.length };
}

async function withoutLedger(): Promise<void> {
  await removeItem(service, keys.ledger(keyOf()));
  await removeAttributes(service, keys.project(ada.slug), "usedBytes", "usedObjects");
}

async function deleteLongAgo(): Promise<void> {
  expect((await ada.delete(`/projects/${ada.slug}`)).status).toBe(200);
  await setAttribute(service, keys.project(ada.slug), "deletedAt", "2020-01-01T00:00:00.000Z");
}

describe("after a sweep what is counted is what is stored", () => {
  test("and of drafts of callers that may only open previews what they reserved, while they are open", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    const draft = (character: string) => [{ path: "large", size: 5_000, sha256: character.repeat(64) }];
    const drafts = async () =>
      await Promise.all(
        [keys.project(ada.slug), keys.ledger(keyOf())].map(async (key) => {
          const { draftBytes, draftObjects } = (await storedItem(service, key)) ?? {};
          return [Number(draftBytes) > 10_000, draftObjects];
        }),
      );
    const ids = [];
    for (const character of ["a", "b", "c"]) {
      const { body } = await token.post(`/projects/${ada.slug}/releases`, { files: draft(character) });
      ids.push(body.release.id);
    }
    expect(await drafts()).toEqual([
      [true, 6],
      [true, 6],
    ]);
    // One of a caller that may publish is none of them.
    ids.push((await ada.post(`/projects/${ada.slug}/releases`, { files: draft("d") })).body.release.id);
    await endLife(service, keys.release(ada.slug, ids[0]), -3_700);
    expect((await sweep()).outcome).toBe("done");
    expect(await drafts()).toEqual([
      [true, 4],
      [true, 4],
    ]);
    for (const id of ids.slice(1)) await endLife(service, keys.release(ada.slug, id), -3_700);
    expect((await sweep()).outcome).toBe("done");
    expect(await drafts()).toEqual([
      [false, 0],
      [false, 0],
    ]);
    expect(await counted()).toEqual({ bytes: 0, objects: 0 });
  });

  test("if releases ended, and what two open ones lack is counted once", async () => {
    for (const text of ["first", "second", "live"])
      await publish(ada, ada.slug, { "index.html": text, [text]: "x".repeat(99) });
    const files = [{ path: "large", size: 5_000, sha256: "a".repeat(64) }];
    const open = (path: string) =>
      ada.post(`/projects/${ada.slug}/releases`, { files: [...files, ...manifestOf({ [path]: "" })] });
    expect([(await open("a")).status, (await open("b")).status]).toEqual([201, 201]);
    const before = await counted();
    expect(await sweep()).toMatchObject({ outcome: "done", endedReleases: 2 });
    const { bytes, objects } = await stored();
    // The large file and the empty one may still be uploaded.
    expect(await counted()).toEqual({ bytes: bytes + 5_000, objects: objects + 2 });
    expect(Number(before.bytes)).toBeGreaterThan(bytes + 10_000);
    expect(await countedOfAccount()).toEqual(await counted());
  });

  test("and one that changes nothing writes nothing", async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
    await sweep();
    const before = await project();
    const calls = await service.recorder.during(async () => expect(await sweep()).toMatchObject({ outcome: "done" }));
    expect(calls.filter(({ operation }) => operation === "TransactWriteItems")).toEqual([]);
    expect(await project()).toEqual(before);
  });

  test("of a project from before there was a ledger", async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
    const other = await newProject(ada);
    await withoutLedger();
    await publish(ada, other, { "index.html": "1" });
    expect(await sweep()).toMatchObject({ outcome: "done" });
    expect(await counted()).toEqual(await stored());
    const both = await Promise.all([counted(), counted(keys.project(other))]);
    expect(await countedOfAccount()).toEqual({
      bytes: Number(both[0].bytes) + Number(both[1].bytes),
      objects: Number(both[0].objects) + Number(both[1].objects),
    });
  });

  test.each([
    ["is stored, and named by it alone", true],
    ["may be uploaded for another", false],
  ])("if a manifest is wrong about the length of a file that %s", async (_, isStored) => {
    const [file] = manifestOf({ "index.html": "y".repeat(3_000) });
    const folder = { "index.html": "y".repeat(3_000) };
    const right = isStored
      ? (await openRelease(ada, ada.slug, folder)).body.release.id
      : (await ada.post(`/projects/${ada.slug}/releases`, { files: [file] })).body.release.id;
    for (const path of ["0", "z"])
      expect(await ada.post(`/projects/${ada.slug}/releases`, { files: [{ ...file, path, size: 1 }] })).toMatchObject({
        status: 201,
      });
    if (isStored) await endLife(service, keys.release(ada.slug, right), -61 * 60);
    expect(await sweep()).toMatchObject({ outcome: "done", endedReleases: isStored ? 1 : 0 });
    const { bytes, objects } = await stored();
    expect(await counted()).toEqual(isStored ? { bytes, objects } : { bytes: bytes + 3_000, objects: objects + 1 });
  });
});

describe("after a sweep the number of open releases is that of those that are open", () => {
  const openReleases = async () => (await project()).openReleases;
  const open = async (text: string) => (await openRelease(ada, ada.slug, { "index.html": text })).body.release.id;

  test("if one went live and one was given up", async () => {
    const [first] = [await open("1"), await open("2")];
    const givenUp = await open("3");
    expect(await openReleases()).toBe(3);
    await makeLive(ada, ada.slug, first);
    expect(await openReleases()).toBe(2);
    await endLife(service, keys.release(ada.slug, givenUp), -61 * 60);
    expect(await sweep()).toMatchObject({ outcome: "done", endedReleases: 1 });
    expect(await openReleases()).toBe(1);
  });

  test("if one goes live while the sweep sets it, and nothing else has changed", async () => {
    const first = await open("1");
    await open("2");
    await setAttribute(service, keys.project(ada.slug), "openReleases", 7);
    let publishing: Promise<unknown> | undefined;
    service.recorder.plan(({ operation }) => {
      if (operation !== "TransactWriteItems" || publishing !== undefined) return undefined;
      const published = makeLive(ada, ada.slug, first);
      publishing = published;
      return { kind: "overtaken", by: published.then(() => undefined) };
    });
    const account = await countedOfAccount();
    expect(await sweep()).toMatchObject({ outcome: "done" });
    service.recorder.plan(undefined);
    expect(publishing).toBeDefined();
    expect(await openReleases()).toBe(1);
    expect(await countedOfAccount()).toEqual(account);
  });

  test("and it is set for an account that has no ledger, which gets none", async () => {
    await open("1");
    await sweep();
    await removeItem(service, keys.ledger(keyOf()));
    await setAttribute(service, keys.project(ada.slug), "openReleases", 7);
    expect(await sweep()).toMatchObject({ outcome: "done" });
    expect(await openReleases()).toBe(1);
    expect(await storedItem(service, keys.ledger(keyOf()))).toBeUndefined();
  });
});

describe("the ledger is not set if, since the project was read,", () => {
  test.each([
    ["a release was opened", () => setAttribute(service, keys.project(ada.slug), "opened", 7)],
    ["a manifest was counted", () => setAttribute(service, keys.project(ada.slug), "usedObjects", 70)],
    ["its bytes were counted", () => setAttribute(service, keys.project(ada.slug), "usedBytes", 70)],
    ["a deletion intent was written", () => setAttribute(service, keys.project(ada.slug), "deleting", true)],
    ["one was written and is over", () => setAttribute(service, keys.project(ada.slug), "epoch", 9)],
    ["its owner changed", () => setAttribute(service, keys.project(ada.slug), "ownerKey", "another")],
  ])("%s", async (_, change) => {
    await publish(ada, ada.slug, { "index.html": "1" });
    const before = await project();
    await change();
    const changed = await project();
    const account = await countedOfAccount();
    expect(await setLedger(before, { bytes: 1, objects: 1, openReleases: 1 })).toBe(false);
    expect(await project()).toEqual(changed);
    expect(await countedOfAccount()).toEqual(account);
  });

  test.each([
    ["a first release was opened", () => openRelease(ada, ada.slug, { "index.html": "1" })],
    ["one was opened, whatever was counted", () => setAttribute(service, keys.project(ada.slug), "opened", 1)],
  ])("%s", async (_, open) => {
    const before = await project();
    await open();
    expect(await setLedger(before, { bytes: 1, objects: 1, openReleases: 1 })).toBe(false);
  });

  test("and then the sweep reads everything again", async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
    await setAttribute(service, keys.project(ada.slug), "usedBytes", 1_000);
    await setAttribute(service, keys.ledger(keyOf()), "usedBytes", 1_000);
    let opening: Promise<unknown> | undefined;
    service.recorder.plan(({ operation }) => {
      if (operation !== "TransactWriteItems" || opening !== undefined) return undefined;
      const opened = publish(ada, ada.slug, { "index.html": "22" });
      opening = opened;
      return { kind: "overtaken", by: opened.then(() => undefined) };
    });
    expect(await sweep()).toMatchObject({ outcome: "done" });
    service.recorder.plan(undefined);
    expect(opening).toBeDefined();
    expect(await counted()).toEqual(await stored());
  });
});

test("a request that opens a release while the ledger is set counts again", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  await sweep();
  await setAttribute(service, keys.project(ada.slug), "epoch", 4);
  let transactions = 0;
  let setting: Promise<void> | undefined;
  service.recorder.plan(({ operation, input }) => {
    if (operation !== "TransactWriteItems" || !JSON.stringify(input).includes("RELEASE#")) return undefined;
    transactions += 1;
    if (setting !== undefined) return undefined;
    setting = project().then(async (read) => {
      expect(await setLedger(read, { bytes: 1, objects: 1, openReleases: 1 })).toBe(true);
    });
    return { kind: "overtaken", by: setting };
  });
  await openRelease(ada, ada.slug, { "index.html": "22" });
  service.recorder.plan(undefined);
  // The second attempt counts the manifest and the file once more.
  expect(transactions).toBe(2);
  expect(await counted()).toMatchObject({ objects: 3 });
  expect(await countedOfAccount()).toEqual(await counted());
});

describe("of a deleted project", () => {
  beforeEach(async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
  });

  test("all is counted until nothing of it is stored", async () => {
    const before = await counted();
    await deleteLongAgo();
    expect(await countedOfAccount()).toEqual(before);
    expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 2 });
    expect([await counted(), await countedOfAccount()]).toEqual([
      { bytes: 0, objects: 0 },
      { bytes: 0, objects: 0 },
    ]);
    expect(await project()).toMatchObject({ sweptAt: expect.any(String) });
  });

  test("it stays counted if its account is deleted and comes back", async () => {
    const before = await counted();
    await deleteLongAgo();
    expect((await ada.delete("/me")).status).toBe(204);
    expect(await storedItem(service, keys.ledger(keyOf()))).toMatchObject({
      usedBytes: before.bytes,
      ttl: expect.any(Number),
    });
    await ada.post("/auth/session", { role: "dev" });
    expect((await ada.get("/me")).body.storage).toMatchObject(before);
    await openRelease(ada, await newProject(ada), { "index.html": "1" });
    expect(await storedItem(service, keys.ledger(keyOf()))).not.toHaveProperty("ttl");
    await sweep();
    expect(await countedOfAccount()).toEqual(before);
  });

  test("it stays counted for good if its account is deleted, comes back and restores it", async () => {
    const before = await counted();
    await ada.delete(`/projects/${ada.slug}`);
    expect((await ada.delete("/me")).status).toBe(204);
    await ada.post("/auth/session", { role: "dev" });
    expect((await ada.post(`/projects/${ada.slug}/restore`)).status).toBe(200);
    const ledger = await storedItem(service, keys.ledger(keyOf()));
    expect(ledger).toMatchObject({ usedBytes: before.bytes, usedObjects: before.objects });
    expect(ledger).not.toHaveProperty("ttl");
  });

  test("it is swept also if the ledger of a deleted account has expired", async () => {
    await deleteLongAgo();
    await removeItem(service, keys.ledger(keyOf()));
    expect(await sweep()).toMatchObject({ outcome: "done", deletedObjects: 2 });
    expect(await counted()).toEqual({ bytes: 0, objects: 0 });
    expect(await storedItem(service, keys.ledger(keyOf()))).toBeUndefined();
    expect(await project()).toMatchObject({ sweptAt: expect.any(String) });
  });
});

test("after these tests the table keeps its invariants", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  await publish(ada, ada.slug, { "index.html": "2" });
  await sweep();
  const own = (await everyItem(service)).filter(({ PK }) =>
    [`PROJECT#${ada.slug}`, `LEDGER#${keyOf()}`].includes(String(PK)),
  );
  expect(brokenInvariants(own)).toEqual([]);
});
