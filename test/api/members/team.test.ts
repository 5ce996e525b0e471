import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { invitationsOf, outcome, ownedProject } from "../../support/service/owned-project.ts";
import { exported, handOver, newProject, newSlug } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, removeAttributes, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * One invitation to several projects of an owner and to those to come, and the removal from all.
 */
const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };
let grace: Developer;
let [first, second] = ["", ""];

beforeEach(async () => {
  grace = await actors.developer();
  [first, second] = [await newProject(ada), await newProject(ada)].toSorted() as [string, string];
});

const { copyInvitation, keyOf } = ownedProject(service, ada);
const { accept } = invitationsOf(ada);
const invite = async (body: object) =>
  await ada.post(`/projects/${ada.slug}/invitations`, { role: "publisher", ...body });
const roleOf = async (person: Person, slug: string) =>
  (await person.get(`/projects?slug=${slug}`)).body.projects[0]?.role ?? null;
const rolesOf = async (person: Person, slugs = [ada.slug, first, second]) =>
  await Promise.all(slugs.map((slug) => roleOf(person, slug)));
const create = async (slug = newSlug()) => {
  expect((await ada.post("/projects", { slug })).status).toBe(201);
  return slug;
};
const memberId = async ({ uid }: Person) =>
  (await ada.get(`/projects/${ada.slug}/members`)).body.members.find(
    ({ user }: { user: { uid: string } }) => user.uid === uid,
  ).id;
const people = async () => (await ada.get("/team")).body.people;
const noticesOf = async (person: Person) =>
  (await everyItem(service))
    .filter((item) => String(item["PK"]).startsWith("OUTBOX#") && item["accountKey"] === keyOf(person))
    .map(({ type }) => type);
const intact = async () => expect(brokenInvariants(await everyItem(service))).toEqual([]);

