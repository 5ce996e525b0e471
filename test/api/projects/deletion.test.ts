import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { ownedProject } from "../../support/service/owned-project.ts";
import { play } from "../../support/service/play.ts";
import { manifestOf, openRelease, publish } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, itemsOf, removeAttributes, setAttribute, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const gone = { status: 410, body: { code: "project_deleted" } };
let path: string;

beforeEach(() => {
  path = `/projects/${ada.slug}`;
});

const { account, keyOf, project, set } = ownedProject(service, ada);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

async function eventsOf(person: Person, type: string) {
  const items = await itemsOf(service, keys.account(keyOf(person)).PK);
  return items.filter((item) => item["type"] === type);
}

describe("DELETE /projects/:slug", () => {
  test("closes a project to visitors and publishers, counts it no more, and keeps what is stored", async () => {
    const token = await ada.token({ scopes: ["publish", "projects"] });
    const release = await publish(ada, ada.slug, { "index.html": "<p>play" });
    const { body: open } = await openRelease(ada, ada.slug, { "index.html": "2" });
    expect(await play(service, ada.slug)).toMatchObject({ status: 200 });
    const stored = await itemsOf(service, keys.project(ada.slug).PK);
    const { status, body } = await ada.delete(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ slug: ada.slug, deletion: { at: time }, suspension: null });
    const days = Date.parse(body.deletion.restorable_until) - Date.parse(body.deletion.at);
    expect(days).toBe(7 * 86_400_000);
    const after = await itemsOf(service, keys.project(ada.slug).PK);
    // Tokens that CI jobs got for the project end with it, for good.
    expect(
      after
        .filter(({ type }) => type !== "project_deleted")
        .map(({ deletedAt: _, publisherEpoch: __, ...item }) => item),
    ).toEqual(stored);
    expect(await project()).toMatchObject({ deletedAt: body.deletion.at });
    expect(await account(ada)).toMatchObject({ projectCount: 0 });
    expect(await storedItem(service, keys.ownership(keyOf(ada), ada.slug))).toBeUndefined();
    const ttl = Math.floor(Date.parse(body.deletion.at) / 1_000) + 30 * 86_400;
    expect(await storedItem(service, keys.deletedProject(keyOf(ada), ada.slug))).toMatchObject({ slug: ada.slug, ttl });
    expect(await eventsOf(ada, "project_deleted")).toMatchObject([{ project: ada.slug }]);

    expect(await actors.anonymous.get(path)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect(await actors.anonymous.get(`${path}/files/index.html`)).toMatchObject({ status: 404 });
    expect(await token.post(`${path}/releases`, { files: manifestOf({ "index.html": "3" }) })).toMatchObject(gone);
    for (const id of [release, open.release.id])
      expect(await token.post(`${path}/releases/${id}/publish`)).toMatchObject(gone);
    expect(await ada.delete(path)).toMatchObject(gone);
    expect(await play(service, ada.slug)).toMatchObject({ status: 404 });
  });
});

