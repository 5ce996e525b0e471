import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/actors.ts";
import { withProject } from "../../support/operations.ts";
import { play, pointerMilliseconds } from "../../support/play.ts";
import { publish } from "../../support/steps.ts";
import { setAttribute } from "../../support/stored.ts";
import { useService } from "../../support/suite.ts";

/*
 * What visitors get of a project that its owner has deleted or the operator has suspended.
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
  await delay(pointerMilliseconds);
  expect(await play(service, ada.slug)).toMatchObject({ status });
});

test("a deleted project is not listed, also to a token that names it", async () => {
  const ada = await withProject(await actors.developer());
  const token = await ada.token({ projects: [ada.slug] });
  await setAttribute(service, keys.project(ada.slug), "deletedAt", at);
  for (const actor of [ada, token]) expect((await actor.get("/projects")).body.projects).toEqual([]);
});