describe("one invitation to several projects", () => {
  test("is accepted once, gives the role in each, and the owner gets one notice", async () => {
    const { status, body } = await invite({ projects: [first, second, ada.slug] });
    expect({ status, body }).toMatchObject({ status: 200, body: { more_projects: [first, second], future: false } });
    const accepted = await accept(grace, body);
    expect(accepted.body).toMatchObject({
      slug: ada.slug,
      role: "publisher",
      future: false,
      more_projects: [first, second].map((slug) => ({ slug, result: "joined" })),
    });
    expect(await rolesOf(grace)).toEqual(["publisher", "publisher", "publisher"]);
    expect((await noticesOf(ada)).filter((type) => type === "member_added")).toHaveLength(1);
    expect((await ada.get(`/projects/${second}/events`)).body.events[0]).toMatchObject({
      type: "member_added",
      by: { uid: grace.uid },
      member: { uid: grace.uid },
      role: "publisher",
    });
    expect(await outcome(accept(await actors.developer(), body))).toBe("invitation_not_found");
    expect(await roleOf(grace, await create())).toBeNull();
    await intact();
  });

  test("shows its other projects to who made it, who is named and who has the whole link alone", async () => {
    const admin = await actors.developer();
    await addMember(ada, ada.slug, admin, "admin");
    const link = (await invite({ projects: [first] })).body;
    const named = (await invite({ projects: [first], to: grace.uid })).body;
    const path = `/projects/${ada.slug}`;
    const seen = async (person: Person, id: string) =>
      (await person.get(`${path}/invitations/${id}`)).body.more_projects;
    const { body } = await actors.anonymous.post(`${path}/invitations/${link.id}/lookup`, { secret: link.secret });
    expect(body.more_projects).toEqual([first]);
    expect((await grace.get("/invitations")).body.invitations[0].more_projects).toEqual([first]);
    expect(await seen(grace, named.id)).toEqual([first]);
    expect([await seen(grace, link.id), await seen(admin, named.id), await seen(admin, link.id)]).toEqual([[], [], []]);
    const lists = [ada, admin].map(async (person) =>
      (await person.get(`${path}/members`)).body.invitations.map(
        ({ more_projects }: { more_projects: string[] }) => more_projects,
      ),
    );
    expect(await Promise.all(lists)).toEqual([
      [[first], [first]],
      [[], []],
    ]);
  });

  test.each<[string, (other: string) => Promise<unknown>, unknown]>([
    ["is not there", async () => newSlug(), "project_not_found"],
    ["is another developer's", async () => newProject(await actors.developer()), "project_not_found"],
    [
      "is one in which the caller is an admin",
      async () => {
        const other = await actors.developer();
        const slug = await newProject(other);
        await addMember(other, slug, ada, "admin");
        return slug;
      },
      "project_role_required",
    ],
    ["is deleted", async (slug) => ada.delete(`/projects/${slug}`).then(() => slug), "project_deleted"],
    [
      "is suspended",
      async (slug) => setAttribute(service, keys.project(slug), "suspension", suspension).then(() => slug),
      "project_suspended",
    ],
  ])("is refused whole if one of them %s", async (_, of, code) => {
    const other = await of(first);
    expect(await outcome(invite({ projects: [second, other] }))).toBe(code);
    expect((await ada.get(`/projects/${ada.slug}/members`)).body.invitations).toEqual([]);
  });

  test("is the owner's alone, and no hand-over", async () => {
    const admin = await actors.developer();
    await addMember(ada, ada.slug, admin, "admin");
    for (const more of [{ future: true }, { projects: [await newProject(admin)] }])
      expect(await outcome(admin.post(`/projects/${ada.slug}/invitations`, { role: "viewer", ...more }))).toBe(
        "project_role_required",
      );
    for (const more of [{ future: true }, { projects: [first] }])
      expect((await invite({ role: "owner", to: grace.uid, ...more })).body.errors).toMatchObject([
        { pointer: "/role" },
      ]);
  });

  test("to the same user and projects stays; to others it is replaced", async () => {
    const made = (await invite({ to: grace.uid, projects: [first] })).body;
    expect((await invite({ to: grace.uid, projects: [first] })).body.id).toBe(made.id);
    for (const more of [{ projects: [first, second] }, { projects: [first], future: true }, {}]) {
      const { body } = await invite({ to: grace.uid, ...more });
      expect(body.id).not.toBe(made.id);
      expect((await grace.get("/invitations")).body.invitations).toMatchObject([{ id: body.id }]);
    }
  });

  test("joins what the owner still owns, has room in, and does not have the person already", async () => {
    const [handed, full, deleted, suspended] = [await create(), await create(), await create(), await create()];
    const other = await actors.developer();
    await addMember(ada, first, grace, "viewer");
    const all = { [first]: "already_member", [second]: "joined" };
    const expected = { ...all, [handed]: "unavailable", [full]: "member_limit_reached", [deleted]: "unavailable" };
    const { body } = await invite({ projects: [...Object.keys(expected), suspended] });
    await handOver(ada, handed, other);
    await ada.post(`/projects/${full}/invitations`, { role: "viewer" });
    await copyInvitation(19, full);
    await ada.delete(`/projects/${deleted}`);
    await setAttribute(service, keys.project(suspended), "suspension", suspension);
    const accepted = (await accept(grace, body)).body;
    const results = accepted.more_projects.map(({ slug, result }: { slug: string; result: string }) => [slug, result]);
    expect(Object.fromEntries(results)).toEqual({ ...expected, [suspended]: "unavailable" });
    expect(await rolesOf(grace)).toEqual(["publisher", "viewer", "publisher"]);
    expect(await roleOf(grace, handed)).toBeNull();
    for (const slug of [full, deleted, suspended, handed])
      expect((await storedItem(service, keys.project(slug)))?.["members"] ?? {}).not.toHaveProperty(keyOf(grace));
    await removeAttributes(service, keys.project(suspended), "suspension");
    await intact();
  });

  test("has room for the twentieth person of another project", async () => {
    await ada.post(`/projects/${first}/invitations`, { role: "viewer" });
    await copyInvitation(18, first);
    const accepted = (await accept(grace, (await invite({ projects: [first] })).body)).body;
    expect(accepted.more_projects).toEqual([{ slug: first, result: "joined" }]);
    await intact();
  });

  test("goes with the project that it stands in", async () => {
    const [deleted, handed] = [(await invite({ projects: [first] })).body, await create()];
    const { body } = await ada.post(`/projects/${handed}/invitations`, { role: "viewer", projects: [second] });
    await handOver(ada, handed, await actors.developer());
    await ada.delete(`/projects/${ada.slug}`);
    expect(await outcome(accept(grace, deleted))).toBe("invitation_not_found");
    expect(
      await outcome(grace.post(`/projects/${handed}/invitations/${body.id}/acceptance`, { secret: body.secret })),
    ).toBe("invitation_not_found");
    expect(await rolesOf(grace)).toEqual([null, null, null]);
  });

  test("is not accepted by who made it, and a member of its project joins the others", async () => {
    const { body } = await invite({ projects: [first] });
    expect(await outcome(accept(ada, body))).toBe("already_member");
    await addMember(ada, ada.slug, grace, "viewer");
    expect((await accept(grace, body)).body).toMatchObject({ role: "viewer", more_projects: [{ result: "joined" }] });
    expect(await rolesOf(grace)).toEqual(["viewer", "publisher", null]);
    expect(await outcome(accept(await actors.developer(), body))).toBe("invitation_not_found");
  });

  test("needs a developer for each role but viewer", async () => {
    const user = await actors.user();
    expect(await outcome(accept(user, (await invite({ projects: [first] })).body))).toBe("developer_required");
    await accept(user, (await invite({ role: "viewer", projects: [first] })).body);
    expect(await rolesOf(user)).toEqual(["viewer", "viewer", null]);
  });

  test("needs a person who has just signed in if a person makes live in one of them", async () => {
    const made = (await invite({ projects: [first] })).body;
    await setAttribute(service, keys.project(first), "personMakesLive", true);
    const old = { auth_time: Math.floor(Date.now() / 1_000) - 3_600 };
    const [owner, person] = [
      await actors.stranger({ sub: ada.uid, ...old }),
      await actors.stranger({ sub: grace.uid, ...old }),
    ];
    const path = `/projects/${ada.slug}/invitations`;
    expect(await outcome(owner.post(path, { role: "viewer", projects: [first] }))).toBe("recent_sign_in_required");
    expect(await outcome(owner.post(path, { role: "viewer", projects: [second] }))).toBe(200);
    expect(await outcome(accept(person, made))).toBe("recent_sign_in_required");
    expect(await rolesOf(grace)).toEqual([null, null, null]);
  });
});

