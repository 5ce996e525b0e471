import { afterEach, expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { newSlug, publish, readyRelease } from "../../support/service/steps.ts";
import { chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * A tester, who is no developer: Ada invites Mary as a viewer. What the API lets a viewer do is tested in test/long/security and test/api/members.
 */

const v = visitor();
let context: BrowserContext | undefined;

afterEach(() => context?.close());

const html = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;
const buttons = (page: Page) => page.getByRole("main").getByRole("button", { includeHidden: true }).allTextContents();

test("a viewer without a developer account sees the game, its previews and its people, and nothing that changes one", async () => {
  const { page: ada } = v;
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Star Hopper" });
  await publish(v.ada, slug, { "index.html": html("one") });
  await publish(v.ada, slug, { "index.html": html("two") });
  const draft = await readyRelease(v.ada, slug, "three");
  await v.ada.post(`/projects/${slug}/releases/${draft}/preview`);

  await v.enter(`projects/${slug}/settings`);
  await v.button("Invite").click();
  await ada.getByRole("radio", { name: /^Viewer/ }).check();
  await v.button("Make a link").click();
  await ada.getByText("whoever uses it first joins as viewer").waitFor();
  const link = (await ada.getByRole("dialog").locator("code").textContent()) ?? "";

  context = await v.browser.newContext();
  const mary = await context.newPage();
  mary.setDefaultTimeout(20_000);
  await mary.goto(link);
  await mary.getByText("Ada Lovelace invites you to see Star Hopper, as viewer.").waitFor();
  await mary.getByRole("button", { name: "Sign in" }).click();
  await chooseOnProvider(mary, "Mary Jackson");
  await mary.getByText("Ada Lovelace invites you to see Star Hopper, as viewer.").waitFor();
  expect(await mary.getByText("You become one when you accept").count()).toBe(0);
  expect(await lookAt(mary, "join-as-viewer")).toEqual([]);
  await mary.getByRole("button", { name: "Join" }).click();

  await mary.getByRole("region", { name: "Live release" }).getByText("Release #2").waitFor();
  await mary.getByRole("region", { name: "What happened" }).getByText("Mary Jackson joined as viewer").waitFor();
  expect(await lookAt(mary, "project-viewer")).toEqual([]);
  expect(await buttons(mary)).toEqual(["Share", "More for Star Hopper"]);

  await v.tab("Releases", mary);
  const preview = mary.getByRole("link", { name: /^Play the preview/ });
  await preview.waitFor();
  expect(await lookAt(mary, "releases-viewer")).toEqual([]);
  const offered = (await buttons(mary)).map((text) => text.replace(/ (Release|preview|the preview) .*/, ""));
  expect([...new Set(offered)].toSorted()).toEqual([
    "Copy ID",
    "Copy the preview’s URL",
    "More for",
    "More for Star Hopper",
    "Share",
  ]);
  const [played] = await Promise.all([context.waitForEvent("page"), preview.click()]);
  await played.getByText("three").waitFor();

  for (const tab of ["Statistics", "Performance"]) {
    await v.tab(tab, mary);
    await mary.getByRole("heading", { name: /^Nothing counted|^No profiles yet/ }).waitFor();
  }
  await v.tab("Settings", mary);
  const members = mary.getByRole("list", { name: "Members" });
  await members.getByText("Viewer", { exact: true }).waitFor();
  expect(await lookAt(mary, "settings-viewer")).toEqual([]);
  const inSettings = (await buttons(mary)).filter((text) => !text.startsWith("Copy"));
  expect(inSettings).toEqual(["Share", "More for Star Hopper", "Leave Star Hopper"]);
  for (const heading of [
    "General",
    "CI jobs that may publish",
    "Tokens that can act on it",
    "Webhooks",
    "Hand over or delete",
  ])
    expect(await mary.getByRole("heading", { name: heading }).count()).toBe(0);

  // It stays in her list, and she is no developer by it.
  await mary.getByRole("link", { name: "Projects" }).click();
  await mary.getByText("you are a viewer").waitFor();
  await mary.getByRole("link", { name: "Account", exact: true }).click();
  await mary.getByRole("heading", { name: "Account", level: 1 }).waitFor();

  // Ada makes her a publisher: the page that is open has what that can do.
  await ada.getByRole("button", { name: "Done" }).click();
  await ada.getByRole("button", { name: "Make publisher Mary Jackson" }).click();
  await ada.getByRole("button", { name: "Make viewer Mary Jackson" }).waitFor();
  expect(await lookAt(ada, "members-with-viewer", ada.getByRole("list", { name: "Members" }))).toEqual([]);
  await mary.goto(link.replace(/invitations\/.*/, `projects/${slug}`));
  await mary.getByRole("region", { name: "Publish" }).waitFor();
}, 400_000);
