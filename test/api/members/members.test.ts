import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { outcome, ownedProject } from "../../support/service/owned-project.ts";
import { publish } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };
let admin: Developer;
let publisher: Developer;
let path: string;

beforeEach(async () => {
  [admin, publisher] = [await actors.developer(), await actors.developer()];
  path = `/projects/${ada.slug}`;
  await join(admin, "admin");
  await join(publisher, "publisher");
});

const { join, keyOf, project, set } = ownedProject(service, ada);
const membersOf = async (actor: Person = ada) => (await actor.get(`${path}/members`)).body.members;
const memberOf = async (person: Person) =>
  (await membersOf()).find(({ user }: { user: { uid: string } }) => user.uid === person.uid);
const pathOf = async (person: Person) => `${path}/members/${(await memberOf(person)).id}`;
const html = () => ({ "index.html": crypto.randomUUID() });
const newest = async (actor: Person = ada) => (await actor.get(`${path}/events`)).body.events[0];

describe("GET /projects/:slug/members", () => {
  test("lists the owner first, then the others as they joined, to each of them and to their tokens", async () => {
    const expected = [
      { id: null, user: { uid: ada.uid }, role: "owner", since: time },
      { id: expect.any(String), user: { uid: admin.uid }, role: "admin", since: time },
      { id: expect.any(String), user: { uid: publisher.uid }, role: "publisher", since: time },
    ];
    const token = await publisher.token({ projects: [ada.slug] });
    for (const actor of [ada, admin, publisher, token])
      expect((await actor.get(`${path}/members`)).body.members).toMatchObject(expected);
    expect(await outcome((await actors.developer()).get(`${path}/members`))).toBe("project_not_found");
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });

  test("shows open invitations to owner and admins alone", async () => {
    const { body } = await ada.post(`${path}/invitations`, { role: "publisher" });
    const shown = async (actor: Person) => (await actor.get(`${path}/members`)).body.invitations;
    const { secret, ...invitation } = body;
    expect(await shown(admin)).toEqual([invitation]);
    expect(await shown(publisher)).toEqual([]);
    expect(secret).toHaveLength(43);
  });
});

describe("a role", () => {
  test("says which role is needed, and which one the caller has", async () => {
    const { status, body } = await publisher.patch(path, { name: "New" });
    const detail = `This needs the role admin in the project ${ada.slug}; yours is publisher.`;
    expect({ status, detail: body.detail }).toEqual({ status: 403, detail });
  });

  test("is told in the list of projects, which has the own ones and those of others in one order", async () => {
    const { body } = await publisher.post("/projects", { slug: `${ada.slug}-b` });
    const list = async (actor: Person) => (await actor.get("/projects?limit=1")).body;
    const first = await list(publisher);
    expect(first.projects).toMatchObject([{ slug: ada.slug, role: "publisher", storage: { objects: 0 } }]);
    const second = (await publisher.get(`/projects?limit=1&cursor=${first.next_cursor}`)).body;
    expect(second.projects).toMatchObject([{ slug: body.slug, role: "owner" }]);
    expect((await actors.anonymous.get(path)).body.role).toBeNull();
    const narrowed = await publisher.token({ projects: [ada.slug] });
    expect((await narrowed.get("/projects")).body.projects).toMatchObject([{ slug: ada.slug }]);
  });

  test("counts what a member stores for the owner", async () => {
    await publish(publisher, ada.slug, html());
    const used = async (person: Person) => (await person.get("/me")).body.storage.objects;
    expect([await used(ada), await used(publisher)]).toEqual([2, 0]);
  });
});