describe("an invitation to projects to come", () => {
  const join = async (person: Person = grace, role = "publisher") =>
    await accept(person, (await invite({ role, future: true })).body);

  test("gives the role in each project that the owner creates from then on, and in none that exists", async () => {
    expect((await join()).body).toMatchObject({ future: true, more_projects: [] });
    const slug = await create();
    expect(await rolesOf(grace, [ada.slug, first, second, slug])).toEqual(["publisher", null, null, "publisher"]);
    const { members } = (await ada.get(`/projects/${slug}/members`)).body;
    expect(members).toMatchObject([
      { role: "owner", by_team: false },
      { role: "publisher", by_team: true, user: { uid: grace.uid } },
    ]);
    expect((await ada.get(`/projects/${slug}/events`)).body.events).toContainEqual(
      expect.objectContaining({ type: "member_added", by: expect.objectContaining({ uid: ada.uid }) }),
    );
    expect((await ada.get("/me/events")).body.events).toContainEqual(
      expect.objectContaining({ type: "team_member_added", project: ada.slug }),
    );
    await intact();
  });

  test("gives it in projects that were created before it was accepted, too", async () => {
    const { body } = await invite({ future: true });
    const slug = await create();
    expect((await accept(grace, body)).body.more_projects).toEqual([{ slug, result: "joined" }]);
    expect(await rolesOf(grace, [first, slug])).toEqual([null, "publisher"]);
  });

  test("also if a token creates the project, which makes no member that a person has not decided", async () => {
    await join();
    const slug = newSlug();
    const token = await ada.token({ scopes: ["projects"] });
    expect((await token.post("/projects", { slug })).status).toBe(201);
    expect(await roleOf(grace, slug)).toBe("publisher");
    expect(await outcome(token.post(`/projects/${slug}/invitations`, { role: "viewer", future: true }))).toBe(
      "session_required",
    );
  });

  test("leaves out who is suspended, and who is no developer as the role demands", async () => {
    const user = await actors.user();
    await join();
    await join(user, "viewer");
    await setAttribute(service, keys.account(keyOf(grace)), "suspension", suspension);
    const slug = await create();
    await removeAttributes(service, keys.account(keyOf(grace)), "suspension");
    expect([await roleOf(grace, slug), await roleOf(user, slug)]).toEqual([null, "viewer"]);
    await setAttribute(service, keys.account(keyOf(grace)), "role", "user");
    const other = await create();
    await setAttribute(service, keys.account(keyOf(grace)), "role", "dev");
    expect([await roleOf(grace, other), await roleOf(user, other)]).toEqual([null, "viewer"]);
    await intact();
  });

  test("is to at most 19 people, and a project that they join has 20", async () => {
    const all = await Promise.all(Array.from({ length: 18 }, () => actors.developer()));
    await join();
    // By another project than the one of the next invitations, which has room for 20 too.
    for (const person of all) await addMember(ada, second, person, "admin", { future: true });
    const late = await actors.developer();
    expect((await join(late)).body).toMatchObject({ role: "publisher", future: false });
    const slug = await create();
    expect((await ada.get(`/projects/${slug}/members`)).body.members).toHaveLength(20);
    expect([await roleOf(grace, slug), await roleOf(late, slug)]).toEqual(["publisher", null]);
    // With another role they keep their place.
    await ada.delete(`/projects/${ada.slug}/members/${await memberId(grace)}`);
    expect((await join(grace, "viewer")).body.future).toBe(true);
    expect(await roleOf(grace, await create())).toBe("viewer");
    await intact();
  });

  test("is not the new owner's of a project that is handed over, and its members stay", async () => {
    const other = await actors.developer();
    await join();
    const slug = await create();
    await handOver(ada, slug, other);
    expect(await roleOf(grace, slug)).toBe("publisher");
    const theirs = await newProject(other);
    expect(await roleOf(grace, theirs)).toBeNull();
    await ada.delete(`/team?uid=${grace.uid}`);
    expect(await roleOf(grace, slug)).toBe("publisher");
  });

  test("ends by the person's own decision, who keeps the projects that exist", async () => {
    await join();
    const slug = await create();
    expect((await grace.get("/team")).body.teams).toMatchObject([{ owner: { uid: ada.uid }, role: "publisher" }]);
    expect((await grace.delete(`/team?owner=${ada.uid}`)).body).toEqual({ projects: [], publishers: [] });
    expect((await grace.get("/team")).body.teams).toEqual([]);
    expect(await rolesOf(grace, [slug, await create()])).toEqual(["publisher", null]);
    await intact();
  });

  test("ends with either account, and a person who signs up again has nothing of it", async () => {
    const other = await actors.developer();
    const theirs = await newProject(other);
    const { body } = await other.post(`/projects/${theirs}/invitations`, {
      role: "viewer",
      future: true,
      to: grace.uid,
    });
    await grace.post(`/projects/${theirs}/invitations/${body.id}/acceptance`);
    await join();
    expect((await exported(ada)).records).toContainEqual(
      expect.objectContaining({ kind: "team_member", uid: grace.uid, role: "publisher" }),
    );
    expect((await exported(grace)).records.filter(({ kind }) => kind === "team")).toHaveLength(2);
    await other.delete(`/projects/${theirs}`);
    expect((await other.delete("/me")).status).toBe(204);
    expect(await storedItem(service, keys.teamMembership(keyOf(grace), keyOf(other)))).toBeUndefined();
    expect((await grace.delete("/me")).status).toBe(204);
    await grace.post("/auth/session", { role: "dev" });
    expect(await people()).toEqual([]);
    expect(await roleOf(grace, await create())).toBeNull();
    await intact();
  });
});

