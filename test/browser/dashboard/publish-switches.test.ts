import { expect, test } from "@jest/globals";
import { play } from "../../support/service/play.ts";
import { newSlug, publish } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* What a file would say (svc.toml, .svcignore) is a switch of the review, and what is refused offers a way on. */

const v = visitor();
const games = folders();
const choice = (name: string | RegExp) => v.page.getByRole("checkbox", { name });

async function openProject(): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  return slug;
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

test("the threads of a build are set already, and what a person chooses is sent, and remembered for the next release", async () => {
  const slug = await openProject();
  const files = { "game.worker.js": "1", "assets/index-DkA3x9b2.js": "1", "notes/todo.txt": "1", "old.txt": "1" };
  const folder = games.write(slug, { "index.html": "One", ...files });
  await drop(v.page, folder);
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

  await drop(v.page, games.write(slug, { "index.html": "Two" }));
  await v.page.getByText("1 file changes").waitFor();
  expect(await choice("Single page").isChecked()).toBe(true);
  expect(await v.page.getByText("Left out: notes/").count()).toBe(1);
  await choice("Threads").uncheck();
  await v.page.getByText("the game may need the switch Threads").waitFor();
  await v.page.getByText("Settings change: isolation for threads.").waitFor();
}, 300_000);

test("the settings of what is live hold for another browser, and svc.toml decides before them", async () => {
  const slug = await openProject();
  await drop(v.page, games.write(slug, { "index.html": "One", "svc.toml": "spa = true" }));
  await publishNow();
  const folder = games.write(slug, { "index.html": "Two", "svc.toml": "isolation = true" });
  await drop(v.page, folder);
  await v.button("Publish").waitFor();
  expect(await choice("Single page").isChecked()).toBe(true);
  expect(await choice("Threads").isChecked()).toBe(true);
  expect(await choice("Threads").isDisabled()).toBe(true);
});

test("who may show the game in a frame is chosen, checked as it is written, and remembered", async () => {
  const slug = await openProject();
  const framedBy = async () => {
    const { headers } = await play(v.service, slug, { headers: { "sec-fetch-dest": "document" } });
    return /frame-ancestors ([^;]+)/.exec(String(headers["content-security-policy"]))?.[1];
  };
  await drop(v.page, games.write(slug, { "index.html": "One" }));
  await v.page.getByText("On other pages: every site").click();
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

  await drop(v.page, games.write(slug, { "index.html": "Two" }));
  await v.page.getByText("1 file changes").waitFor();
  await v.page.getByText("On other pages: https://portal.example, https://*.portal.example").click();
  expect(await v.page.getByLabel("Sites, one a line").inputValue()).toContain("https://portal.example");
  await v.page.getByLabel("No site").check();
  await v.page.getByText("Settings change: who may show it in a frame.").waitFor();
  const noOther = "Its settings let no other page show it.";
  await publishNow(noOther);
  await sharedOnPage(noOther);
  expect(await v.page.getByText("<iframe").count()).toBe(0);
  expect(await framedBy()).toBe("'self'");
  await publish(v.ada, slug, { "index.html": "From elsewhere, for every site" });
  await drop(v.page, games.write(slug, { "index.html": "Three" }));
  await v.page.getByText("On other pages: no site").waitFor();
  await v.button("Cancel").click();
  await drop(v.page, games.write(slug, { "index.html": "Three", "svc.toml": 'frame = "everybody"' }));
  await v.page.getByText("every site may show it in a frame, as svc.toml says.").waitFor();
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

test.each([
  ["one folder down", "web/index.html", "Publish the folder web/"],
  ["whose page has the game's name", "My Story.html", "Publish My Story.html as index.html"],
])("a game %s is published by one click", async (_, page, offer) => {
  const slug = await openProject();
  await drop(v.page, games.write(slug, { [page]: "Web", "readme.txt": "1" }));
  await v.button(offer).click();
  await publishNow();
  expect((await play(v.service, slug, {})).body.toString()).toBe("Web");
});
