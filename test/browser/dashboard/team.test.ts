import { afterEach, expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { actorsOf } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { liveRelease } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Three people, each in a browser of their own: Ada, who owns the game; Grace, a developer; and Mary, who has no account.
 */

const v = visitor();
const files = folders();
const others: BrowserContext[] = [];

afterEach(async () => {
  await Promise.all(others.splice(0).map((context) => context.close()));
});

/** The page of another person, in a browser of their own. */
async function anotherPage(): Promise<Page> {
  const context = await v.browser.newContext();
  others.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const member = (page: Page, name: string) =>
  page.getByRole("list", { name: "Members" }).getByRole("listitem").filter({ hasText: name });
const html = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;
/** The link that the dialog shows after an invitation. */
const linkOf = async (page: Page) => (await page.getByRole("dialog").locator("code").textContent()) ?? "";

/** The controls that a publisher does not see on a project's page, and those that an admin does not. */
const forAdmins = ["Save", "Invite", "Add CI jobs", /^Make (admin|publisher)/, /^Remove/];
const forOwners = ["Hand over", "Delete project"];

/** Those of these buttons that a page shows. */
async function shownOf(page: Page, names: readonly (string | RegExp)[]): Promise<(string | RegExp)[]> {
  const counts = await Promise.all(names.map((name) => page.getByRole("button", { name }).count()));
  return names.filter((_, index) => counts[index] !== 0);
}

/** Many pictures, each examined, take a busy machine minutes. */
const longest = 600_000;

test(
  "a team of three makes, shows, reviews and publishes a game, and who is removed is refused",
  async () => {
    const { page: ada, service } = v;
    const grace = await anotherPage();
    const mary = await anotherPage();
    const graceUid = (await actorsOf(service).developer({ sub: "grace", name: "Grace Hopper" })).uid;
    await v.enter();
    await press(ada, "New project");
    await ada.getByRole("textbox", { name: "Name" }).fill("Team Game");
    await press(ada, "Create project");
    await ada.getByRole("heading", { name: "Team Game", level: 1 }).waitFor();

    // Mary, by a link, as publisher: she has neither an account nor a session.
    await v.tab("Settings", ada);
    await press(ada, "Invite");
    await ada.getByText("Role", { exact: true }).waitFor();
    expect(await lookAt(ada, "invite")).toEqual([]);
    await press(ada, "Make a link");
    await ada.getByText("whoever uses it first").waitFor();
    expect(await lookAt(ada, "invited-by-link")).toEqual([]);
    const link = await linkOf(ada);
    await press(ada, "Done");
    await member(ada, "Whoever has the link").getByText("invited by Ada Lovelace as publisher").waitFor();
    await mary.goto(link);
    await mary.getByRole("heading", { name: "You are invited to a game" }).waitFor();
    // Before she has signed in.
    await mary.getByText("Ada Lovelace invites you to work on Team Game, as publisher.").waitFor();
    expect(await lookAt(mary, "welcome-invited")).toEqual([]);
    await press(mary, "Sign in");
    await chooseOnProvider(mary, "Mary Jackson");
    await mary.getByText("Ada Lovelace invites you to work on Team Game, as publisher.").waitFor();
    expect(mary.url()).toBe(link.replace(/#.*/, ""));
    expect(await lookAt(mary, "join")).toEqual([]);
    await press(mary, "Join");
    await v.tab("Settings", mary);
    await member(mary, "Mary Jackson (you)").getByText("Publisher", { exact: true }).waitFor();

    // Grace, by her uid, as admin.
    await press(ada, "Invite");
    await ada.getByRole("radio", { name: /^Admin/ }).check();
    await ada.getByLabel("Their user ID (optional)").fill("nobody-has-this");
    await press(ada, "Continue");
    await ada.getByText("Nobody has this user ID").waitFor();
    await ada.getByLabel("Their user ID (optional)").fill(graceUid);
    await press(ada, "Continue");
    await ada.getByRole("dialog").getByText("Grace Hopper").waitFor();
    await ada.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    await ada.getByText("It works for nobody else.").waitFor();
    await mary.goto(await linkOf(ada));
    await mary.getByText("Nobody invites you here.").waitFor();
    await mary.getByText("You are signed in as Mary Jackson").waitFor();
    await press(ada, "Done");
    await member(ada, graceUid).getByText("invited by Ada Lovelace as admin").waitFor();
    expect(await lookAt(ada, "members", member(ada, graceUid))).toEqual([]);
    await v.enter("", { name: "Grace Hopper", page: grace });
    await grace.getByRole("heading", { name: "You are invited" }).waitFor();
    expect(await lookAt(grace, "projects-invited")).toEqual([]);
    await grace.getByRole("link", { name: /^Look at it/ }).click();
    await grace.getByText("invites you to work on").waitFor();
    await press(grace, "Join");
    await v.tab("Settings", grace);
    await member(grace, "Grace Hopper (you)").getByText("Admin", { exact: true }).waitFor();
    await grace.getByRole("button", { name: "Add CI jobs" }).waitFor();
    expect(await shownOf(grace, [...forAdmins, ...forOwners])).toEqual(forAdmins);

    // Mary shows what she made; Grace looks at it, and makes it live.
    await mary.getByRole("link", { name: "Projects" }).click();
    await mary.getByText("you are a publisher").waitFor();
    await mary.getByRole("link", { name: "Team Game", exact: true }).click();
    await mary.getByRole("region", { name: "Publish" }).waitFor();
    await drop(mary, files.write("game", { "index.html": html("Made by Mary") }));
    await press(mary, "Preview first");
    await mary.getByText("The preview is open.").waitFor();
    await press(mary, "Close");
    await v.tab("Releases", mary);
    await mary.getByRole("button", { name: /^More for/ }).click();
    await mary.getByRole("button", { name: /^End preview/ }).waitFor();
    expect(await mary.getByRole("button", { name: /^Delete release/ }).count()).toBe(0);
    await mary.keyboard.press("Escape");
    await v.tab("Settings", mary);
    await member(mary, "Grace Hopper").waitFor();
    expect(await shownOf(mary, [...forAdmins, ...forOwners])).toEqual([]);
    await grace.reload();
    await v.tab("Releases", grace);
    await grace.getByRole("button", { name: /^More for/ }).waitFor();
    const preview = grace.getByRole("link", { name: /^Play the preview/ });
    const [played] = await Promise.all([grace.context().waitForEvent("page"), preview.click()]);
    await played.getByRole("heading", { name: "Made by Mary" }).waitFor();
    await press(grace, /^Make live Release/);
    await grace.getByRole("dialog").getByRole("button", { name: "Make live" }).click();
    await grace.getByRole("listitem").getByText("Live", { exact: true }).waitFor();
    await grace.getByText("by you, on the dashboard").waitFor();
    expect((await play(service, "team-game")).body.toString()).toContain("Made by Mary");

    // Ada reads who did what, and removes Mary, whose page is still open.
    await v.tab("Releases", ada);
    await ada.reload();
    await ada.getByText("by Grace Hopper, on the dashboard").waitFor();
    await v.tab("Overview", ada);
    await ada.getByRole("link", { name: "All that happened" }).click();
    const history = ada.getByRole("list", { name: "History" });
    await history.getByText("Grace Hopper made Release #1 live").waitFor();
    await history.getByText("Mary Jackson joined as publisher").waitFor();
    expect(await lookAt(ada, "history", history)).toEqual([]);
    await v.tab("Settings", ada);
    await press(ada, "Make admin Mary Jackson");
    await member(ada, "Mary Jackson").getByText("Admin", { exact: true }).waitFor();
    await press(ada, "Make publisher Mary Jackson");
    await member(ada, "Mary Jackson").getByText("Publisher", { exact: true }).waitFor();
    await mary.reload();
    await mary.getByRole("link", { name: "Play" }).waitFor();
    await press(ada, "Remove Mary Jackson");
    await press(ada, "Remove");
    await member(ada, "Mary Jackson").waitFor({ state: "detached" });
    const live = await liveRelease(v.ada, "team-game");
    await v.choose("Take offline", mary);
    const dialog = mary.getByRole("dialog");
    await dialog.getByRole("button", { name: "Take offline" }).click();
    await dialog.getByText("you are not a member of it any more").waitFor();
    expect(await liveRelease(v.ada, "team-game")).toBe(live);
    await mary.reload();
    await mary.getByText("you are not a member of it any more").waitFor();

    // A link works once. Grace leaves by herself.
    await mary.goto(link);
    await mary.getByText("Nobody invites you here.").waitFor();
    await v.tab("Settings", grace);
    await press(grace, "Leave Team Game");
    await press(grace, "Leave");
    await grace.getByText("Publish your first game").waitFor();
  },
  longest,
);

test("a project is found that is not on the first page of the list", async () => {
  await v.page.route(`${v.service.api}/projects?*`, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "1");
    await route.continue({ url: url.href });
  });
  for (const slug of ["paged-first", "paged-last"]) await v.ada.post("/projects", { slug, name: slug });
  await v.enter("projects/paged-last");
  await v.page.getByRole("region", { name: "Publish" }).waitFor();
});
