import { expect, test } from "@jest/globals";
import { liveRelease, newSlug, publish } from "../../support/service/steps.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * What a person has done to what players get is taken back with one click.
 */

const v = visitor();

const confirm = (name: string) => v.page.getByRole("dialog").getByRole("button", { name }).click();
const says = (text: string) => v.page.locator(".toast").getByText(text).waitFor();

test("a roll-back, taking offline and a deletion are undone, and what somebody else made live meanwhile stays", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  const first = await publish(v.ada, slug, { "index.html": "one" });
  const second = await publish(v.ada, slug, { "index.html": "two" });
  await v.enter(`projects/${slug}`);

  await v.button("Roll back to #1").click();
  await v.page.getByRole("dialog", { name: "Roll back to #1?" }).waitFor();
  await confirm("Roll back");
  await says("Rolled back to #1.");
  expect(await liveRelease(v.ada, slug)).toBe(first);
  expect(await lookAt(v.page, "undo")).toEqual([]);
  await v.button("Undo").click();
  await says("Undone: what was live is live again.");
  await v.page.getByRole("region", { name: "Live release" }).getByText("Release #2").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(second);

  await v.choose("Take offline");
  await confirm("Take offline");
  await says("Bounce is offline.");
  expect(await liveRelease(v.ada, slug)).toBeUndefined();
  await v.button("Undo").click();
  await says("Undone: what was live is live again.");
  expect(await liveRelease(v.ada, slug)).toBe(second);

  await v.button("Roll back to #1").click();
  await confirm("Roll back");
  await says("Rolled back to #1.");
  const third = await publish(v.ada, slug, { "index.html": "three" });
  await v.button("Undo").click();
  await says("Another release went live in the meantime.");
  expect(await liveRelease(v.ada, slug)).toBe(third);

  await v.tab("Settings");
  await v.button("Delete project").click();
  await v.page.getByRole("dialog").getByRole("textbox").fill(slug);
  await confirm("Delete project");
  await says("Bounce is deleted.");
  await v.page.getByRole("list", { name: "Deleted projects" }).waitFor();
  await v.button("Undo").click();
  await says("Bounce is restored.");
  await v.page
    .getByRole("list", { name: "Projects", exact: true })
    .getByRole("link", { name: "Bounce", exact: true })
    .waitFor();
  await v.page.getByRole("list", { name: "Deleted projects" }).waitFor({ state: "detached" });
  expect(await liveRelease(v.ada, slug)).toBe(third);
}, 240_000);
