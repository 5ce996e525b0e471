import { expect, test } from "@jest/globals";
import { liveRelease, newSlug, publish } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { visitor } from "./visitor.ts";

/* Changes by others while a person publishes on the dashboard. */

const v = visitor();
const games = folders();

/** A project of Ada's, with a live release or none, and its page. */
async function openProject({ isLive = true } = {}): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  if (isLive) await publish(v.ada, slug, { "index.html": "One" });
  await v.enter(`projects/${slug}`);
  await v.page.getByRole("region", { name: "Publish" }).waitFor();
  return slug;
}

/** Drops a game of one page, which no other test has sent, and waits for its review. */
async function dropGame(slug: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  await drop(v.page, games.write(slug, { "index.html": `Of ${slug}`, ...files }));
  await v.button("Publish").waitFor();
}

const isLive = () => v.page.getByText("It is live.").waitFor();

test("what went live after the page was read is compared with, and replaced", async () => {
  const slug = await openProject();
  const second = await publish(v.ada, slug, { "index.html": "Two", "two.txt": "2" });
  await dropGame(slug);
  await v.page.getByText("1 file goes away").waitFor();
  await v.button("Publish").click();
  await isLive();
  expect(await liveRelease(v.ada, slug)).not.toBe(second);
});

test.each([
  ["the review", "Publish"],
  ["the preview", "Make live"],
])("a release that goes live after %s was shown stays live, and is shown before the next try", async (_, confirms) => {
  const slug = await openProject();
  await dropGame(slug);
  await v.page.getByLabel("What is new (optional)").fill("Faster");
  if (confirms === "Make live") await v.button("Preview first").click();
  await v.button(confirms).waitFor();
  const third = await publish(v.ada, slug, { "index.html": "Three", "three.txt": "3" });
  await v.button(confirms).click();
  await v.page.getByText("Another release went live in the meantime.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(third);
  await v.page.getByText("1 file goes away").waitFor();
  // What the person has written is still there.
  expect(await v.page.getByLabel("What is new (optional)").inputValue()).toBe("Faster");
  await v.button("Publish").click();
  await isLive();
  expect(await liveRelease(v.ada, slug)).not.toBe(third);
});

test("a release that went live, of which the page did not hear, does not come back over a roll-back", async () => {
  const slug = await openProject();
  const first = await liveRelease(v.ada, slug);
  await dropGame(slug);
  let [lost, asked] = [0, 0];
  await v.page.route("**/publish", async (route) => {
    if (route.request().method() !== "POST" || lost > 0) return route.continue();
    await route.fetch();
    lost += 1;
    expect((await v.ada.post(`/projects/${slug}/releases/${first}/publish`)).status).toBe(200);
    return route.abort();
  });
  v.page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/publish")) asked += 1;
  });
  await v.button("Publish").click();
  await v.page
    .getByText("It went live while the connection was lost, and something else has taken its place since.")
    .waitFor();
  expect({ live: await liveRelease(v.ada, slug), asked }).toEqual({ live: first, asked: 1 });
});

test("a first release that goes live after the review was shown stays live, and is on the page once the dialog is closed", async () => {
  const slug = await openProject({ isLive: false });
  await dropGame(slug);
  const first = await publish(v.ada, slug, { "index.html": "First" });
  await v.button("Publish").click();
  await v.page.getByText("Another release went live in the meantime.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(first);
  await v.page.keyboard.press("Escape");
  await v.page.getByRole("region", { name: "Live release" }).waitFor();
});
