import { describe, expect, test } from "@jest/globals";
import type { Amount } from "../../../functions/entities/project.ts";
import { Manifest } from "../../../functions/files/manifests.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { type Actor, actorsOf, type Person } from "../../support/service/actors.ts";
import { type Folder, manifestOf, newProject, openRelease, publish } from "../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, setAttribute, storedItem } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";

/*
 * Quota of stored bytes and objects (docs/decisions/0036-quota.md), with quotas that a few small files reach.
 */
const quota = { project: { bytes: 20_000, objects: 60 }, account: { bytes: 30_000, objects: 80 } };
const service = useRecordedService({
  env: {
    BYTES_PER_PROJECT: String(quota.project.bytes),
    OBJECTS_PER_PROJECT: String(quota.project.objects),
    BYTES_PER_ACCOUNT: String(quota.account.bytes),
    OBJECTS_PER_ACCOUNT: String(quota.account.objects),
  },
});
const actors = actorsOf(service);
const ada = useOwner(service);

const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
const open = (folder: Folder, { body = {}, project = ada.slug } = {}) =>
  ada.post(`/projects/${project}/releases`, { files: manifestOf(folder), ...body });
const bytes = (length: number, character = "x") => character.repeat(length);
const packed = async (folder: Folder) => (await Manifest.of(manifestOf(folder)).pack()).byteLength;

async function usedByProject(project = ada.slug): Promise<Amount> {
  const { usedBytes, usedObjects } = (await storedItem(service, keys.project(project))) ?? {};
  return { bytes: Number(usedBytes ?? 0), objects: Number(usedObjects ?? 0) };
}

async function usedByAccount(person: Person = ada): Promise<Amount> {
  const { usedBytes, usedObjects } = (await storedItem(service, keys.ledger(keyOf(person)))) ?? {};
  return { bytes: Number(usedBytes ?? 0), objects: Number(usedObjects ?? 0) };
}

const exceeded = (detail: string) => ({
  status: 409,
  body: { code: "quota_exceeded", detail: expect.stringContaining(detail) },
});

const freed = "What no kept release needs is deleted within a day or two";

/** Sets what is counted of the project and of its account to this. */
async function setUsed(amount: Amount): Promise<void> {
  for (const key of [keys.project(ada.slug), keys.ledger(keyOf(ada))]) {
    await setAttribute(service, key, "usedBytes", amount.bytes);
    await setAttribute(service, key, "usedObjects", amount.objects);
  }
}

describe("what is counted", () => {
  const folder = { "index.html": bytes(1_000), "game.js": bytes(2_000), twin: bytes(2_000) };

  test("is each missing content once, and the manifest, for the project and for its account", async () => {
    const counted = { bytes: 3_000 + (await packed(folder)), objects: 3 };
    await openRelease(ada, ada.slug, folder);
    expect(await usedByProject()).toEqual(counted);
    expect(await usedByAccount()).toEqual(counted);
    expect((await ada.get("/me")).body.storage).toEqual({
      ...counted,
      limit: quota.account,
      project_limit: quota.project,
    });
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ slug: ada.slug, storage: counted }]);
    expect((await actors.anonymous.get(`/projects/${ada.slug}`)).body.storage).toBeNull();
  });

  test("does not change if the release is found again, goes live, or is a dry run", async () => {
    await openRelease(ada, ada.slug, folder);
    const counted = await usedByProject();
    await publish(ada, ada.slug, folder);
    await open(folder);
    await open({ ...folder, "index.html": bytes(1_500) }, { body: { dry_run: true } });
    expect(await usedByProject()).toEqual(counted);
  });

  test("of another release is only what the first one does not have, even if all its files would have no room", async () => {
    const large = { ...folder, "world.pck": bytes(9_000) };
    await publish(ada, ada.slug, large);
    const before = await usedByProject();
    const next = { ...large, "index.html": bytes(1_500) };
    await publish(ada, ada.slug, next);
    const manifest = await packed(next);
    expect(await usedByProject()).toEqual({
      bytes: before.bytes + 1_500 + manifest,
      objects: before.objects + 2,
    });
  });

  test("includes the manifest before it is written, even if no release is opened afterwards", async () => {
    const { digest } = Manifest.of(manifestOf(folder));
    let transactions = 0;
    service.recorder.plan(({ operation }) => {
      if (operation !== "TransactWriteItems") return undefined;
      transactions += 1;
      return transactions === 1 ? undefined : { kind: "cancel", reason: "TransactionConflict" };
    });
    expect(await open(folder)).toMatchObject({ status: 503 });
    service.recorder.plan(undefined);
    expect((await storedProject(service, ada.slug)).objects).toEqual([`manifests/${digest}.zst`]);
    expect(await usedByProject()).toEqual({ bytes: await packed(folder), objects: 1 });
    expect(await usedByAccount()).toEqual(await usedByProject());
  }, 30_000);
});

