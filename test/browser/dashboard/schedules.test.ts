import { expect, test } from "@jest/globals";
import { minutesAhead, newProject, publish, readyRelease } from "../../support/service/steps.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

test("a person schedules a release in their own time zone, sees it, and cancels it", async () => {
  const { page, ada } = v;
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "1" });
  const id = await readyRelease(ada, slug, "2");
  await ada.post(`/projects/${slug}/releases/${id}/preview`);
  const scheduled = async () => (await ada.get(`/projects/${slug}/releases/${id}`)).body.schedule;
  const at = minutesAhead(90);
  await v.enter(`projects/${slug}/releases`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: /^Make live/ }).click();
  await dialog.getByRole("radio", { name: "At a time" }).check();
  // As the field has it: in the zone of the browser.
  const local = await page.evaluate((time) => {
    const date = new Date(time);
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }, at);
  const field = dialog.getByLabel("Day and time");
  await field.fill("2026-01-01T12:00");
  await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
  await dialog.getByText("The time of the schedule is over.").waitFor();
  await field.fill(local);
  expect(await lookAt(page, "schedule", field)).toEqual([]);
  await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await scheduled()).toMatchObject({ at });
  await page.goto(`${v.service.dashboard}projects/${slug}`);
  const card = page.getByRole("region", { name: "Goes live by itself" });
  await card.getByText("Scheduled", { exact: true }).waitFor();
  expect(await lookAt(page, "scheduled")).toEqual([]);
  await card.getByRole("button", { name: /^Cancel schedule/ }).click();
  await card.waitFor({ state: "detached" });
  expect(await scheduled()).toBeNull();
});