describe("PATCH /projects/:slug/members/:member", () => {
  test("changes a role, and the history says who did it", async () => {
    const since = (await memberOf(publisher)).since;
    const { status, body } = await admin.patch(await pathOf(publisher), { role: "admin" });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { role: "admin", since, user: { uid: publisher.uid } },
    });
    expect(await newest(publisher)).toMatchObject({
      ...{ type: "member_role_changed", role: "admin", by: { uid: admin.uid }, member: { uid: publisher.uid } },
    });
    expect(await outcome(publisher.patch(path, { name: "New" }))).toBe(200);
  });

  test("withdraws what a former admin has invited, and writes nothing if the role is the same", async () => {
    const { body } = await admin.post(`${path}/invitations`, { role: "admin" });
    await ada.patch(await pathOf(admin), { role: "admin" });
    expect(await newest()).toMatchObject({ type: "invitation_created" });
    await ada.patch(await pathOf(admin), { role: "publisher" });
    expect(await outcome((await actors.user()).get(`${path}/invitations/${body.id}`))).toBe("invitation_not_found");
  });

  test("finds no owner, no unknown id and no `me`", async () => {
    for (const id of ["me", "00VbbMCZ9xVv0PpQj3rD2s"])
      expect(await outcome(admin.patch(`${path}/members/${id}`, { role: "admin" }))).toBe("member_not_found");
    expect(await outcome(ada.patch(await pathOf(publisher), { role: "owner" }))).toBe("validation_failed");
  });
});

describe("DELETE /projects/:slug/members/:member", () => {
  test("removes a person, by ID token and by token, from the next request on", async () => {
    const token = await publisher.token();
    expect(await outcome(token.post(`${path}/unpublish`))).toBe(200);
    expect(await outcome(admin.delete(await pathOf(publisher)))).toBe(200);
    expect(await outcome(token.post(`${path}/unpublish`))).toBe("project_not_found");
    expect(await outcome(publisher.get(`${path}/members`))).toBe("project_not_found");
    expect((await publisher.get("/projects")).body.projects).toEqual([]);
    expect(await storedItem(service, keys.ownership(keyOf(publisher), ada.slug))).toBeUndefined();
    expect(await newest()).toMatchObject({
      type: "member_removed",
      by: { uid: admin.uid },
      member: { uid: publisher.uid },
    });
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });

  test("lets a member leave, and an owner stay", async () => {
    expect(await outcome(publisher.delete(await pathOf(admin)))).toBe("project_role_required");
    expect(await outcome(publisher.delete(`${path}/members/me`))).toBe(200);
    expect(await outcome(admin.delete(await pathOf(admin)))).toBe(200);
    expect(await outcome(ada.delete(`${path}/members/me`))).toBe("owner_stays");
    expect((await membersOf()).length).toBe(1);
  });

  test("works in a suspended project, and withdraws what the member has invited", async () => {
    const { body } = await admin.post(`${path}/invitations`, { role: "admin" });
    await set("suspension", suspension);
    expect(await outcome(admin.delete(`${path}/members/me`))).toBe(200);
    expect((await project())?.["invitations"]).not.toHaveProperty(body.id);
  });

  const github = {
    ...{ provider: "github", repository_id: "1", repository_owner_id: "2", workflow: ".github/workflows/publish.yml" },
  };
  const gitlab = { provider: "gitlab", project_id: "3", namespace_id: "4" };
  const jobsOf = async () => (await ada.get(`${path}/publishers`)).body.publishers;

  test.each<[string, () => Person, () => Promise<string>]>([
    ["is removed", () => ada, () => pathOf(admin)],
    ["leaves", () => admin, async () => `${path}/members/me`],
  ])("names the CI jobs that the one who %s has added, and removes them if it is asked to", async (_, by, place) => {
    const { body: own } = await ada.post(`${path}/publishers`, github);
    expect(own.added_by).toMatchObject({ uid: ada.uid, role: "owner" });
    const added = [
      (await admin.post(`${path}/publishers`, gitlab)).body,
      (await admin.post(`${path}/publishers`, { ...github, repository_id: "5" })).body,
    ];
    for (const { added_by } of added) expect(added_by).toMatchObject({ uid: admin.uid, role: "admin" });
    const response = await by().delete(`${await place()}?publishers=remove`);
    const gone = added.map((each) => ({ ...each, added_by: { ...each.added_by, role: null } }));
    expect(response).toMatchObject({ status: 200, body: { publishers: gone } });
    expect(await jobsOf()).toEqual([own]);
    const types = (await ada.get(`${path}/events?limit=3`)).body.events.map(({ type }: { type: string }) => type);
    expect(types.toSorted()).toEqual(["member_removed", "publisher_removed", "publisher_removed"]);
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });

  test("keeps CI jobs unless it is asked to remove them, and says then whose they were", async () => {
    const { body } = await admin.post(`${path}/publishers`, gitlab);
    const named = [{ ...body, added_by: { ...body.added_by, role: null } }];
    expect((await ada.delete(await pathOf(admin))).body).toEqual({ publishers: named });
    expect(await jobsOf()).toEqual(named);
  });

  test("of who may not remove CI jobs is refused if it asks to, and those of a deleted account have no one who added them", async () => {
    await admin.post(`${path}/publishers`, gitlab);
    const stored = (await project())?.["publishers"] as Record<string, unknown>[];
    await set(
      "publishers",
      stored.map((each) => ({ ...each, addedBy: "deleted" })),
    );
    expect(await outcome(publisher.delete(`${path}/members/me?publishers=remove`))).toBe("project_role_required");
    expect((await admin.delete(`${path}/members/me?publishers=remove`)).body).toEqual({ publishers: [] });
    expect(await jobsOf()).toMatchObject([{ ...gitlab, added_by: null }]);
  });

  test("names the CI jobs that the member adds meanwhile too", async () => {
    const place = `${await pathOf(admin)}?publishers=remove`;
    const { body } = await overtakenBy(service)(
      () => ada.delete(place),
      () => admin.post(`${path}/publishers`, gitlab),
    );
    expect(body.publishers).toMatchObject([gitlab]);
    expect(await jobsOf()).toEqual([]);
  });
});