describe("a release without room", () => {
  test("is refused before anything is written, and a dry run says so too", async () => {
    const large = { "index.html": bytes(20_000) };
    const before = await storedProject(service, ada.slug);
    for (const body of [{}, { dry_run: true }])
      expect(await open(large, { body })).toMatchObject(
        exceeded(
          `The project may store 20,000 bytes and uses 0; this needs ${20_000 + (await packed(large))} more.`.replace(
            /(\d)(\d{3}) more/,
            "$1,$2 more",
          ),
        ),
      );
    expect(await storedProject(service, ada.slug)).toEqual(before);
    expect(await usedByAccount()).toEqual({ bytes: 0, objects: 0 });
  });

  test("is refused to the byte: one that fits exactly is opened and found again, and with one byte less room it is refused", async () => {
    const folder = { "index.html": bytes(4_000) };
    const room = quota.project.bytes - 4_000 - (await packed(folder));
    await setUsed({ bytes: room + 1, objects: 1 });
    expect(await open(folder)).toMatchObject(exceeded("The project may store 20,000 bytes"));
    expect(await usedByProject()).toEqual({ bytes: room + 1, objects: 1 });
    await setUsed({ bytes: room, objects: 1 });
    expect(await open(folder)).toMatchObject({ status: 201 });
    expect(await usedByProject()).toEqual({ bytes: 20_000, objects: 3 });
    expect(await open(folder)).toMatchObject({ status: 200 });
  });

  test("counts objects as well", async () => {
    const folderOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, `${n}`]));
    expect(await open(folderOf(60))).toMatchObject(
      exceeded(`The project may store 60 objects and uses 0; this needs 61 more. ${freed}. Publish less`),
    );
    expect(await open(folderOf(59))).toMatchObject({ status: 201 });
    expect(await usedByProject()).toMatchObject({ objects: 60 });
  });

  test("in the account is refused in each of its projects, and in no other account's", async () => {
    await publish(ada, ada.slug, { "index.html": bytes(19_000) });
    const other = await newProject(ada);
    const large = { "index.html": bytes(12_000) };
    const refused = await open(large, { project: other });
    expect(refused).toMatchObject(exceeded("The account may store 30,000 bytes and uses 19,"));
    expect(refused).toMatchObject(exceeded(`${freed}, and so is a deleted project`));
    expect(await open({ "index.html": bytes(9_000) }, { project: other })).toMatchObject({ status: 201 });
    const grace = await actors.otherDeveloper();
    expect(await openRelease(grace, await newProject(grace), large)).toMatchObject({ status: 201 });
  });

  test("does not include a rollback, which stores nothing", async () => {
    const first = await publish(ada, ada.slug, { "index.html": bytes(9_000, "1") });
    await publish(ada, ada.slug, { "index.html": bytes(9_000, "2") });
    await setAttribute(service, keys.project(ada.slug), "usedBytes", 30_000);
    expect(await open({ "index.html": "3" })).toMatchObject(
      exceeded("The project may store 20,000 bytes and uses 30,000"),
    );
    expect(await ada.post(`/projects/${ada.slug}/releases/${first}/publish`)).toMatchObject({ status: 200 });
    await setAttribute(service, keys.project(ada.slug), "usedBytes", (await usedByAccount()).bytes);
  });
});

