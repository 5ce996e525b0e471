import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { type Actor, actorsOf, type Person } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { invitationsOf, outcome, ownedProject } from "../../support/service/owned-project.ts";
import { publish } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, removeAttributes, setAttribute } from "../../support/table/stored.ts";

/*
 * A viewer reads what a project shows its people, and changes nothing. That holds for every route in
 * test/long/security/authorization.test.ts; here is what begins and ends it.
 */

const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
let path: string;
let vera: Person;

beforeEach(async () => {
  path = `/projects/${ada.slug}`;
  vera = await actors.user();
});

const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };
const { account, join, keyOf, project } = ownedProject(service, ada);
const { accept, invite } = invitationsOf(ada);
const html = () => ({ "index.html": crypto.randomUUID() });
const pathOf = async ({ uid }: Person) => {
  const { members } = (await ada.get(`${path}/members`)).body;
  return `${path}/members/${members.find(({ user }: { user: { uid: string } }) => user.uid === uid).id}`;
};
const view = () => join(vera, "viewer");

describe("an account that is no developer's", () => {
  test.each(["link", "name"])("joins as a viewer by a %s, sees the project and stays what it is", async (by) => {
    const made = await invite("viewer", by === "name" ? vera : undefined);
    expect(await accept(vera, made)).toMatchObject({ status: 200, body: { slug: ada.slug, role: "viewer" } });
    expect((await vera.get("/projects")).body).toMatchObject({
      projects: [{ slug: ada.slug, role: "viewer" }],
      people: { [ada.slug]: 2 },
    });
    expect((await vera.get(`${path}/members`)).body.members).toMatchObject([
      { user: { uid: ada.uid }, role: "owner" },
      { user: { uid: vera.uid }, role: "viewer" },
    ]);
    expect(await account(vera)).toMatchObject({ role: "user" });
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  });

  test.each(["publisher", "owner"])("does not join as %s, and its invitation stays", async (role) => {
    const made = await invite(role, vera);
    expect(await outcome(accept(vera, made))).toBe("developer_required");
    expect(await project()).toMatchObject({ ownerKey: keyOf(ada), invitations: { [made.id]: { role } } });
    expect((await vera.get("/projects")).body.projects).toEqual([]);
  });

  test("that is suspended while it joins does not", async () => {
    const made = await invite("viewer", vera);
    const suspend = () => setAttribute(service, keys.account(keyOf(vera)), "suspension", suspension);
    expect(await outcome(overtakenBy(service)(() => accept(vera, made), suspend))).toBe("account_suspended");
    expect(await project()).not.toHaveProperty(["members", keyOf(vera)]);
  });

  test("that gets the role publisher publishes once it is a developer's", async () => {
    await view();
    await ada.patch(await pathOf(vera), { role: "publisher" });
    expect(await outcome(vera.post(`${path}/unpublish`))).toBe("developer_required");
    expect(await outcome(vera.get(`${path}/releases`))).toBe(200);
    await vera.post("/auth/session", { role: "dev" });
    expect(await outcome(vera.post(`${path}/unpublish`))).toBe(200);
  });
});

describe("a viewer", () => {
  test("sees releases, previews and history, but no open invitation, and not what tokens are called", async () => {
    const token = await ada.token({ name: "the office PC" });
    await publish(token, ada.slug, html());
    await ada.patch(`${path}/tokens/${token.id}`, { refused: true });
    await invite("admin");
    await view();
    expect((await vera.get(`${path}/releases`)).body.releases).toMatchObject([{ number: 1, status: "live" }]);
    expect((await vera.get(`${path}/previews`)).body.previews).toEqual([]);
    expect((await vera.get(`${path}/members`)).body.invitations).toEqual([]);
    const types = async (actor: Actor) =>
      (await actor.get(`${path}/events`)).body.events.map(({ type, token_id }: Record<string, string>) => [
        type,
        token_id,
      ]);
    expect(await types(vera)).toEqual(await types(ada));
    const read = await Promise.all(
      ["releases", "previews", "members", "events"].map((list) => vera.get(`${path}/${list}`)),
    );
    expect(JSON.stringify(read.map(({ body }) => body))).not.toContain("the office PC");
    expect(JSON.stringify((await ada.get(`${path}/events`)).body)).toContain("the office PC");
  });

  test("with a token reads within its scopes", async () => {
    const grace = await actors.developer();
    await join(grace, "viewer");
    const token = await grace.token();
    expect(await outcome(token.get(`${path}/members`))).toBe(200);
    expect(await outcome(token.get(`${path}/events`))).toBe("insufficient_scope");
  });

  test("hears of the project's end, and not of who makes live in it", async () => {
    await view();
    await ada.patch(path, { person_makes_live: true });
    await ada.delete(path);
    const told = (await everyItem(service)).flatMap(({ PK, type, accountKey }) =>
      String(PK).startsWith("OUTBOX#") && accountKey === keyOf(vera) && type !== "invitation_received" ? [type] : [],
    );
    expect(told).toEqual(["project_deleted"]);
  });
});

describe("it ends", () => {
  test("while the account is suspended, and leaving works then too", async () => {
    await view();
    await setAttribute(service, keys.account(keyOf(vera)), "suspension", suspension);
    expect(await outcome(vera.get(`${path}/members`))).toBe("account_suspended");
    expect(await outcome(vera.delete(`${path}/members/me`))).toBe(200);
    await removeAttributes(service, keys.account(keyOf(vera)), "suspension");
    expect(await outcome(vera.get(`${path}/members`))).toBe("project_not_found");
  });
});
