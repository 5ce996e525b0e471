import { expect, test } from "@jest/globals";
import { liveRelease, newSlug, publish, readyRelease } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * What a person has done to what players get is taken back with one click. A roll-back is on the way of a producer.
 */

const v = visitor();

const confirm = (name: string) => v.page.getByRole("dialog").getByRole("button", { name }).click();
const says = (text: string) => v.page.locator(".toast").getByText(text).waitFor();

test("taking offline and a deletion are undone, and what somebody else made live meanwhile stays", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "one" });
  const second = await publish(v.ada, slug, { "index.html": "two" });
  await v.enter(`projects/${slug}`);

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

test("a preview that has ended is open again at its URL, and kept if it was", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "one" });
  const id = await readyRelease(v.ada, slug, "two");
  const path = `/projects/${slug}`;
  await v.ada.post(`${path}/releases/${id}/preview`);
  const before = (await v.ada.patch(`${path}/previews/${id}`, { kept: true })).body.preview;
  await v.enter(`projects/${slug}/releases`);
  await v.page.getByRole("button", { name: /^More for Release of/ }).click();
  await v.button(/^End preview/).click();
  await says("The preview has ended.");
  expect((await v.ada.get(`${path}/previews`)).body.previews).toEqual([]);
  await v.button("Undo").click();
  await says("The preview is open again.");
  const [after] = (await v.ada.get(`${path}/previews`)).body.previews;
  expect({ url: after.url, kept: after.kept }).toEqual({ url: before.url, kept: true });
}, 120_000);
