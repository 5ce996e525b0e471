import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { play } from "../../support/service/play.ts";
import { makeLive, manifestOf, newSlug, publish } from "../../support/service/steps.ts";
import { until } from "../until.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* Settings of a file (svc.toml, .svcignore) as switches of the review, and ways on from a refusal. */

const v = visitor();
const games = folders();
const choice = (name: string | RegExp) => v.page.getByRole("checkbox", { name });

async function openProject(): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  return slug;
}

/** Drops a game and opens what is folded in its review. */
async function dropAndOpen(page: Page, folder: string): Promise<void> {
  await drop(page, folder);
  const summary = page.getByText("Advanced", { exact: true });
  await summary.waitFor();
  if ((await page.locator("details:has(> div.grid)").getAttribute("open")) === null) await summary.click();
}

/** @param shown what the person sees then, beside that it is live */
async function publishNow(shown = "To show it on another page"): Promise<void> {
  await v.button("Publish").click();
  await v.page.getByText("It is live.").waitFor();
  await v.page.getByText(shown).waitFor();
  await v.button("Close").click();
}

/** The sentences about other pages in the Share dialog of the project's page. */
async function sharedOnPage(shown: string): Promise<void> {
  await v.button("Share").click();
  await v.page.getByText(shown).waitFor();
  await v.button("Close").click();
}

test("the threads of a build are set already, and what a person chooses is sent, and kept for the next release", async () => {
  const slug = await openProject();
  const files = {
    "game.worker.js": "1",
    "game.wasm": "1",
    "assets/index-DkA3x9b2.js": "1",
    "notes/todo.txt": "1",
    "old.txt": "1",
  };
  const folder = games.write(slug, { "index.html": "One", ...files });
  await dropAndOpen(v.page, folder);
  await v.button("Publish").waitFor();
  expect(await choice("Threads").isChecked()).toBe(true);
  await choice("Keep in browsers").check();
  await choice("Single page").check();
  await v.page.getByText("Leave something out").click();
  expect(await choice(/^index\.html/).isDisabled()).toBe(true);
  await choice("notes/").uncheck();
  await choice("old.txt").uncheck();
  await v.page.getByText("Left out: notes/, old.txt").waitFor();
  await choice("old.txt").check();
  await v.page.getByText("Left out: notes/", { exact: true }).waitFor();
  expect(await lookAt(v.page, "publish-switches", v.page.getByText("How players get it"))).toEqual([]);
  const onlyIsolated = "Its threads start only on a page that is isolated too";
  await publishNow(onlyIsolated);
  await sharedOnPage(onlyIsolated);
  const page = await play(v.service, slug, { path: "/no/such/page", headers: { accept: "text/html" } });
  expect(page.status).toBe(200);
  expect(page.headers["cross-origin-embedder-policy"]).toBe("require-corp");
  const script = await play(v.service, slug, { path: "/assets/index-DkA3x9b2.js" });
  expect(script.headers["cache-control"]).toContain("immutable");
  expect((await play(v.service, slug, { path: "/notes/todo.txt" })).status).toBe(404);

  await dropAndOpen(v.page, games.write(slug, { "index.html": "Two" }));
  await v.page.getByText("1 file changes").waitFor();
  expect(await choice("Single page").isChecked()).toBe(true);
  expect(await v.page.getByText("Left out: notes/").count()).toBe(1);
  await choice("Threads").uncheck();
  await v.page.getByText("Live: on.").waitFor();
  await v.page.getByText("the game may need the switch Threads").waitFor();
  await v.page.getByText("Settings change: Threads.").waitFor();
}, 300_000);

