import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { withProject } from "../../support/service/operations.ts";
import { play } from "../../support/service/play.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

/*
 * Places that still show a project that its owner has deleted or the operator has suspended.
 */
const service = useService();
const actors = actorsOf(service);
const at = "2026-01-01T00:00:00.000Z";
const suspension = { at, reason: "phishing" };

test.each([
  ["deleted", { deletedAt: at }, 404, "project_not_found"],
  ["suspended", { suspension }, 410, "project_taken_down"],
  ["suspended and deleted", { suspension, deletedAt: at }, 410, "project_taken_down"],
])("visitors do not find a project that is %s", async (_, attributes, status, code) => {
  const ada = await withProject(await actors.developer());
  await publish(ada, ada.slug, { "index.html": "<p>play" });
  expect(await play(service, ada.slug)).toMatchObject({ status: 200 });
  for (const [name, value] of Object.entries(attributes))
    await setAttribute(service, keys.project(ada.slug), name, value);
  for (const path of ["", "/files/index.html"])
    expect(await actors.anonymous.get(`/projects/${ada.slug}${path}`)).toMatchObject({ status, body: { code } });
  expect(await play(service, ada.slug)).toMatchObject({ status });
});

test("a deleted project is not listed, also to a token that names it", async () => {
  const ada = await withProject(await actors.developer());
  const token = await ada.token({ projects: [ada.slug] });
  await setAttribute(service, keys.project(ada.slug), "deletedAt", at);
  for (const actor of [ada, token]) expect((await actor.get("/projects")).body.projects).toEqual([]);
});

test("a deleted project is in the owner's list, and a narrowed token sees only the projects that it names", async () => {
  const ada = await withProject(await actors.developer());
  const token = await ada.token({ projects: [ada.slug] });
  const others = await ada.token({ projects: [await newProject(ada)] });
  await ada.delete(`/projects/${ada.slug}`);
  for (const actor of [ada, token])
    expect((await actor.get("/projects?state=deleted")).body.projects).toMatchObject([
      { slug: ada.slug, deletion: { at: time } },
    ]);
  expect((await others.get("/projects?state=deleted")).body.projects).toEqual([]);
  expect((await token.get("/projects")).body.projects).toEqual([]);
  expect((await ada.get("/projects?state=active")).body.projects).toHaveLength(1);
  expect(await ada.get("/projects?state=other")).toMatchObject({ status: 400 });
});

test("one project is listed by its slug in each state, to those alone who would find it in a list", async () => {
  const ada = await withProject(await actors.developer());
  const stranger = await actors.otherDeveloper();
  const [token, others] = [
    await ada.token({ projects: [ada.slug] }),
    await ada.token({ projects: [await newProject(ada)] }),
  ];
  const listed = async ({ get }: Pick<typeof ada, "get">, query = "") =>
    (await get(`/projects?slug=${ada.slug}${query}`)).body.projects.map(({ slug }: { slug: string }) => slug);
  for (const actor of [ada, token]) expect(await listed(actor)).toEqual([ada.slug]);
  for (const actor of [stranger, others]) expect(await listed(actor)).toEqual([]);
  await ada.delete(`/projects/${ada.slug}`);
  for (const actor of [ada, token]) expect(await listed(actor, "&state=active")).toEqual([ada.slug]);
  for (const actor of [stranger, others]) expect(await listed(actor)).toEqual([]);
  expect((await ada.get("/projects?slug=no-such-game")).body).toMatchObject({ projects: [], next_cursor: null });
});

test("a token cannot be narrowed to a deleted project", async () => {
  const ada = await withProject(await actors.developer());
  await ada.delete(`/projects/${ada.slug}`);
  expect(await ada.post("/tokens", { name: "CI", scopes: ["publish"], projects: [ada.slug] })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "/projects/0", detail: "is not a project of yours" }] },
  });
});
