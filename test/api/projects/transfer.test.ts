import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { withProject } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { expectRefusals } from "../../support/service/refusals.ts";
import { openRelease, publish } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, itemsOf, removeItem, setAttribute, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const overtaken = overtakenBy(service);
const notFound = { status: 404, body: { code: "transfer_not_found" } };
let grace: Developer;
let path: string;

beforeEach(async () => {
  grace = await actors.otherDeveloper();
  path = `/projects/${ada.slug}`;
});

const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
const project = () => storedItem(service, keys.project(ada.slug));
const set = (attribute: string, value: unknown) => setAttribute(service, keys.project(ada.slug), attribute, value);
const setAccount = (person: Person, attribute: string, value: unknown) =>
  setAttribute(service, keys.account(keyOf(person)), attribute, value);
const projectCount = async (person: Person) =>
  (await storedItem(service, keys.account(keyOf(person))))?.["projectCount"];
const ownership = (person: Person) => storedItem(service, keys.ownership(keyOf(person), ada.slug));
const offer = (to: Person = grace) => ada.post(`${path}/transfer`, { to: to.uid });
const accept = (actor: Developer = grace) => actor.post(`${path}/transfer/acceptance`);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };

async function projectEvents(person: Person) {
  const items = await itemsOf(service, keys.account(keyOf(person)).PK);
  return items.filter(({ type }) => String(type).startsWith("project_")).map(({ type }) => type);
}

describe("POST /projects/:slug/transfer", () => {
  test("offers a project for 7 days, and only its owner sees the offer", async () => {
    const { status, body } = await offer();
    expect({ status, transfer: body.transfer }).toEqual({ status: 200, transfer: { to: grace.uid, expires_at: time } });
    const days = (Date.parse(body.transfer.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 2);
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ transfer: { to: grace.uid } }]);
    expect((await actors.anonymous.get(path)).body.transfer).toBeNull();
    expect(await projectEvents(ada)).toEqual(["project_created", "project_offered"]);
    expect(await projectEvents(grace)).toEqual([]);
    expect(await project()).toMatchObject({ ownerKey: keyOf(ada) });
  });

  test("sent again keeps the same offer, until it has expired", async () => {
    const { body } = await offer();
    expect(await offer()).toMatchObject({ status: 200, body: { transfer: body.transfer } });
    expect(await projectEvents(ada)).toEqual(["project_created", "project_offered"]);
    await set("transfer", { ...((await project())?.["transfer"] as object), expiresAt: "2026-01-01T00:00:00.000Z" });
    const renewed = await offer();
    expect(Date.parse(renewed.body.transfer.expires_at)).toBeGreaterThan(Date.now());
    expect(await projectEvents(ada)).toEqual(["project_created", "project_offered", "project_offered"]);
  });

  test("is only for the owner's ID token", async () => {
    await expectRefusals(actors, (actor) => actor.post(`${path}/transfer`, { to: grace.uid }));
    const token = await ada.token({ scopes: ["publish", "projects"] });
    expect(await token.post(`${path}/transfer`, { to: grace.uid })).toMatchObject({ status: 403 });
    expect(await grace.post(`${path}/transfer`, { to: grace.uid })).toMatchObject({ status: 404 });
    expect(await project()).not.toHaveProperty("transfer");
  });

  test("refuses an unknown uid, and the owner's own", async () => {
    expect(await ada.post(`${path}/transfer`, { to: "nobody" })).toMatchObject({
      status: 404,
      body: { code: "user_not_found" },
    });
    expect(await ada.post(`${path}/transfer`, { to: ada.uid })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/to", detail: "is your own uid" }] },
    });
  });

  test.each([
    ["is deleted", () => ada.delete(path), { status: 410 }],
    ["is suspended", () => set("suspension", suspension), { status: 403 }],
    ["gets another owner", () => set("ownerKey", "another"), { status: 404 }],
  ])("refuses a project that %s meanwhile", async (_, meanwhile, refusal) => {
    expect(await overtaken(offer, meanwhile)).toMatchObject(refusal);
    expect(await project()).not.toHaveProperty("transfer");
    await set("ownerKey", keyOf(ada));
  });
});

