import { expect, test } from "@jest/globals";
import { play } from "../../support/service/play.ts";
import { liveRelease, newSlug, publish } from "../../support/service/steps.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Settings → Game: other settings take effect without a folder, after a look at what changes, and are taken back with one click.
 */

const v = visitor();
const dialog = () => v.page.getByRole("dialog");
const says = (text: string) => v.page.locator(".toast").getByText(text).waitFor();
const frameOf = async (slug: string) =>
  (await play(v.service, slug, { path: "/" })).headers["content-security-policy"] ?? "";

test("embedding and a single page are changed at once, undone, and not over what a colleague has published", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  const first = await publish(v.ada, slug, { "index.html": "<p>one" });
  await v.enter(`projects/${slug}/settings`);

  await v.page.getByRole("checkbox", { name: "Single page" }).check();
  await v.page.getByRole("radio", { name: "Some sites" }).check();
  expect(await v.button("Review and make live").isDisabled()).toBe(true);
  await v.page.getByLabel("Sites, one a line").fill("https://Portal.example/games\n");
  expect(await lookAt(v.page, "game-settings", v.button("Review and make live"))).toEqual([]);
  await v.button("Review and make live").click();
  await dialog().getByRole("row", { name: "Embedding every site https://portal.example" }).waitFor();
  await dialog().getByRole("row", { name: "Single page off on" }).waitFor();
  expect(await lookAt(v.page, "game-settings-review")).toEqual([]);
  await dialog().getByRole("button", { name: "Make live" }).click();
  await says("#2 is live: Single page, Embedding.");
  await v.page.getByText("Only these sites may: https://portal.example.").waitFor();
  expect(await v.button("Review and make live").count()).toBe(0);
  expect(await v.page.getByRole("checkbox", { name: "Single page" }).isChecked()).toBe(true);
  expect(await frameOf(slug)).toContain("https://portal.example");

  await v.button("Undo").click();
  await says("Undone: what was live is live again.");
  expect(await liveRelease(v.ada, slug)).toBe(first);
  await v.page.getByText("Only these sites may").waitFor({ state: "detached" });
  expect(await frameOf(slug)).not.toContain("https://portal.example");

  await v.page.getByRole("checkbox", { name: "Load whole files" }).check();
  await v.button("Review and make live").click();
  const third = await publish(v.ada, slug, { "index.html": "<p>three" });
  await dialog().getByRole("button", { name: "Make live" }).click();
  await dialog().getByText("Another release went live in the meantime.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(third);
  await dialog().getByRole("button", { name: "Make live" }).click();
  await says("#4 is live: Load whole files.");
  expect(String((await play(v.service, slug, { path: "/" })).body)).toContain("three");
  await v.tab("Releases");
  await v.page.getByText("#2 Single page, Embedding").first().waitFor();
}, 240_000);