test("what one person decides holds in the browser of another, whose own decision holds in the first one then", async () => {
  const slug = await openProject();
  const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
  await addMember(v.ada, slug, grace, "publisher");
  const context = await v.browser.newContext();
  const other = await context.newPage();
  const files = { "game.worker.js": "1", "game.wasm": "1", "notes/todo.txt": "1" };
  const review = async (page: Page, title: string) => {
    await dropAndOpen(page, games.write(slug, { "index.html": title, ...files }));
    await page
      .getByText(/1 file changes|are to send/)
      .first()
      .waitFor();
  };
  const of = (page: Page, name: string) => page.getByRole("checkbox", { name });
  const publishOn = async (page: Page) => {
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("It is live.").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
  };
  try {
    await review(v.page, "One");
    await choice("Threads").uncheck();
    await choice("Single page").check();
    await v.page.getByText("Leave something out").click();
    await choice("notes/").uncheck();
    await publishOn(v.page);

    await v.enter(`projects/${slug}`, { name: "Grace Hopper", page: other });
    await review(other, "Two");
    await other.getByText("Left out: notes/").waitFor();
    // The build has threads, but Ada has decided.
    expect(await of(other, "Threads").isChecked()).toBe(false);
    expect(await of(other, "Single page").isChecked()).toBe(true);
    expect(await other.getByText(/Live: o/).count()).toBe(0);
    await of(other, "Single page").uncheck();
    await other.getByText("Live: on.").waitFor();
    await other.getByText("Left out: notes/").click();
    await of(other, "notes/").check();
    await other.getByText("1 file is new").waitFor();
    await publishOn(other);

    await review(v.page, "Three");
    expect(await choice("Single page").isChecked()).toBe(false);
    expect(await v.page.getByText("Left out").count()).toBe(0);

    // Somebody publishes while Ada looks at the review: she sees what they decided before she decides again.
    await choice("Threads").check();
    await v.page.getByText("Live: off.").waitFor();
    const settings = { spa: true, frame: "nobody" };
    const { body } = await v.ada.post(`/projects/${slug}/releases`, { files: manifestOf({ ...files }), settings });
    await makeLive(v.ada, slug, body.release.id);
    await v.button("Publish").click();
    await v.page.getByText("Another release went live in the meantime.").waitFor();
    await v.page.getByText("Embedding: no site").waitFor();
    expect(await choice("Single page").isChecked()).toBe(true);
    expect(await choice("Threads").isChecked()).toBe(true);
    await publishNow("let no other page show it");
  } finally {
    await context.close();
  }
}, 300_000);

test("what was chosen for a preview is chosen for the next one too, until something else is live", async () => {
  const slug = await openProject();
  await publish(v.ada, slug, { "index.html": "Live" });
  await dropAndOpen(v.page, games.write(slug, { "index.html": "One" }));
  await choice("Single page").check();
  await v.button("Preview first").click();
  await v.page.getByText("The preview is open.").waitFor();
  await v.button("Close").click();
  await dropAndOpen(v.page, games.write(slug, { "index.html": "Two" }));
  await v.page.getByText("Live: off.").waitFor();
  expect(await choice("Single page").isChecked()).toBe(true);
  await v.button("Cancel").click();
  await publish(v.ada, slug, { "index.html": "Another" });
  await dropAndOpen(v.page, games.write(slug, { "index.html": "Three" }));
  await v.button("Publish").waitFor();
  expect(await choice("Single page").isChecked()).toBe(false);
});

