import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { addMember, type Owner, withProject } from "../../support/service/operations.ts";
import { newProject } from "../../support/service/steps.ts";
import { useRecordedService } from "../../support/service/suite.ts";
import { copyToken, setAttribute, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useRecordedService();
const actors = actorsOf(service);
let ada: Owner;
let grace: Developer;
let path: string;

beforeEach(async () => {
  ada = await withProject(await actors.developer({ name: "Ada" }));
  grace = await actors.otherDeveloper();
  path = `/projects/${ada.slug}`;
  await addMember(ada, ada.slug, grace, "publisher");
});

const decide = (id: string, refused = true) => ada.patch(`${path}/tokens/${id}`, { refused });
const refusal = { status: 403, body: { code: "token_refused" } };
const all = { scopes: ["publish", "projects"] };

describe("the owner", () => {
  test("lists those that can act on the project, whose they are, and no other project", async () => {
    const other = await newProject(grace);
    const [first, narrowed] = [await grace.token({ name: "CI" }), await grace.token({ projects: [ada.slug, other] })];
    const [elsewhere, ended] = [await grace.token({ projects: [other] }), await grace.token()];
    await grace.delete(`/tokens/${ended.id}`);
    await first.get(`${path}/releases`);
    const own = await ada.token();
    const { status, body } = await ada.get(`${path}/tokens`);
    expect([status, body.next_cursor]).toEqual([200, null]);
    expect(body.tokens[0]).toEqual({
      id: first.id,
      name: "CI",
      hint: first.credential.slice(-4),
      user: expect.objectContaining({ uid: grace.uid }),
      role: "publisher",
      scopes: ["publish"],
      all_projects: true,
      created_at: time,
      expires_at: time,
      last_used_at: time,
      refused_at: null,
    });
    const listed = body.tokens.map(({ id, role, all_projects }: Record<string, unknown>) => [id, role, all_projects]);
    expect(new Set(listed)).toEqual(
      new Set([
        [first.id, "publisher", true],
        [narrowed.id, "publisher", false],
        [own.id, "owner", true],
      ]),
    );
    expect(JSON.stringify(body)).not.toContain(other);
    expect(await decide(elsewhere.id)).toMatchObject({ status: 404, body: { code: "token_not_found" } });
    expect(await decide(ended.id)).toMatchObject({ status: 404 });
  });

  test("reads them by pages", async () => {
    const ids = [];
    for (const person of [ada, grace, grace]) ids.push((await person.token()).id);
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await ada.get(`${path}/tokens?limit=1${cursor}`);
      seen.push(...body.tokens.map(({ id }: { id: string }) => id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(ids.toSorted());
  });

  test("alone decides, in person", async () => {
    const { id } = await grace.token();
    const admin = await actors.otherDeveloper();
    await addMember(ada, ada.slug, admin, "admin");
    const token = await ada.token(all);
    for (const [caller, code] of [
      [grace, "project_role_required"],
      [admin, "project_role_required"],
      [token, "session_required"],
    ] as const) {
      expect(await caller.get(`${path}/tokens`)).toMatchObject({ status: 403, body: { code } });
      expect(await caller.patch(`${path}/tokens/${id}`, { refused: true })).toMatchObject({
        status: 403,
        body: { code },
      });
    }
  });

  test("is in the history with what the token is called, once if it is so already", async () => {
    const { id } = await grace.token({ name: "CI" });
    for (const refused of [true, true, false, false])
      expect(await decide(id, refused)).toMatchObject({ status: 200, body: { refused_at: refused ? time : null } });
    const { events } = (await ada.get(`${path}/events`)).body;
    const [taken, refused, ...others] = events;
    expect(taken).toMatchObject({ type: "token_taken_again", token_name: "CI" });
    expect(refused).toMatchObject({
      ...{ type: "token_refused", token_id: id, token_name: "CI" },
      ...{ by: { uid: ada.uid }, member: { uid: grace.uid } },
    });
    expect(others.filter(({ type }: { type: string }) => type.startsWith("token_"))).toEqual([]);
  });
});

describe("a token that the owner refuses", () => {
  test("acts in other projects, lists no project that refuses it, and other tokens act in this one", async () => {
    const token = await grace.token(all);
    const own = await newProject(grace);
    const slugs = async () => (await token.get("/projects")).body.projects.map(({ slug }: { slug: string }) => slug);
    expect(new Set(await slugs())).toEqual(new Set([ada.slug, own]));
    await decide(token.id);
    expect(await slugs()).toEqual([own]);
    expect((await token.get(`/projects/${own}/releases`)).status).toBe(200);
    expect((await (await grace.token()).get(`${path}/releases`)).status).toBe(200);
    expect((await grace.get(`${path}/releases`)).status).toBe(200);
  });

  test("stays refused if its person leaves and comes back", async () => {
    const token = await grace.token();
    await decide(token.id);
    await grace.delete(`${path}/members/me`);
    await addMember(ada, ada.slug, grace, "admin");
    expect(await token.get(`${path}/releases`)).toMatchObject(refusal);
  });

  test("stays refused if others are refused after it, until it has ended", async () => {
    const [first, second, third] = [await grace.token(), await grace.token(), await grace.token()];
    for (const { id } of [first, second]) await decide(id);
    expect(await first.get(`${path}/releases`)).toMatchObject(refusal);
    await grace.delete(`/tokens/${first.id}`);
    await decide(third.id);
    const stored = await storedItem(service, keys.project(ada.slug));
    expect(new Set(Object.keys(stored?.["refusedTokens"] as object))).toEqual(new Set([second.id, third.id]));
  });

  test("is one of 100 at most, those not counted that have ended", async () => {
    const [{ id: first }, { id }] = [await grace.token(), await ada.token()];
    const theirs = accountKey(service.issuer, grace.uid);
    const ids = await copyToken(service, theirs, first, 100);
    const refused = ids.map((each) => [each, { at: new Date().toISOString(), accountKey: theirs }]);
    await setAttribute(service, keys.project(ada.slug), "refusedTokens", Object.fromEntries(refused));
    expect(await decide(id)).toMatchObject({ status: 409, body: { code: "refused_token_limit_reached" } });
    await grace.delete(`/tokens/${first}`);
    expect((await decide(id)).status).toBe(200);
  });

  test("that replaces a refused one is refused, and what replaces it too", async () => {
    const first = await grace.token();
    await decide(first.id);
    let id = first.id;
    for (const _ of ["second", "third"]) {
      const { body } = await grace.post(`/tokens/${id}/replacement`);
      expect(await actors.bearer(body.token).get(`${path}/releases`)).toMatchObject(refusal);
      id = body.id;
    }
    expect((await decide(id, false)).status).toBe(200);
    expect((await first.get(`${path}/releases`)).status).toBe(200);
  });
});