describe("the removal from all", () => {
  test("ends every role, also in deleted projects, every invitation, and what is to come", async () => {
    const deleted = await create();
    await addMember(ada, ada.slug, grace, "admin", { projects: [first, deleted], future: true });
    const made = (await grace.post(`/projects/${ada.slug}/invitations`, { role: "publisher" })).body;
    await ada.delete(`/projects/${deleted}`);
    await ada.post(`/projects/${second}/invitations`, { role: "viewer", to: grace.uid });
    const { status, body } = await ada.delete(`/team?uid=${grace.uid}`);
    expect({ status, slugs: body.projects.toSorted() }).toEqual({
      status: 200,
      slugs: [ada.slug, first, deleted].toSorted(),
    });
    expect((await noticesOf(grace)).filter((type) => type === "member_removed")).toHaveLength(1);
    expect((await grace.get("/invitations")).body.invitations).toEqual([]);
    await ada.post(`/projects/${deleted}/restore`);
    expect(await rolesOf(grace, [ada.slug, first, second, deleted, await create()])).toEqual(Array(5).fill(null));
    expect(await outcome(accept(await actors.developer(), made))).toBe("invitation_not_found");
    expect(await people()).toEqual([]);
    expect((await ada.delete(`/team?uid=${grace.uid}`)).body).toEqual({ projects: [], publishers: [] });
    await intact();
  });

  test("is the owner's of their own projects alone", async () => {
    const other = await actors.developer();
    await addMember(ada, ada.slug, grace, "publisher", { future: true });
    await addMember(ada, ada.slug, other, "admin");
    await other.delete(`/team?uid=${grace.uid}`);
    expect(await rolesOf(grace, [ada.slug, await create()])).toEqual(["publisher", "publisher"]);
    for (const query of ["", `?uid=${grace.uid}&owner=${ada.uid}`])
      expect(await outcome(other.delete(`/team${query}`))).toBe("invalid_parameters");
  });

  test("ends what is to come alone, if the person keeps the projects", async () => {
    await addMember(ada, ada.slug, grace, "publisher", { future: true });
    await ada.post(`/projects/${first}/invitations`, { role: "viewer", to: grace.uid, future: true });
    await ada.post(`/projects/${second}/invitations`, { role: "viewer", to: grace.uid });
    expect((await ada.delete(`/team?uid=${grace.uid}&projects=keep`)).body.projects).toEqual([]);
    expect((await grace.get("/invitations")).body.invitations).toMatchObject([{ project: { slug: second } }]);
    expect(await rolesOf(grace, [ada.slug, await create()])).toEqual(["publisher", null]);
  });

  test("names the CI jobs that the person added, and removes them if it is asked to", async () => {
    const jobs = {
      provider: "github",
      repository_id: "7",
      repository_owner_id: "1",
      workflow: ".github/workflows/a.yml",
    };
    await addMember(ada, ada.slug, grace, "admin", { projects: [first] });
    for (const slug of [ada.slug, first]) await grace.post(`/projects/${slug}/publishers`, jobs);
    const again = async (publishers: string) =>
      (await ada.delete(`/team?uid=${grace.uid}&publishers=${publishers}`)).body;
    const kept = await again("keep");
    expect(kept.publishers.map(({ project }: { project: string }) => project).toSorted()).toEqual(
      [ada.slug, first].toSorted(),
    );
    expect((await ada.get(`/projects/${first}/publishers`)).body.publishers).toHaveLength(1);
    await addMember(ada, second, grace, "admin");
    await grace.post(`/projects/${second}/publishers`, jobs);
    await again("remove");
    expect((await ada.get(`/projects/${second}/publishers`)).body.publishers).toEqual([]);
  });
});

