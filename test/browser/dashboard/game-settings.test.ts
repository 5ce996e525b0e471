import { expect, test } from "@jest/globals";
import { play } from "../../support/service/play.ts";
import { liveRelease, newSlug, publish } from "../../support/service/steps.ts";
import { opening } from "../../support/service/visits.ts";
import { keepLooks, lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Settings: what a game does without is off for its players. Settings → Game: other settings take effect without a folder. That they are taken
 * back with one click is on the way of a teenager.
 */

const v = visitor();
const dialog = () => v.page.getByRole("dialog");
const says = (text: string) => v.page.locator(".toast").getByText(text).waitFor();

test("settings take effect at once, but not over what a colleague has published", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "<p>one" });
  await v.enter(`projects/${slug}/settings`);

  await v.page.getByRole("checkbox", { name: "Load whole files" }).check();
  await v.button("Review and make live").click();
  const second = await publish(v.ada, slug, { "index.html": "<p>two" });
  await dialog().getByRole("button", { name: "Make live" }).click();
  await dialog().getByText("Another release went live in the meantime.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(second);
  await dialog().getByRole("button", { name: "Make live" }).click();
  await says("#3 is live: Load whole files.");
  expect(String((await play(v.service, slug, { path: "/" })).body)).toContain("two");
  await v.tab("Releases");
  await v.page.getByText("#3 Load whole files").first().waitFor();
}, 240_000);

test("a game does without crash reports and the page for saves once its boxes are cleared and saved, and has them again", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "<p>one" });
  const crashes = v.page.getByRole("checkbox", { name: "Count crashes" });
  const saves = v.page.getByRole("checkbox", { name: "Players can move their saved games" });
  /** Whether players' browsers report crashes, and the status of the page for saves, which the edge keeps for a minute once it has been opened. */
  const forPlayers = async () => {
    const { headers } = await play(v.service, slug, { path: "/", headers: opening });
    const { status } = await play(v.service, slug, { path: "/.well-known/svc/saves", headers: opening });
    return { reports: headers["reporting-endpoints"] !== undefined, status };
  };
  const saveButton = (disabled: boolean) => v.page.getByRole("button", { name: "Save", exact: true, disabled });
  const save = async () => {
    await v.button("Save").click();
    await v.page.getByText("Saved", { exact: true }).waitFor();
  };
  await v.enter(`projects/${slug}/settings`);
  expect([await crashes.isChecked(), await saves.isChecked()]).toEqual([true, true]);

  // Off and on again is nothing to save.
  await saves.uncheck();
  await saveButton(false).waitFor();
  await saves.check();
  await saveButton(true).waitFor();

  await saves.uncheck();
  expect(await lookAt(v.page, "for-players", saves)).toEqual([]);
  await keepLooks(v.page, "for-players");
  await save();
  expect(await forPlayers()).toEqual({ reports: true, status: 404 });

  await crashes.uncheck();
  await save();
  expect(await forPlayers()).toEqual({ reports: false, status: 404 });
  await v.page.reload();
  await crashes.waitFor();
  expect([await crashes.isChecked(), await saves.isChecked()]).toEqual([false, false]);

  await crashes.check();
  await saves.check();
  await save();
  expect(await forPlayers()).toEqual({ reports: true, status: 200 });
}, 240_000);
