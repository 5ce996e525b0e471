import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { accountKey, type Key, keys } from "../functions/table/keys.ts";
import { type Actor, type Actors, actorsOf, type Developer, type Person } from "./support/actors.ts";
import { newProject, newSlug } from "./support/publishing.ts";
import { startStage, type TestStage } from "./support/stage.ts";

let stage: TestStage;
let actors: Actors;

beforeAll(async () => {
  stage = await startStage();
  actors = actorsOf(stage);
});

afterAll(async () => {
  await stage.stop();
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function keyOf({ uid }: Person): string {
  return accountKey(stage.issuer, uid);
}

async function stored(key: Key) {
  const { Item } = await stage.table.send(
    new GetCommand({ TableName: stage.tableName, Key: key, ConsistentRead: true }),
  );
  return Item;
}

async function storedEvents(person: Person) {
  const { Items = [] } = await stage.table.send(
    new QueryCommand({
      TableName: stage.tableName,
      KeyConditionExpression: "PK = :partition AND begins_with(SK, :prefix)",
      ExpressionAttributeValues: { ":partition": keys.account(keyOf(person)).PK, ":prefix": "EVENT#" },
      ConsistentRead: true,
    }),
  );
  return Items;
}

/** What every route for developers answers to callers who are not, whatever the rest of the request. */
async function expectRefusals(call: (actor: Actor) => Promise<unknown>, scope?: "projects"): Promise<void> {
  const refused = (status: number, code: string) =>
    expect.objectContaining({ status, body: expect.objectContaining({ code }) });
  expect(await call(actors.anonymous)).toEqual(refused(401, "credential_missing"));
  expect(await call(actors.bearer("pat_mistyped"))).toEqual(refused(401, "token_invalid"));
  expect(await call(await actors.stranger())).toEqual(refused(403, "account_required"));
  expect(await call(await actors.user())).toEqual(refused(403, "developer_required"));
  if (scope === undefined) return;
  const { status, headers, body } = (await call(await actors.token("publish"))) as Awaited<ReturnType<Actor["get"]>>;
  expect({ status, code: body.code }).toEqual({ status: 403, code: "insufficient_scope" });
  expect(body.detail).toBe(
    "This needs the scope projects; the personal access token has publish. Create one that has it.",
  );
  expect(headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="projects"');
}

describe("POST /projects", () => {
  test("creates a project with its ownership, its place in the count and its event", async () => {
    const ada = await actors.developer();
    const slug = newSlug();
    const { status, headers, body } = await ada.post("/projects", { slug, name: "My game", description: "Jump!" });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      slug,
      name: "My game",
      description: "Jump!",
      created_at: time,
      updated_at: body.created_at,
      current_release: null,
    });
    expect(await stored(keys.project(slug))).toEqual({
      ...keys.project(slug),
      slug,
      ownerKey: keyOf(ada),
      name: "My game",
      description: "Jump!",
      createdAt: body.created_at,
      updatedAt: body.created_at,
    });
    expect(await stored(keys.ownership(keyOf(ada), slug))).toMatchObject({ slug });
    expect(await stored(keys.account(keyOf(ada)))).toMatchObject({ projectCount: 1 });
    const events = await storedEvents(ada);
    expect(events.filter(({ type }) => type === "project_created")).toMatchObject([{ project: slug }]);
  });

  test("names a project by its slug where it is given no name", async () => {
    const slug = newSlug();
    const { body } = await (await actors.developer()).post("/projects", { slug });
    expect(body).toMatchObject({ name: slug, description: null });
  });

  test("is reached with a token of the scope projects", async () => {
    const token = await actors.token("projects");
    expect(await token.post("/projects", { slug: newSlug() })).toMatchObject({ status: 201 });
  });

  test("is refused to whoever may not create projects", async () => {
    const slug = newSlug();
    await expectRefusals((actor) => actor.post("/projects", { slug }), "projects");
    expect(await stored(keys.project(slug))).toBeUndefined();
  });

  test("refuses a narrowed token another slug than those that it names", async () => {
    const ada = await actors.developer();
    const token = await ada.token({ scopes: ["projects"], projects: [await newProject(ada)] });
    const slug = newSlug();
    expect(await token.post("/projects", { slug })).toMatchObject({
      status: 403,
      body: { code: "project_not_in_token" },
    });
    expect(await stored(keys.project(slug))).toBeUndefined();
  });

  test.each([
    ["no slug", {}, "/slug"],
    ["a short slug", { slug: "ab" }, "/slug"],
    ["a long slug", { slug: "a".repeat(41) }, "/slug"],
    ["upper case", { slug: "My-Game" }, "/slug"],
    ["a dash at an end", { slug: "my-game-" }, "/slug"],
    ["a path", { slug: "../game" }, "/slug"],
    ["a reserved word", { slug: "admin" }, "/slug"],
    ["an empty name", { slug: "my-game", name: " " }, "/name"],
    ["a name of two lines", { slug: "my-game", name: "a\nb" }, "/name"],
    ["a long name", { slug: "my-game", name: "x".repeat(81) }, "/name"],
    ["a long description", { slug: "my-game", description: "x".repeat(1_001) }, "/description"],
    ["an owner", { slug: "my-game", owner_key: "x" }, "/owner_key"],
  ])("refuses %s", async (_, body, pointer) => {
    const answer = await (await actors.developer()).post("/projects", body);
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed", errors: [{ pointer }] } });
    expect(await stored(keys.project("my-game"))).toBeUndefined();
  });

  test("refuses a slug that is taken, and tells its owner so", async () => {
    const ada = await actors.developer();
    const other = await actors.otherDeveloper();
    const slug = await newProject(ada);
    const refused = await other.post("/projects", { slug });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "slug_taken", detail: "Another project has this slug. Choose a different one." },
    });
    expect(await ada.post("/projects", { slug })).toMatchObject({
      status: 409,
      body: { code: "slug_taken", detail: "You have a project with this slug already." },
    });
    expect(await stored(keys.project(slug))).toMatchObject({ ownerKey: keyOf(ada) });
    expect(await stored(keys.account(keyOf(other)))).toMatchObject({ projectCount: 0 });
    expect(await stored(keys.ownership(keyOf(other), slug))).toBeUndefined();
  });

  test("of two racing developers one gets the slug", async () => {
    const developers = await Promise.all([actors.developer(), actors.developer()]);
    const slugs = Array.from({ length: 10 }, newSlug);
    for (const slug of slugs) {
      const answers = await Promise.all(developers.map((developer) => developer.post("/projects", { slug })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
    const counts = await Promise.all(developers.map((developer) => stored(keys.account(keyOf(developer)))));
    expect(counts.reduce((sum, account) => sum + account?.["projectCount"], 0)).toBe(slugs.length);
  });

  test("60 simultaneous creations end at exactly 50 projects", async () => {
    const ada = await actors.developer();
    const create = () => ada.post("/projects", { slug: newSlug() });
    const answers = await Promise.all(Array.from({ length: 60 }, create));
    let created = answers.filter(({ status }) => status === 201).length;
    for (const { status, body } of answers.filter(({ status }) => status !== 201))
      expect([`${status} ${body.code}`]).toContainEqual(
        expect.stringMatching(/^(409 project_limit_reached|503 temporarily_unavailable)$/),
      );
    while (created < 50 && (await create()).status === 201) created += 1;
    expect(created).toBe(50);
    expect(await create()).toMatchObject({ status: 409, body: { code: "project_limit_reached" } });
    const { body } = await ada.get("/projects");
    expect(body.projects).toHaveLength(50);
    expect(await stored(keys.account(keyOf(ada)))).toMatchObject({ projectCount: 50 });
  });
});

describe("GET /projects", () => {
  let ada: Developer;
  let slugs: string[];

  beforeAll(async () => {
    ada = await actors.developer();
    slugs = [];
    for (let count = 0; count < 5; count += 1) slugs.push(await newProject(ada));
    slugs.sort();
  });

  test("lists the caller's own by slug, and nobody else's", async () => {
    await newProject(await actors.otherDeveloper());
    const { status, body } = await ada.get("/projects");
    expect(status).toBe(200);
    expect(body).toEqual({
      projects: slugs.map((slug) => ({
        slug,
        name: slug,
        description: null,
        created_at: time,
        updated_at: time,
        current_release: null,
      })),
      next_cursor: null,
    });
  });

  test("goes on where a page ended", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await ada.get(`/projects?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(body.projects.length).toBeLessThanOrEqual(2);
      seen.push(...body.projects.map(({ slug }: { slug: string }) => slug));
      cursor = body.next_cursor;
    } while (cursor);
    expect(seen).toEqual(slugs);
  });

  test("shows a narrowed token the projects that it names, on every page", async () => {
    const projects = [slugs[0] as string, slugs[4] as string];
    const token = await ada.token({ projects });
    const { body } = await token.get("/projects");
    expect(body).toMatchObject({ projects: projects.map((slug) => ({ slug })), next_cursor: null });
    const first = await token.get("/projects?limit=1");
    const second = await token.get(`/projects?limit=1&cursor=${first.body.next_cursor}`);
    expect([first, second].map(({ body }) => body.projects)).toMatchObject([
      [{ slug: slugs[0] }],
      [{ slug: slugs[4] }],
    ]);
  });

  test("is empty for a developer without projects", async () => {
    const { body } = await (await actors.developer()).get("/projects");
    expect(body).toEqual({ projects: [], next_cursor: null });
  });

  test("refuses a cursor that it did not give out, and limits beyond its own", async () => {
    expect(await ada.get("/projects?cursor=%21%21")).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    expect(await ada.get("/projects?limit=101")).toMatchObject({ status: 400, body: { code: "invalid_parameters" } });
  });

  test("is refused to whoever is no developer", async () => {
    await expectRefusals((actor) => actor.get("/projects"));
  });
});

describe("GET /projects/:slug", () => {
  test("shows a project to everybody, and not who owns it", async () => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    const { status, body } = await actors.anonymous.get(`/projects/${slug}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      slug,
      name: slug,
      description: null,
      created_at: time,
      updated_at: time,
      current_release: null,
    });
  });

  test("does not find what is not there", async () => {
    expect(await actors.anonymous.get("/projects/none-such")).toMatchObject({
      status: 404,
      body: { code: "project_not_found", detail: "No project has this slug." },
    });
  });
});