describe("the list of people", () => {
  test("has the people of all own projects with their roles, and open invitations to several", async () => {
    await addMember(ada, first, grace, "viewer", { future: true });
    const slug = await create();
    const { id } = (await invite({ projects: [second] })).body;
    await ada.post(`/projects/${second}/invitations`, { role: "viewer" });
    const { body } = await ada.get("/team");
    expect(body.people).toMatchObject([{ user: { uid: grace.uid }, future: "viewer" }]);
    expect(
      body.people[0].projects.toSorted((a: { slug: string }, b: { slug: string }) => (a.slug < b.slug ? -1 : 1)),
    ).toEqual([first, slug].toSorted().map((each) => ({ slug: each, role: "viewer" })));
    expect(body.invitations).toMatchObject([
      { project: ada.slug, invitation: { id, more_projects: [second], from: { uid: ada.uid } } },
    ]);
    expect(JSON.stringify(body)).not.toContain("@");
    expect((await grace.get("/team")).body).toMatchObject({ people: [], invitations: [], teams: [{ role: "viewer" }] });
  });

  test("for a narrowed token, and one that a project refuses, is of the other projects", async () => {
    await addMember(ada, first, grace, "viewer", { projects: [second], future: true });
    await invite({ projects: [second] });
    const token = await ada.token({ scopes: ["publish"], projects: [first] });
    expect((await token.get("/team")).body).toEqual({
      people: [expect.objectContaining({ future: null, projects: [{ slug: first, role: "viewer" }] })],
      invitations: [],
      teams: [],
    });
    const wide = await ada.token({ scopes: ["publish"] });
    await ada.patch(`/projects/${first}/tokens/${wide.id}`, { refused: true });
    const [person] = (await wide.get("/team")).body.people;
    expect(person.projects).toEqual([{ slug: second, role: "viewer" }]);
  });
});
