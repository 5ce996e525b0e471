import { beforeAll, describe, expect, test } from "@jest/globals";
import { accountKey, type Key, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { makeLive, newProject, newSlug, readyRelease } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { removeItem, setAttribute, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";
import { newProjectBody } from "./new-project-body.ts";

const service = useService();
const actors = actorsOf(service);

const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
const stored = (key: Key) => storedItem(service, key);

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
        ...newProjectBody(service, slug),
        role: "owner",
        storage: { bytes: 0, objects: 0 },
      })),
      plays: {},
      previews: {},
      people: Object.fromEntries(slugs.map((slug) => [slug, 1])),
      next_cursor: null,
    });
  });

  test("is not sent again to a client that has it, until something of it changes: a preview, a person, a release", async () => {
    const grace = await actors.otherDeveloper();
    const slug = await newProject(ada, newSlug());
    let etag = "";
    const read = async () => {
      const { status, body, headers } = await ada.send("GET", "/projects", { headers: { "if-none-match": etag } });
      etag = headers.get("etag") ?? "";
      return { status, previews: body?.previews, people: body?.people[slug] };
    };
    expect(await read()).toEqual({ status: 200, previews: {}, people: 1 });
    expect(await read()).toEqual({ status: 304, previews: undefined, people: undefined });
    const release = await readyRelease(ada, slug, "page");
    expect(await read()).toMatchObject({ status: 200 });
    await ada.post(`/projects/${slug}/releases/${release}/preview`);
    expect(await read()).toEqual({ status: 200, previews: { [slug]: 1 }, people: 1 });
    const { body } = await ada.post(`/projects/${slug}/invitations`, { role: "admin", to: grace.uid });
    expect(await read()).toMatchObject({ status: 304 });
    await grace.post(`/projects/${slug}/invitations/${body.id}/acceptance`);
    expect(await read()).toEqual({ status: 200, previews: { [slug]: 1 }, people: 2 });
    await makeLive(ada, slug, release);
    expect(await read()).toMatchObject({ status: 200 });
    await ada.delete(`/projects/${slug}`);
    expect(await read()).toEqual({ status: 200, previews: {}, people: undefined });
  });

  test("continues after the end of a page", async () => {
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

  test("leaves out a project that has another owner now, and one that is gone", async () => {
    const grace = await actors.developer();
    const [kept, lost, gone] = [await newProject(grace), await newProject(grace), await newProject(grace)];
    const token = await grace.token({ projects: [kept, lost, gone] });
    await setAttribute(service, keys.project(lost), "ownerKey", keyOf(ada));
    await removeItem(service, keys.project(gone));
    for (const actor of [grace, token])
      expect((await actor.get("/projects")).body.projects).toMatchObject([{ slug: kept }]);
  });

  test("is empty for a developer without projects", async () => {
    const { body } = await (await actors.developer()).get("/projects");
    expect(body).toEqual({ projects: [], plays: {}, previews: {}, people: {}, next_cursor: null });
  });

  test("refuses a cursor that is not from one of its responses, or from another list", async () => {
    const { next_cursor: cursor } = (await ada.get("/projects?limit=1")).body;
    const foreign = { status: 400, body: { code: "invalid_cursor" } };
    expect(await ada.get("/projects?cursor=%21%21")).toMatchObject(foreign);
    expect(await ada.get(`/projects?state=deleted&cursor=${cursor}`)).toMatchObject(foreign);
    expect(await (await actors.otherDeveloper()).get(`/projects?cursor=${cursor}`)).toMatchObject(foreign);
  });
});

describe("GET /projects/:slug", () => {
  test("shows a project to everybody, without its owner", async () => {
    const slug = await newProject(await actors.developer());
    const { status, body } = await actors.anonymous.get(`/projects/${slug}`);
    expect(status).toBe(200);
    expect(body).toEqual(newProjectBody(service, slug));
  });

  test("does not find a missing project", async () => {
    expect(await actors.anonymous.get("/projects/none-such")).toMatchObject({
      status: 404,
      body: { code: "project_not_found", detail: "No project has this slug." },
    });
  });
});

describe("PATCH /projects/:slug", () => {
  const ada = useOwner(service);

  test("changes name and description, and keeps fields that are not sent", async () => {
    const named = await ada.patch(`/projects/${ada.slug}`, { name: "New" });
    expect(named).toMatchObject({ status: 200, body: { slug: ada.slug, name: "New", description: null } });
    const described = await ada.patch(`/projects/${ada.slug}`, { description: "Run!" });
    expect(described.body).toEqual({ ...named.body, description: "Run!", updated_at: time });
    expect(described.body.updated_at > described.body.created_at).toBe(true);
    expect(await stored(keys.project(ada.slug))).toMatchObject({
      name: "New",
      description: "Run!",
      updatedAt: described.body.updated_at,
      ownerKey: keyOf(ada),
    });
    expect((await ada.patch(`/projects/${ada.slug}`, { description: null })).body.description).toBeNull();
  });

  test("writes nothing for an empty change", async () => {
    const before = await stored(keys.project(ada.slug));
    expect(await ada.patch(`/projects/${ada.slug}`, {})).toMatchObject({ status: 200, body: { slug: ada.slug } });
    expect(await stored(keys.project(ada.slug))).toEqual(before);
  });
});