describe("the history of a project", () => {
  const edits = async () =>
    (await publisher.get(`${path}/events`)).body.events.filter(
      ({ type }: { type: string }) => type === "project_edited",
    );

  test("has one line for an edit that is sent again because its response was lost, and one for each other edit", async () => {
    const edit = () => admin.patch(path, { name: "New", description: "Run!" });
    service.recorder.plan(({ operation }) =>
      operation === "TransactWriteItems" ? { kind: "lose-response" } : undefined,
    );
    expect(await outcome(edit())).toBe("temporarily_unavailable");
    service.recorder.plan(undefined);
    const { body } = await edit();
    expect(body).toMatchObject({ name: "New", description: "Run!" });
    expect(await edits()).toMatchObject([{ by: { uid: admin.uid } }]);
    expect((await admin.patch(path, { name: "New" })).body.updated_at).toBe(body.updated_at);
    expect(await outcome(admin.patch(path, { name: "New", description: "Jump!" }))).toBe(200);
    expect((await edits()).length).toBe(2);
  });
});

describe("a notice", () => {
  const refuse = ({ id }: { id: string }) => ada.patch(`${path}/tokens/${id}`, { refused: true });
  const noticed = async (person: Person) =>
    (await everyItem(service)).flatMap(({ PK, type, accountKey: to, project: of }) =>
      String(PK).startsWith("OUTBOX#") && to === keyOf(person) && /^(member_r|project_d|token_ref)/.test(String(type))
        ? [`${type} ${of}`]
        : [],
    );

  test.each<[string, () => Promise<unknown>, string | undefined]>([
    ["another role", async () => admin.patch(await pathOf(publisher), { role: "admin" }), "member_role_changed"],
    ["a removal by another one", async () => admin.delete(await pathOf(publisher)), "member_removed"],
    ["a refused token", async () => refuse(await publisher.token()), "token_refused"],
    ["leaving", () => publisher.delete(`${path}/members/me`), undefined],
  ])("of %s is for the member alone, who does not get it of the own act", async (_, act, type) => {
    await act();
    expect(await noticed(publisher)).toEqual(type ? [`${type} ${ada.slug}`] : []);
    for (const other of [ada, admin]) expect(await noticed(other)).toEqual([]);
  });

  test("of a deletion is for each of the people", async () => {
    await ada.delete(path);
    for (const person of [ada, admin, publisher])
      expect(await noticed(person)).toEqual([`project_deleted ${ada.slug}`]);
  });
});
