import { afterEach, expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { liveRelease, newSlug, publish, readyRelease } from "../../support/service/steps.ts";
import { chooseOnProvider } from "../dashboard/person.ts";
import { keepLooks, lookAt } from "../dashboard/screens.ts";
import { visitor } from "../dashboard/visitor.ts";
import { phoneDevice } from "./phone.ts";

/*
 * A tester on a phone, who is no developer: Ada invites Mary as a viewer. What the API lets a viewer do is tested in test/long/security and
 * test/api/members.
 */

const v = visitor();
let context: BrowserContext | undefined;

afterEach(() => context?.close());

const html = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;
const buttons = (page: Page) => page.getByRole("main").getByRole("button", { includeHidden: true }).allTextContents();

test("opens an invitation on a phone, sees and plays the game and its preview, and can change nothing", async () => {
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

  context = await v.browser.newContext(phoneDevice);
  const mary = await context.newPage();
  mary.setDefaultTimeout(20_000);
  let authorization = "";
  mary.on("request", (request) => {
    authorization = request.headers()["authorization"] ?? authorization;
  });
  /** Examines a view at all widths, and goes on with the phone's. */
  const look = async (name: string) => {
    expect(await lookAt(mary, name)).toEqual([]);
    await mary.setViewportSize(phoneDevice.viewport);
  };
  await mary.goto(link);
  await mary.getByText("Ada Lovelace invites you to see Star Hopper, as viewer.").waitFor();
  await keepLooks(mary, "walk-tester-1-invited");
  await mary.getByRole("button", { name: "Sign in" }).tap();
  await chooseOnProvider(mary, "Mary Jackson");
  await mary.getByText("Ada Lovelace invites you to see Star Hopper, as viewer.").waitFor();
  expect(await mary.getByText("You become one when you accept").count()).toBe(0);
  await look("join-as-viewer");
  await keepLooks(mary, "walk-tester-2-join");
  await mary.getByRole("button", { name: "Join" }).tap();

  await mary.getByRole("region", { name: "Live release" }).getByText("Release #2").waitFor();
  await mary.getByRole("region", { name: "What happened" }).getByText("Mary Jackson joined as viewer").waitFor();
  await look("project-viewer");
  await keepLooks(mary, "walk-tester-3-project");
  expect(await buttons(mary)).toEqual(["Share", "More for Star Hopper"]);

  await v.tab("Releases", mary);
  const preview = mary.getByRole("link", { name: /^Play the preview/ });
  await preview.waitFor();
  await look("releases-viewer");
  await keepLooks(mary, "walk-tester-4-releases");
  const offered = (await buttons(mary)).map((text) => text.replace(/ (Release|preview|the preview) .*/, ""));
  expect([...new Set(offered)].toSorted()).toEqual([
    "Copy ID",
    "Copy the preview’s URL",
    "More for",
    "More for Star Hopper",
    "Share",
  ]);
  const [played] = await Promise.all([context.waitForEvent("page"), preview.tap()]);
  await played.getByText("three").waitFor();
  await played.close();

  // The service refuses her what the page does not offer.
  const live = await liveRelease(v.ada, slug);
  const refusal = async (path: string) => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(`${v.service.api}/projects/${slug}/${path}`, { method: "POST", headers, body: "{}" });
    return { status: response.status, ...((await response.json()) as { code: string }) };
  };
  for (const path of ["unpublish", `releases/${draft}/publish`])
    expect(await refusal(path)).toMatchObject({ status: 403, code: "developer_required" });
  expect(await liveRelease(v.ada, slug)).toBe(live);

  for (const tab of ["Statistics", "Performance"]) {
    await v.tab(tab, mary);
    await mary.getByRole("heading", { name: /^Nothing counted|^No profiles yet/ }).waitFor();
  }
  await v.tab("Settings", mary);
  const members = mary.getByRole("list", { name: "Members" });
  await members.getByText("Viewer", { exact: true }).waitFor();
  await look("settings-viewer");
  await keepLooks(mary, "walk-tester-5-settings");
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