describe("POST /projects/:slug/transfer/acceptance", () => {
  test("moves the project with its releases, counts and events; the earlier owner has it no more", async () => {
    const token = await ada.token({ scopes: ["publish", "projects"], projects: [ada.slug] });
    const release = await publish(ada, ada.slug, { "index.html": "1" });
    await offer();
    const { status, body } = await accept();
    expect(status).toBe(200);
    expect(body).toMatchObject({ slug: ada.slug, transfer: null, current_release: { id: release } });
    expect(await project()).toMatchObject({
      ownerKey: keyOf(grace),
      ownedSince: expect.stringMatching(/^\d{4}-.*Z$/),
      currentRelease: { id: release },
    });
    expect(await project()).not.toHaveProperty("transfer");
    expect([await projectCount(ada), await projectCount(grace)]).toEqual([0, 1]);
    expect([await ownership(ada), await ownership(grace)]).toMatchObject([undefined, { slug: ada.slug }]);
    expect((await projectEvents(ada)).at(-1)).toBe("project_handed_over");
    expect(await projectEvents(grace)).toEqual(["project_received"]);

    for (const actor of [ada, token]) {
      expect(await actor.patch(path, { name: "mine" })).toMatchObject({ status: 404 });
      expect(await actor.post(`${path}/releases/${release}/publish`)).toMatchObject({ status: 404 });
      expect((await actor.get("/projects")).body.projects).toEqual([]);
    }
    const others = await grace.token({ scopes: ["publish"], projects: [ada.slug] });
    expect(await others.post(`${path}/releases/${release}/publish`)).toMatchObject({ status: 200 });
    expect(await accept()).toMatchObject(notFound);
  });

  test("starts without what the earlier owner showed: the response and what follows say the same", async () => {
    expect((await ada.patch(path, { show_provenance: true })).body.show_provenance).toBe(true);
    await offer();
    expect((await accept()).body.show_provenance).toBe(false);
    expect((await grace.get(path)).body.show_provenance).toBe(false);
  });

  test("is only for the ID token of the developer to whom it is offered", async () => {
    await offer();
    await expectRefusals(actors, (actor) => actor.post(`${path}/transfer/acceptance`));
    const token = await grace.token({ scopes: ["publish", "projects"] });
    expect(await token.post(`${path}/transfer/acceptance`)).toMatchObject({
      status: 403,
      body: { code: "session_required" },
    });
    for (const actor of [ada, await actors.otherDeveloper()]) expect(await accept(actor)).toMatchObject(notFound);
    expect(await project()).toMatchObject({ ownerKey: keyOf(ada) });
  });

  test("refuses an offer that was withdrawn, replaced by another, or has expired", async () => {
    await offer();
    expect(await grace.delete(`${path}/transfer`)).toMatchObject({ status: 404 });
    expect(await ada.delete(`${path}/transfer`)).toMatchObject({ status: 204 });
    expect(await ada.delete(`${path}/transfer`)).toMatchObject({ status: 204 });
    expect(await accept()).toMatchObject(notFound);
    await offer();
    await offer(await actors.otherDeveloper());
    expect(await accept()).toMatchObject(notFound);
    await offer();
    await set("transfer", { toKey: keyOf(grace), toUid: grace.uid, expiresAt: new Date().toISOString() });
    expect(await accept()).toMatchObject(notFound);
    expect(await project()).toMatchObject({ ownerKey: keyOf(ada) });
  });

  test.each([
    ["it is withdrawn", () => ada.delete(`${path}/transfer`), notFound],
    ["it is offered to another", async () => offer(await actors.otherDeveloper()), notFound],
    ["it expires", () => set("transfer", { toKey: keyOf(grace), toUid: "", expiresAt: "2020" }), notFound],
    ["it is deleted", () => ada.delete(path), notFound],
    ["it is suspended", () => set("suspension", suspension), { status: 403, body: { code: "project_suspended" } }],
    [
      "the other's account is suspended",
      () => setAccount(grace, "suspension", suspension),
      { status: 403, body: { code: "account_suspended" } },
    ],
    [
      "the other's account is full",
      () => setAccount(grace, "projectCount", 50),
      { status: 409, body: { code: "project_limit_reached" } },
    ],
  ])("moves nothing if %s meanwhile", async (_, meanwhile, refusal) => {
    await offer();
    expect(await overtaken(accept, meanwhile)).toMatchObject(refusal);
    expect(await project()).toMatchObject({ ownerKey: keyOf(ada) });
    expect(await ownership(grace)).toBeUndefined();
    await setAccount(grace, "projectCount", 0);
  });

  test("of two simultaneous ones one succeeds, and the counts are exact", async () => {
    await offer();
    expect(await overtaken(accept, accept)).toMatchObject(notFound);
    expect([await projectCount(ada), await projectCount(grace)]).toEqual([0, 1]);
    expect(await projectEvents(grace)).toEqual(["project_received"]);
  });

  test("refuses requests of the earlier owner that were running", async () => {
    const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
    await offer();
    const publication = () => ada.post(`${path}/releases/${body.release.id}/publish`);
    expect(await overtaken(publication, accept)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect(await project()).not.toHaveProperty("currentRelease");
  });

  test("and a deletion at the same time: one of them happens", async () => {
    for (let count = 0; count < 5; count += 1) {
      const owner = await withProject(ada);
      await ada.post(`/projects/${owner.slug}/transfer`, { to: grace.uid });
      const [accepted, deleted] = await Promise.all([
        grace.post(`/projects/${owner.slug}/transfer/acceptance`),
        ada.delete(`/projects/${owner.slug}`),
      ]);
      expect([accepted.status, deleted.status].filter((status) => status === 200)).toHaveLength(1);
    }
  });

  test("a restored project has no offer", async () => {
    await offer();
    await ada.delete(path);
    await ada.post(`${path}/restore`);
    expect(await accept()).toMatchObject(notFound);
  });
});

describe("DELETE /projects/:slug/transfer", () => {
  test("is only for the owner's ID token, even if the owner changes meanwhile", async () => {
    await offer();
    await expectRefusals(actors, (actor) => actor.delete(`${path}/transfer`));
    const token = await ada.token({ scopes: ["publish", "projects"] });
    expect(await token.delete(`${path}/transfer`)).toMatchObject({ status: 403 });
    const withdrawal = () => ada.delete(`${path}/transfer`);
    expect(await overtaken(withdrawal, accept)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect(await project()).toMatchObject({ ownerKey: keyOf(grace) });
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

describe("GET /offers and POST /projects/:slug/transfer/refusal", () => {
  const offers = async (person: Person) => (await person.get("/offers")).body.offers;
  const refuse = (actor: Developer = grace) => actor.post(`${path}/transfer/refusal`);

  test("lists what is offered to the caller, by whom and until when, and nothing of others", async () => {
    const { body } = await offer();
    const { body: seen } = await actors.anonymous.get(path);
    expect(await offers(grace)).toEqual([
      { project: seen, from: expect.objectContaining({ uid: ada.uid }), expires_at: body.transfer.expires_at },
    ]);
    expect(await offers(ada)).toEqual([]);
    expect(await offers(await actors.otherDeveloper())).toEqual([]);
  });

  test.each([
    ["withdrawn", () => ada.delete(`${path}/transfer`)],
    ["accepted", () => accept()],
    ["refused", () => refuse()],
  ])("an offer that is %s leaves no item", async (_, end) => {
    await offer();
    expect((await end()).status).toBeLessThan(300);
    expect(await offers(grace)).toEqual([]);
    expect(await storedItem(service, keys.offer(keyOf(grace), ada.slug))).toBeUndefined();
  });

  test("an offer to somebody else takes it off the first one's list", async () => {
    await offer();
    const edsger = await actors.otherDeveloper();
    await offer(edsger);
    expect(await offers(grace)).toEqual([]);
    expect(await storedItem(service, keys.offer(keyOf(grace), ada.slug))).toBeUndefined();
    expect(await offers(edsger)).toHaveLength(1);
  });

  test.each([
    ["transfer", { toKey: "", toUid: "", expiresAt: "2026-01-01T00:00:00.000Z" }],
    ["suspension", suspension],
    ["deletedAt", "2026-01-01T00:00:00.000Z"],
  ])("what cannot be accepted because of its %s is not listed", async (attribute, value) => {
    await offer();
    const { transfer } = (await project()) as { transfer: object };
    const isEnded = attribute === "transfer";
    await set(attribute, isEnded ? { ...transfer, expiresAt: "2026-01-01T00:00:00.000Z" } : value);
    expect(await offers(grace)).toEqual([]);
  });

  test("what lost its project or its owner is not listed, and a page's cursor is of no other list", async () => {
    await offer();
    const { slug } = await withProject(ada);
    await ada.post(`/projects/${slug}/transfer`, { to: grace.uid });
    const { next_cursor: cursor } = (await grace.get("/offers?limit=1")).body;
    for (const [actor, list] of [[grace, "projects"] as const, [ada, "offers"] as const])
      expect(await actor.get(`/${list}?cursor=${cursor}`)).toMatchObject({ body: { code: "invalid_cursor" } });
    await removeItem(service, keys.project(slug));
    expect(await offers(grace)).toHaveLength(1);
    await removeItem(service, keys.account(keyOf(ada)));
    expect(await offers(grace)).toEqual([]);
  });

  test("a refused project is offered to nobody and stays its owner's", async () => {
    await offer();
    expect(await refuse()).toMatchObject({ status: 204 });
    expect(await accept()).toMatchObject(notFound);
    expect(await refuse()).toMatchObject(notFound);
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ transfer: null }]);
  });

  test("only the account that it is offered to can refuse it, even if that changes meanwhile", async () => {
    await offer();
    for (const other of [ada, await actors.otherDeveloper()])
      expect(await other.post(`${path}/transfer/refusal`)).toMatchObject(notFound);
    expect(await offers(grace)).toHaveLength(1);
    const edsger = await actors.otherDeveloper();
    expect(await overtaken(refuse, () => offer(edsger))).toMatchObject(notFound);
    expect(await offers(edsger)).toHaveLength(1);
  });
});