describe("PATCH /projects/:slug", () => {
  test("changes name and description, and leaves what is not sent", async () => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    const named = await ada.patch(`/projects/${slug}`, { name: "New" });
    expect(named).toMatchObject({ status: 200, body: { slug, name: "New", description: null } });
    const described = await ada.patch(`/projects/${slug}`, { description: "Run!" });
    expect(described.body).toEqual({ ...named.body, description: "Run!", updated_at: time });
    expect(described.body.updated_at > described.body.created_at).toBe(true);
    expect(await stored(keys.project(slug))).toMatchObject({
      name: "New",
      description: "Run!",
      updatedAt: described.body.updated_at,
      ownerKey: keyOf(ada),
    });
    expect((await ada.patch(`/projects/${slug}`, { description: null })).body.description).toBeNull();
  });

  test("writes nothing for a change of nothing", async () => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    const before = await stored(keys.project(slug));
    expect(await ada.patch(`/projects/${slug}`, {})).toMatchObject({ status: 200, body: { slug } });
    expect(await stored(keys.project(slug))).toEqual(before);
  });

  test("is reached with a token of the scope projects, narrowed to this project or not at all", async () => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    for (const request of [{ scopes: ["projects"] }, { scopes: ["projects"], projects: [slug] }]) {
      const token = await ada.token(request);
      expect(await token.patch(`/projects/${slug}`, { name: "By CI" })).toMatchObject({ status: 200 });
    }
  });

  test("is refused to whoever may not edit projects, to a token of other projects, and to other developers", async () => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    const before = await stored(keys.project(slug));
    const edit = (actor: Actor) => actor.patch(`/projects/${slug}`, { name: "Mine" });
    await expectRefusals(edit, "projects");
    const narrowed = await ada.token({ scopes: ["projects"], projects: [await newProject(ada)] });
    expect(await edit(narrowed)).toMatchObject({ status: 403, body: { code: "project_not_in_token" } });
    const other = await actors.otherDeveloper();
    const otherToken = await other.token({ scopes: ["projects"] });
    for (const stranger of [other, otherToken])
      expect(await edit(stranger)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect(await stored(keys.project(slug))).toEqual(before);
  });

  test("does not find what is not there", async () => {
    const ada = await actors.developer();
    expect(await ada.patch("/projects/none-such", { name: "x" })).toMatchObject({
      status: 404,
      body: { code: "project_not_found" },
    });
  });

  test.each([
    ["another slug", { slug: "another" }, "/slug"],
    ["an empty name", { name: "" }, "/name"],
    ["no name", { name: null }, "/name"],
    ["a live release", { current_release: null }, "/current_release"],
  ])("refuses %s", async (_, body, pointer) => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    const before = await stored(keys.project(slug));
    expect(await ada.patch(`/projects/${slug}`, body)).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer }] },
    });
    expect(await stored(keys.project(slug))).toEqual(before);
  });
});