describe("drafts of callers that may only open previews", () => {
  const preview = (project: string, folder: Folder, by: Actor) =>
    by.post(`/projects/${project}/releases`, { files: manifestOf(folder) });

  test("store half of a project at most, whatever becomes of them, and leave the other half to those who publish", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    expect(await preview(ada.slug, { "index.html": bytes(7_000, "a") }, token)).toMatchObject({ status: 201 });
    const refused = await preview(ada.slug, { "index.html": bytes(7_000, "b") }, token);
    expect(refused).toMatchObject(exceeded("previews may store 10,000 bytes of the project and use 7,"));
    expect(await openRelease(ada, ada.slug, { "index.html": bytes(11_000, "c") })).toMatchObject({ status: 201 });
  });

  test("store half of an account at most, over all its projects", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    const [, other] = [ada.slug, await newProject(ada)];
    expect(await preview(ada.slug, { "index.html": bytes(8_000, "a") }, token)).toMatchObject({ status: 201 });
    const refused = await preview(other, { "index.html": bytes(8_000, "b") }, token);
    expect(refused).toMatchObject(exceeded("previews may store 15,000 bytes of the account and use 8,"));
    expect(await open({ "index.html": bytes(8_000, "c") }, { project: other })).toMatchObject({ status: 201 });
  });

  test.each([
    ["the project's", "draftBytes", 1],
    ["the project's", "draftObjects", 2],
    ["the account's", "draftBytes", 2],
    ["the account's", "draftObjects", 1],
  ] as const)(
    "%s %s are checked when they are counted, whatever was read (transaction %i)",
    async (whose, name, which) => {
      const token = await ada.token({ scopes: ["preview"] });
      await preview(ada.slug, { "index.html": "first" }, token);
      const key = whose === "the project's" ? keys.project(ada.slug) : keys.ledger(keyOf(ada));
      const before = await storedItem(service, key);
      let transactions = 0;
      service.recorder.plan(({ operation }) => {
        if (operation !== "TransactWriteItems") return undefined;
        transactions += 1;
        return transactions === which ? { kind: "overtaken", by: setAttribute(service, key, name, 20_000) } : undefined;
      });
      const refused = await preview(ada.slug, { "index.html": "second" }, token);
      service.recorder.plan(undefined);
      expect(refused).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
      await setAttribute(service, key, name, before?.[name]);
      if (which === 2) await setDrafts();
    },
  );

  /** After a manifest was counted for one of the two alone. */
  async function setDrafts(): Promise<void> {
    for (const key of [keys.project(ada.slug), keys.ledger(keyOf(ada))])
      for (const name of ["draftBytes", "draftObjects"]) await setAttribute(service, key, name, 0);
  }
});

test("a refusal names the drafts that hold most, to whoever may see them", async () => {
  const token = await ada.token({ scopes: ["preview"] });
  const [small, large] = [await open({ "index.html": bytes(100) }), await open({ "index.html": bytes(9_000) })];
  const { detail } = (await open({ "index.html": bytes(15_000, "y") })).body;
  const ids = [large, small].map(({ body }) => body.release.id);
  expect(detail).toMatch(
    new RegExp(`reserve most: ${ids[0]} \\(9,\\d+ bytes\\), ${ids[1]} \\(\\d+ bytes\\)\\. The room of a`),
  );
  const files = manifestOf({ "index.html": bytes(15_000, "y") });
  expect((await token.post(`/projects/${ada.slug}/releases`, { files })).body.detail).not.toContain(ids[0]);
});

test.each([
  ["the project's", "bytes", 1],
  ["the project's", "objects", 2],
  ["the account's", "objects", 1],
  ["the account's", "bytes", 2],
] as const)("%s %s are checked when it is counted, whatever was read (transaction %i)", async (whose, unit, which) => {
  const [key, most] =
    whose === "the project's"
      ? [keys.project(ada.slug), quota.project[unit]]
      : [keys.ledger(keyOf(ada)), quota.account[unit]];
  await openRelease(ada, ada.slug, { "index.html": "first" });
  const before = await storedItem(service, key);
  const name = unit === "bytes" ? "usedBytes" : "usedObjects";
  let transactions = 0;
  service.recorder.plan(({ operation }) => {
    if (operation !== "TransactWriteItems") return undefined;
    transactions += 1;
    return transactions === which ? { kind: "overtaken", by: setAttribute(service, key, name, most) } : undefined;
  });
  const refused = await open({ "index.html": "second" });
  service.recorder.plan(undefined);
  expect(transactions).toBe(which);
  expect(refused).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
  expect(await storedItem(service, key)).toMatchObject({ [name]: most });
  await setAttribute(service, key, name, before?.[name]);
  if (which === 2) await setUsed(await usedByAccount());
});

test("an upload URL is valid no longer than the open release that counts it", async () => {
  const { body } = await open({ "index.html": "1" });
  const { id } = body.release;
  await setAttribute(service, keys.release(ada.slug, id), "ttl", Math.floor(Date.now() / 1_000) + 100);
  const { body: uploads } = await ada.post(`/projects/${ada.slug}/releases/${id}/uploads`, {
    sha256: body.missing,
  });
  const seconds = Number(new URL(uploads.uploads[0].url).searchParams.get("X-Amz-Expires"));
  expect(seconds).toBeGreaterThan(90);
  expect(seconds).toBeLessThanOrEqual(100);
  expect(Date.parse(uploads.expires_at)).toBeLessThanOrEqual(Date.now() + 100_000);
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