test("who may show the game in a frame is chosen, checked as it is written, and kept; what svc.toml says cannot be chosen", async () => {
  const slug = await openProject();
  const framedBy = async () => {
    const { headers } = await play(v.service, slug, { headers: { "sec-fetch-dest": "document" } });
    return /frame-ancestors ([^;]+)/.exec(String(headers["content-security-policy"]))?.[1];
  };
  await dropAndOpen(v.page, games.write(slug, { "index.html": "One" }));
  await v.page.getByText("Embedding: every site").click();
  await v.page.getByLabel("Some sites").check();
  // Nothing is written yet, so nothing can be published.
  expect(await v.button("Publish").getAttribute("aria-disabled")).toBe("true");
  await v.page.getByLabel("Sites, one a line").fill("not a site");
  await v.page.getByText("“not a site” is no site: write it as portal.example").waitFor();
  expect(await lookAt(v.page, "publish-frame", v.page.getByLabel("Sites, one a line"))).toEqual([]);
  const sites = Array.from({ length: 21 }, (_, index) => `${index}.example`).join("\n");
  await v.page.getByLabel("Sites, one a line").fill(sites);
  await v.page.getByText("Write at most 20 sites.").waitFor();
  await v.button("Publish").click({ force: true });
  // Another choice takes what was written away.
  await v.page.getByLabel("No site").check();
  await v.page.getByLabel("Sites, one a line").waitFor({ state: "detached" });
  await v.page.getByLabel("Some sites").check();
  await v.page.getByLabel("Sites, one a line").fill("https://Portal.example/games/1\n*.portal.example");
  await v.page.locator('.actions [aria-disabled="false"]').first().waitFor();
  const onlyThese = "Only these sites may: https://";
  await publishNow(onlyThese);
  await sharedOnPage(onlyThese);
  expect(await framedBy()).toBe("'self' https://*.portal.example https://portal.example");

  await dropAndOpen(v.page, games.write(slug, { "index.html": "Two" }));
  await v.page.getByText("1 file changes").waitFor();
  await v.page.getByText("Embedding: https://*.portal.example, https://portal.example").click();
  expect(await v.page.getByLabel("Sites, one a line").inputValue()).toContain("https://portal.example");
  await v.page.getByLabel("No site").check();
  await v.page.getByText("Settings change: Embedding.").waitFor();
  const noOther = "Its settings let no other page show it.";
  await publishNow(noOther);
  await sharedOnPage(noOther);
  expect(await v.page.getByText("<iframe").count()).toBe(0);
  expect(await framedBy()).toBe("'self'");
  // Whoever decides otherwise elsewhere is not overruled by this browser.
  await publish(v.ada, slug, { "index.html": "From elsewhere, for every site" });
  await dropAndOpen(v.page, games.write(slug, { "index.html": "Three" }));
  await v.page.getByText("Embedding: every site").waitFor();
  await v.button("Cancel").click();
  const file = 'frame = "everybody"\nisolation = true';
  await dropAndOpen(v.page, games.write(slug, { "index.html": "Three", "svc.toml": file }));
  await v.page.getByText("every site may show it in a frame, as svc.toml says.").waitFor();
  expect(await choice("Threads").isChecked()).toBe(true);
  expect(await choice("Threads").isDisabled()).toBe(true);
}, 300_000);

test("files of other hosts are left out by one click, and what they say is switched on", async () => {
  const slug = await openProject();
  await drop(v.page, games.write(slug, { "index.html": "1", _redirects: "/* /index.html 200", "404.txt": "1" }));
  await v.page.getByText("_redirects, line 1: the switch Single page sends").waitFor();
  await v.button("Leave them out and continue").click();
  await v.button("Publish").waitFor();
  expect(await choice("Single page").isChecked()).toBe(true);
  await publishNow();
  // A page without a file, as any other path.
  expect((await play(v.service, slug, { path: "/_redirects" })).body.toString()).toBe("1");
});

test("a game whose page has the game's name is published by one click", async () => {
  const slug = await openProject();
  await drop(v.page, games.write(slug, { "My Story.html": "Web", "readme.txt": "1" }));
  // The focus is on the way on, and goes on with the dialog.
  await until(v.page, "document.activeElement.innerText", "Publish My Story.html as index.html");
  await v.page.keyboard.press("Enter");
  await until(v.page, "document.activeElement.closest('dialog') !== null");
  await v.button("Publish").waitFor();
  await until(v.page, "document.activeElement.closest('dialog') !== null");
  await publishNow();
  expect((await play(v.service, slug, {})).body.toString()).toBe("Web");
});
