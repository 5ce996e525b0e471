import { beforeEach, expect, test } from "@jest/globals";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { replaceTraffic } from "../../../functions/table/statistics/traffic-items.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { type Owner, withProject } from "../../support/service/operations.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * What the dashboard tells of plays that are counted. How they are is in statistics.test.ts.
 */

const v = visitor({ env: { GAMES_STORE_ENDPOINT: undefined, SVC_STATISTICS_SECONDS: "0" } });

let ada: Owner;
beforeEach(async () => {
  Object.assign(process.env, functionEnvironment(v.service));
  ada = await withProject(v.ada);
});

const today = new Date().toISOString().slice(0, 10);

test("the list of projects has the plays of the last 28 days, beside those that were played", async () => {
  const unplayed = await withProject(v.ada);
  const project = await readProject(ada.slug);
  if (project === undefined) throw new Error("There is no project");
  const traffic = { before: undefined, byDay: { "01": 1 }, playsByDay: { [today.slice(-2)]: 1_234 }, now: new Date() };
  await replaceTraffic(project, today.slice(0, 7), traffic);
  await v.enter();
  const row = (slug: string) => v.page.getByRole("listitem").filter({ hasText: slug });
  await row(ada.slug).getByText("1,234 plays in 28 days", { exact: true }).waitFor();
  expect(await row(unplayed.slug).getByText("plays").count()).toBe(0);
  expect(await lookAt(v.page, "projects-played", row(ada.slug))).toEqual([]);
});
