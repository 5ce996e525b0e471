import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { invitationsOf, outcome, ownedProject } from "../../support/service/owned-project.ts";
import { publish } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, removeAttributes, setAttribute, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };
let grace: Developer;
let path: string;

beforeEach(async () => {
  grace = await actors.developer();
  path = `/projects/${ada.slug}`;
});

const { copyInvitation, keyOf, project, set } = ownedProject(service, ada);
const { accept, invite } = invitationsOf(ada);
const expire = async (id: string) => {
  const invitations = (await project())?.["invitations"] as Record<string, object>;
  await set("invitations", { ...invitations, [id]: { ...invitations[id], expiresAt: "2026-01-01T00:00:00.000Z" } });
};
const notices = async (person: Person, type: string) =>
  (await everyItem(service)).filter(
    (item) => String(item["PK"]).startsWith("OUTBOX#") && item["type"] === type && item["accountKey"] === keyOf(person),
  );

/** What an invitation as an admin shows to whoever may see it. */
const shownOf = (made: { id: string; expires_at: string }) => ({
  ...made,
  role: "admin",
  from: { uid: ada.uid },
  project: { slug: ada.slug, role: null, storage: null },
});

describe("a link", () => {
  test("works once, for whoever has it, for seven days; only a digest of its secret is stored", async () => {
    const made = await invite("publisher");
    expect(made).toMatchObject({ role: "publisher", to: null, from: { uid: ada.uid }, expires_at: time });
    expect((Date.parse(made.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    expect(JSON.stringify(await everyItem(service))).not.toContain(made.secret);
    const { body } = await accept(grace, made);
    expect(body).toMatchObject({ slug: ada.slug, role: "publisher", edge: null });
    expect(await outcome(accept(await actors.developer(), made))).toBe("invitation_not_found");
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });

  test("shows the same to whoever has the whole link, before they sign in; its visible part shows nothing", async () => {
    const { id, secret, expires_at } = await invite("admin");
    const look = (place: string, body: object) => actors.anonymous.post(`${path}/invitations/${place}/lookup`, body);
    const { status, body } = await look(id, { secret });
    expect({ status, body }).toMatchObject({ status: 200, body: shownOf({ id, expires_at }) });
    expect(JSON.stringify(body)).not.toContain(secret);
    const named = await invite("publisher", grace);
    const refused = [
      look(id, { secret: `${secret}x` }),
      look(named.id, { secret }),
      look("none", { secret }),
      actors.anonymous.post(`/projects/no-game/invitations/${id}/lookup`, { secret }),
    ];
    for (const response of refused) expect(await outcome(response)).toBe("invitation_not_found");
    expect((await look(id, {})).status).toBe(422);
    await set("suspension", suspension);
    expect(await outcome(look(id, { secret }))).toBe("invitation_not_found");
  });

  test("that was accepted, withdrawn or has expired shows nothing, and works no more", async () => {
    const look = async ({ id, secret }: { id: string; secret: string }) =>
      await outcome(actors.anonymous.post(`${path}/invitations/${id}/lookup`, { secret }));
    const [accepted, withdrawn, expired] = [
      await invite("publisher"),
      await invite("publisher"),
      await invite("publisher"),
    ];
    await accept(grace, accepted);
    await ada.delete(`${path}/invitations/${withdrawn.id}`);
    await expire(expired.id);
    expect(await Promise.all([accepted, withdrawn, expired].map(look))).toEqual(Array(3).fill("invitation_not_found"));
    const other = await actors.developer();
    for (const made of [withdrawn, expired]) expect(await outcome(accept(other, made))).toBe("invitation_not_found");
    expect((await ada.get(`${path}/members`)).body.invitations).toEqual([]);
  });

  test("shows who invites, to what and as what, to users without the role dev too", async () => {
    const { id, expires_at } = await invite("admin");
    const user = await actors.user();
    const { status, body } = await user.get(`${path}/invitations/${id}`);
    expect({ status, body }).toMatchObject({ status: 200, body: shownOf({ id, expires_at }) });
    expect(await outcome(user.get(`/projects/${ada.slug}x/invitations/${id}`))).toBe("invitation_not_found");
  });

  test("needs its secret, and somebody who is not one of the people already", async () => {
    const { id, secret } = await invite("publisher");
    expect(await outcome(accept(grace, { id, secret: null }))).toBe("invitation_not_found");
    expect(await outcome(accept(grace, { id, secret: `${secret}x` }))).toBe("invitation_not_found");
    expect(await outcome(accept(ada, { id, secret }))).toBe("already_member");
    expect(await outcome(grace.delete(`${path}/invitations/${id}`))).toBe("invitation_not_found");
    expect(await outcome(accept(grace, { id, secret }))).toBe(200);
  });
});

describe("an invitation to a user", () => {
  test("is listed for this user, with a notice, and nobody else finds it", async () => {
    const made = await invite("admin", grace);
    expect(made).toMatchObject({ to: grace.uid, secret: null });
    expect(await notices(grace, "invitation_received")).toMatchObject([
      { project: ada.slug, expiresAt: made.expires_at },
    ]);
    const received = await storedItem(service, keys.invitation(keyOf(grace), ada.slug));
    expect((Number(received?.["ttl"]) - Date.now() / 1_000) / 86_400).toBeCloseTo(7, 2);
    // Others are invited to the same project.
    await invite("publisher", await actors.developer());
    await invite("publisher");
    const { body } = await grace.get("/invitations");
    expect(body.invitations).toMatchObject([{ id: made.id, role: "admin", project: { slug: ada.slug } }]);
    const other = await actors.developer();
    expect((await other.get("/invitations")).body.invitations).toEqual([]);
    for (const call of [
      other.get(`${path}/invitations/${made.id}`),
      accept(other, made),
      other.delete(`${path}/invitations/${made.id}`),
    ])
      expect(await outcome(call)).toBe("invitation_not_found");
    expect(await outcome(accept(ada, made))).toBe("invitation_not_found");
    expect(await outcome(accept(grace, made))).toBe(200);
    expect((await grace.get("/invitations")).body.invitations).toEqual([]);
    expect(await notices(ada, "member_added")).toHaveLength(1);
  });

  test("sent again stays, and one with another role replaces it", async () => {
    const made = await invite("publisher", grace);
    expect(await invite("publisher", grace)).toEqual(made);
    const other = await invite("admin", grace);
    expect((await grace.get("/invitations")).body.invitations).toMatchObject([{ id: other.id }]);
    expect(await notices(grace, "invitation_received")).toHaveLength(2);
    expect(await outcome(accept(grace, made))).toBe("invitation_not_found");
  });

  test("is refused by the user, and stands in the lists of projects that can be accepted alone", async () => {
    const made = await invite("publisher", grace);
    await set("suspension", suspension);
    expect((await grace.get("/invitations")).body.invitations).toEqual([]);
    expect(await outcome(accept(grace, made))).toBe("project_suspended");
    await removeAttributes(service, keys.project(ada.slug), "suspension");
    expect(await outcome(grace.delete(`${path}/invitations/${made.id}`))).toBe(204);
    expect((await ada.get(`${path}/events`)).body.events[0]).toMatchObject({
      type: "invitation_deleted",
      by: { uid: grace.uid },
    });
  });

  test("finds no unknown user, nobody twice, and not the owner", async () => {
    const sent = (to: string) => ada.post(`${path}/invitations`, { role: "publisher", to });
    expect(await outcome(sent("nobody"))).toBe("user_not_found");
    await addMember(ada, ada.slug, grace, "publisher");
    for (const { uid } of [grace, ada])
      expect((await sent(uid)).body.errors).toEqual([
        { pointer: "/to", detail: "is one of the people of the project already" },
      ]);
    expect((await ada.post(`${path}/invitations`, { role: "owner", to: ada.uid })).status).toBe(422);
  });
});

describe("at most 20 people", () => {
  test("have a project, with its owner and open invitations, of which expired ones do not count", async () => {
    const made = [await invite("publisher"), await invite("publisher")];
    await copyInvitation(19);
    expect(await outcome(ada.post(`${path}/invitations`, { role: "publisher" }))).toBe("member_limit_reached");
    expect(await outcome(ada.post(`${path}/invitations`, { role: "owner", to: grace.uid }))).toBe(200);
    await accept(await actors.developer(), made[0]);
    expect(await outcome(ada.post(`${path}/invitations`, { role: "publisher" }))).toBe("member_limit_reached");
    await expire(made[1].id);
    expect(await outcome(ada.post(`${path}/invitations`, { role: "publisher" }))).toBe(200);
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });
});

describe("handing over", () => {
  test("is the owner's alone, to a named user, and the last one counts, whoever is invited as a member then", async () => {
    const [admin, other] = [await actors.developer(), await actors.user()];
    await addMember(ada, ada.slug, admin, "admin");
    expect((await ada.post(`${path}/invitations`, { role: "owner" })).body.errors).toEqual([
      { pointer: "/to", detail: "must name the new owner" },
    ]);
    const first = await invite("owner", grace);
    expect(await outcome(admin.delete(`${path}/invitations/${first.id}`))).toBe("project_role_required");
    await invite("owner", other);
    expect(await outcome(accept(grace, first))).toBe("invitation_not_found");
    expect((await grace.get("/invitations")).body.invitations).toEqual([]);
    expect(await storedItem(service, keys.invitation(keyOf(grace), ada.slug))).toBeUndefined();
    await invite("publisher", grace);
    for (const role of ["publisher", "admin"])
      expect(await outcome(admin.post(`${path}/invitations`, { role, to: other.uid }))).toBe("project_role_required");
    expect((await other.get("/invitations")).body.invitations).toMatchObject([{ role: "owner" }]);
    await invite("admin", other);
    expect((await other.get("/invitations")).body.invitations).toMatchObject([{ role: "admin" }]);
  });

  test("gives all to the new owner: nothing of the previous one lives on, and members stay", async () => {
    const [admin, invited] = [await actors.developer(), await actors.developer()];
    await addMember(ada, ada.slug, admin, "admin");
    await addMember(ada, ada.slug, grace, "publisher");
    await publish(ada, ada.slug, { "index.html": "1" });
    const [token, link] = [await ada.token({ scopes: ["projects"] }), await invite("admin", invited)];
    const draft = { files: [{ path: "index.html", size: 5_000, sha256: "d".repeat(64) }] };
    expect((await (await ada.token({ scopes: ["preview"] })).post(`${path}/releases`, draft)).status).toBe(201);
    await accept(grace, await invite("owner", grace));
    expect(await outcome(token.patch(path, { name: "Mine" }))).toBe("project_not_found");
    expect(await outcome(ada.get(`${path}/members`))).toBe("project_not_found");
    expect(await outcome(accept(invited, link))).toBe("invitation_not_found");
    const { members } = (await grace.get(`${path}/members`)).body;
    expect(members).toMatchObject([
      { user: { uid: grace.uid }, role: "owner" },
      { user: { uid: admin.uid }, role: "admin" },
    ]);
    expect((await grace.get("/me")).body.storage.objects).toBe(4);
    expect(await notices(ada, "project_handed_over")).toHaveLength(1);
    expect((await grace.get(`${path}/events`)).body.events[0]).toMatchObject({
      type: "project_received",
      role: "owner",
    });
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });

  test("needs room for one more project and for what it stores", async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
    const made = await invite("owner", grace);
    await setAttribute(service, keys.account(keyOf(grace)), "projectCount", 50);
    expect(await outcome(accept(grace, made))).toBe("project_limit_reached");
    await setAttribute(service, keys.account(keyOf(grace)), "projectCount", 0);
    await setAttribute(service, keys.ledger(keyOf(grace)), "usedBytes", 50 * 1024 ** 3);
    expect(await outcome(accept(grace, made))).toBe("quota_exceeded");
  });
});

describe("the end of things", () => {
  test("a deleted project keeps its members for its restoration, and no invitation", async () => {
    await addMember(ada, ada.slug, grace, "publisher");
    const made = await invite("publisher", await actors.developer());
    await ada.delete(path);
    expect(await outcome(grace.get(`${path}/members`))).toBe("project_deleted");
    const [own, members] = [await notices(ada, "project_deleted"), await notices(grace, "project_deleted")];
    expect(members).toEqual([
      {
        ...own[0],
        ...{ PK: expect.anything(), SK: expect.anything(), id: expect.any(String) },
        accountKey: keyOf(grace),
      },
    ]);
    expect(members[0]?.["id"]).not.toBe(own[0]?.["id"]);
    expect(brokenInvariants(await everyItem(service)).filter((line) => line.includes("notice"))).toEqual([]);
    for (const state of ["active", "deleted"])
      expect((await grace.get(`/projects?state=${state}`)).body.projects).toEqual([]);
    await ada.post(`${path}/restore`);
    expect((await grace.get("/projects")).body.projects).toMatchObject([{ role: "publisher" }]);
    expect(await outcome(accept(grace, made))).toBe("invitation_not_found");
  });

  test("an account that is deleted leaves its projects, deleted ones too, and those that it owns keep it", async () => {
    await addMember(ada, ada.slug, grace, "admin");
    await invite("publisher", undefined, grace);
    await ada.delete(path);
    expect(await outcome(ada.delete("/me"))).toBe(204);
    expect(await outcome(grace.delete("/me"))).toBe(204);
    expect(await project()).toMatchObject({ members: {}, invitations: {} });
    expect(
      await everyItem(service).then((items) => items.filter(({ PK }) => PK === `ACCOUNT#${keyOf(grace)}`)),
    ).toMatchObject([{ SK: "TOMBSTONE" }]);
  });

  test("an account that owns a project with members hands it over or deletes it first", async () => {
    await addMember(ada, ada.slug, grace, "admin");
    expect(await outcome(ada.delete("/me"))).toBe("projects_left");
    await accept(grace, await invite("owner", grace));
    expect(await outcome(ada.delete("/me"))).toBe(204);
    expect(
      (await grace.get(`${path}/events`)).body.events.map(({ by }: { by: object | null }) => by !== null),
    ).toContain(false);
  });

  test("a suspended member is refused at once, and the member's role stays", async () => {
    await addMember(ada, ada.slug, grace, "publisher");
    const token = await grace.token();
    await setAttribute(service, keys.account(keyOf(grace)), "suspension", suspension);
    for (const actor of [grace, token])
      expect(await outcome(actor.post(`${path}/unpublish`))).toBe("account_suspended");
    await removeAttributes(service, keys.account(keyOf(grace)), "suspension");
    expect(await outcome(token.post(`${path}/unpublish`))).toBe(200);
  });

  test("the next project with the slug has neither the people nor the history", async () => {
    await addMember(ada, ada.slug, grace, "admin");
    await ada.delete(path);
    await set("sweptAt", "2026-01-01T00:00:00.000Z");
    expect(await outcome(ada.post("/projects", { slug: ada.slug }))).toBe(201);
    expect(await outcome(grace.get(`${path}/members`))).toBe("project_not_found");
    expect((await ada.get(`${path}/events`)).body.events).toMatchObject([{ type: "project_created" }]);
    expect((await grace.get("/projects")).body.projects).toEqual([]);
  });
});