describe("the slug of a deleted project", () => {
  const create = (person: Developer) => person.post("/projects", { slug: ada.slug });

  test("is closed to everybody; its owner gets an error that says how to restore it", async () => {
    await ada.delete(path);
    expect(await create(await actors.otherDeveloper())).toMatchObject({ status: 409, body: { code: "slug_taken" } });
    const { status, body } = await create(ada);
    expect({ status, code: body.code }).toEqual({ status: 409, code: "slug_taken" });
    expect(body.detail).toContain("POST /projects/:slug/restore");
  });

  test.each([
    ["not swept, after 31 days", { deletedAt: daysAgo(31) }, 409, 409],
    ["swept, before 30 days", { deletedAt: daysAgo(29), sweptAt: daysAgo(20) }, 409, 201],
    ["swept, after 30 days", { deletedAt: daysAgo(31), sweptAt: daysAgo(20) }, 201, 409],
    [
      "suspended and swept",
      { deletedAt: daysAgo(31), sweptAt: daysAgo(20), suspension: { at: daysAgo(40), reason: "phishing" } },
      409,
      409,
    ],
  ])("%s", async (_, attributes, toOther, toOwner) => {
    const token = await ada.token({ projects: [ada.slug] });
    await ada.delete(path);
    for (const [name, value] of Object.entries(attributes)) await set(name, value);
    const other = await actors.otherDeveloper();
    expect((await create(other)).status).toBe(toOther);
    expect((await create(ada)).status).toBe(toOwner);
    // The data that players' browsers keep of another account's game must go.
    const { ownerKey, createdAt, ownedSince } = (await project()) ?? {};
    if (toOther === 201) expect({ ownerKey, ownedSince }).toEqual({ ownerKey: keyOf(other), ownedSince: createdAt });
    else expect(ownedSince).toBeUndefined();
    if (toOther === 201) {
      expect(await project()).not.toHaveProperty("deletedAt");
      expect(await token.get(`${path}/releases`)).toMatchObject({ status: 404 });
      expect((await token.get("/projects?state=deleted")).body.projects).toEqual([]);
      expect((await ada.get("/projects?state=deleted")).body.projects).toEqual([]);
    }
  });
});

test("a slug that had another owner and then its own again keeps since when it is that owner's", async () => {
  const since = daysAgo(50);
  await ada.delete(path);
  for (const [name, value] of Object.entries({ deletedAt: daysAgo(9), sweptAt: daysAgo(1), ownedSince: since }))
    await set(name, value);
  expect((await ada.post("/projects", { slug: ada.slug })).status).toBe(201);
  expect(await project()).toMatchObject({ ownedSince: since });
});

describe("POST /projects/:slug/restore", () => {
  const restore = (actor: Developer = ada) => actor.post(`${path}/restore`);

  test("restores a project unchanged, with its live release", async () => {
    const release = await publish(ada, ada.slug, { "index.html": "<p>play" });
    const before = await project();
    await ada.delete(path);
    const { status, body } = await restore();
    expect(status).toBe(200);
    expect(body).toMatchObject({ slug: ada.slug, deletion: null, current_release: { id: release } });
    expect(await project()).toEqual({ ...before, publisherEpoch: 1 });
    expect(await account(ada)).toMatchObject({ projectCount: 1 });
    expect(await storedItem(service, keys.ownership(keyOf(ada), ada.slug))).toMatchObject({
      slug: ada.slug,
      createdAt: before?.["createdAt"],
    });
    expect(await storedItem(service, keys.deletedProject(keyOf(ada), ada.slug))).toBeUndefined();
    expect(await eventsOf(ada, "project_restored")).toMatchObject([{ project: ada.slug }]);
    expect(await actors.anonymous.get(`${path}/files/index.html`)).toMatchObject({ status: 200 });
    expect(await restore()).toMatchObject({ status: 200, body: { deletion: null } });
    expect(await eventsOf(ada, "project_restored")).toHaveLength(1);
  });

  test("refuses if the account has 50 projects, and keeps the project deleted", async () => {
    await ada.delete(path);
    await setAttribute(service, keys.account(keyOf(ada)), "projectCount", 50);
    expect(await restore()).toMatchObject({ status: 409, body: { code: "project_limit_reached" } });
    expect(await project()).toHaveProperty("deletedAt");
    await setAttribute(service, keys.account(keyOf(ada)), "projectCount", 0);
  });

  test("refuses after 7 days and once the sweeper has begun, and succeeds shortly before", async () => {
    await ada.delete(path);
    for (const [name, value] of [
      ["deletedAt", daysAgo(7.01)],
      ["sweepBegunAt", daysAgo(0)],
    ] as const) {
      await set(name, value);
      const { status, body } = await restore();
      expect({ status, code: body.code }).toEqual({ status: 410, code: "project_deleted" });
      expect(body.detail).toContain("cannot be restored any more");
      expect(await project()).toHaveProperty("deletedAt");
      await set("deletedAt", daysAgo(6.99));
    }
    await removeAttributes(service, keys.project(ada.slug), "sweepBegunAt");
    expect(await restore()).toMatchObject({ status: 200 });
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
