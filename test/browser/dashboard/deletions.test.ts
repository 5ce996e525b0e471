import { text } from "node:stream/consumers";
import { beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { newProject, newSlug, publish } from "../../support/service/steps.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { complaintsOf } from "../chromium.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Taking offline, handing over, deleting and revoking on the dashboard.
 */

const v = visitor();
let page: Page;
let complaints: string[];

beforeEach(() => {
  page = v.page;
  complaints = complaintsOf(page);
});

async function publishGame(developer: Developer, slug: string): Promise<void> {
  expect((await developer.post("/projects", { slug, name: "Bounce" })).status).toBe(201);
  await publish(developer, slug, { "index.html": "<!doctype html><h1>Bounce</h1>" });
}

const dialog = () => page.getByRole("dialog");
const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();

/** A hundred pictures, each examined, take a busy machine minutes. */
const longest = 300_000;

test(
  "a project is taken offline, handed over, deleted and restored",
  async () => {
    const slug = "bounce-ends";
    const { ada } = v;
    await publishGame(ada, slug);
    const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
    await v.enter(`projects/${slug}`);

    await v.choose("Take offline");
    await shown("are all kept");
    expect(await lookAt(page, "take-offline")).toEqual([]);
    await dialog().getByRole("button", { name: "Take offline" }).click();
    await dialog().waitFor({ state: "detached" });
    await v.tab("Releases");
    await press(/^Make live Release/);
    await page.getByRole("table").waitFor();
    await dialog().getByRole("button", { name: "Make live" }).click();
    await dialog().waitFor({ state: "detached" });
    await page.locator(".project-header").getByText("Live", { exact: true }).waitFor();
    expect((await play(v.service, slug)).status).toBe(200);

    await v.tab("Settings");
    await press("Hand over");
    await page.getByLabel("Their user ID").fill("nobody-has-this");
    await press("Continue");
    await shown("Nobody has this user ID");
    await page.getByLabel("Their user ID").fill(grace.uid);
    await press("Continue");
    await shown("Grace Hopper");
    expect(await lookAt(page, "hand-over-to")).toEqual([]);
    await press("Offer the project");
    await shown("It works for nobody else.");
    await press("Done");
    await shown("invited by Ada Lovelace as owner");
    await press(`Withdraw ${grace.uid}`);
    await page.getByText("invited by Ada Lovelace as owner").waitFor({ state: "detached" });
    expect((await grace.get("/invitations")).body.invitations).toEqual([]);
    expect((await ada.post(`/projects/${slug}/invitations`, { role: "owner", to: grace.uid })).status).toBe(200);
    await page.reload();
    await shown("invited by Ada Lovelace as owner");

    page = await v.browser.newPage();
    await v.enter("", { name: "Grace Hopper", page });
    await page.getByRole("link", { name: /^Look at it/ }).click();
    await press("Refuse");
    await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
    const { body: again } = await ada.post(`/projects/${slug}/invitations`, { role: "owner", to: grace.uid });
    await page.goto(`${v.service.dashboard}invitations/${slug}/${again.id}`);
    await shown("Ada Lovelace wants you to take over Bounce.");
    await press("Take it over");
    await page.getByRole("heading", { name: "Bounce", level: 1 }).waitFor();
    expect((await ada.post(`/projects/${slug}/unpublish`)).status).toBe(404);

    await v.tab("Settings", page);
    await press("Delete project");
    const confirmation = page.getByLabel(`Type ${slug} to go on`);
    await confirmation.fill("bounce");
    await dialog().getByRole("button", { name: "Delete project" }).click();
    await shown(`Type exactly: ${slug}`);
    expect((await play(v.service, slug)).status).toBe(200);
    expect(await lookAt(page, "delete-project")).toEqual([]);
    await confirmation.fill(slug);
    await dialog().getByRole("button", { name: "Delete project" }).click();
    await page.getByRole("list", { name: "Deleted projects" }).waitFor();
    expect(await lookAt(page, "projects-deleted")).toEqual([]);
    expect((await actorsOf(v.service).anonymous.get(`/projects/${slug}`)).status).toBe(404);
    await press("Restore Bounce");
    await page.getByRole("link", { name: "Bounce", exact: true }).waitFor();
    await page.getByRole("list", { name: "Deleted projects" }).waitFor({ state: "detached" });
    expect((await actorsOf(v.service).anonymous.get(`/projects/${slug}`)).status).toBe(200);

    const suspension = { at: new Date().toISOString(), reason: "illegal_content" };
    await setAttribute(v.service, keys.project(slug), "suspension", suspension);
    // It has no players whom a limit could stop.
    await setAttribute(v.service, keys.project(slug), "trafficLimit", { until: "2099-12-01T00:00:00.000Z" });
    await page.getByRole("link", { name: "Bounce", exact: true }).click();
    await shown("The operator suspended this project just now: illegal content.");
    await v.tab("Settings", page);
    await page.getByRole("heading", { name: "CI jobs that may publish" }).waitFor();
    for (const refused of [
      "Save",
      "Invite",
      "Take offline",
      "Delete project",
      "Hand over",
      "Add CI jobs",
      /^Make live/,
      /^More for/,
    ])
      expect(await page.getByRole("button", { name: refused }).count()).toBe(0);
    expect(await page.getByText(/^Players get a page/).count()).toBe(0);
    expect(await lookAt(page, "project-suspended")).toEqual([]);
    await page.getByRole("link", { name: "Projects" }).first().click();
    await page.getByRole("listitem").filter({ hasText: "Bounce" }).getByText("Suspended", { exact: true }).waitFor();
    await press("New project");
    await page.getByLabel("Address").fill(slug);
    await shown("This address is taken. Choose another one.");
  },
  longest,
);

test("a dialog does not come back with a project that another window deleted, and that is restored", async () => {
  const slug = newSlug();
  await publishGame(v.ada, slug);
  await v.enter(`projects/${slug}`);
  await v.choose("Take offline");
  await page.route("**/unpublish", async (route) => {
    expect((await v.ada.delete(`/projects/${slug}`)).status).toBe(200);
    const body = {
      code: "current_release_changed",
      title: "Conflict",
      status: 409,
      detail: "Another release is live.",
    };
    await route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(body) });
  });
  await dialog().getByRole("button", { name: "Take offline" }).click();
  await shown("You have deleted this project.");
  await press("Restore Bounce");
  await page.getByRole("region", { name: "Publish" }).waitFor();
  expect(await dialog().count()).toBe(0);
});

test(
  "an account ends all its tokens, takes its data along, and is deleted once it has no project",
  async () => {
    const slug = "last-game";
    const alan = await actorsOf(v.service).developer({ sub: "alan", name: "Alan Turing" });
    await publishGame(alan, slug);
    // A project of somebody else that the account is a member of is not in its way.
    const others = await newProject(v.ada);
    const { body: invited } = await v.ada.post(`/projects/${others}/invitations`, { role: "admin", to: alan.uid });
    expect((await alan.post(`/projects/${others}/invitations/${invited.id}/acceptance`)).status).toBe(200);
    const token = await alan.token({ name: "build server" });
    await alan.token({ name: "laptop" });
    await v.enter("tokens", { name: "Alan Turing" });
    await press("Revoke all tokens");
    await shown("stays live. This cannot be undone.");
    expect(await lookAt(page, "revoke-all")).toEqual([]);
    await press("Revoke all");
    await dialog().waitFor({ state: "detached" });
    await shown("Revoked");
    expect((await token.get("/me")).status).toBe(401);
    expect(await page.getByRole("button", { name: "Revoke all tokens" }).count()).toBe(0);

    await page.getByRole("link", { name: "Account" }).click();
    const downloading = page.waitForEvent("download");
    await press("Download");
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("svc-account.json");
    const data = JSON.parse(await text(await download.createReadStream()));
    expect(data).toMatchObject({ user: { uid: "alan", name: "Alan Turing" } });
    expect(data.records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "token", token: expect.objectContaining({ name: "build server" }) }),
        expect.objectContaining({ kind: "project", project: expect.objectContaining({ slug }) }),
      ]),
    );
    await shown(/\d+ records saved/);

    await press("Delete account");
    await shown("You have projects, which people may play");
    expect(await dialog().getByRole("link").count()).toBe(1);
    expect(await lookAt(page, "delete-account-projects")).toEqual([]);
    await dialog().getByRole("link", { name: "Bounce" }).click();
    // The page's last request has its response once this shows: after the deletion it would get 410.
    await v.tab("Settings", page);
    await page.getByRole("button", { name: "Delete project" }).waitFor();
    expect((await alan.delete(`/projects/${slug}`)).status).toBe(200);
    await page.getByRole("link", { name: "Account" }).click();
    await press("Delete account");
    await page.getByLabel("Type delete to go on").fill("yes");
    await dialog().getByRole("button", { name: "Delete account" }).click();
    await shown("Type exactly: delete");
    expect(await lookAt(page, "delete-account")).toEqual([]);
    expect((await alan.get("/me")).status).toBe(200);
    await page.getByLabel("Type delete to go on").fill("delete");
    await dialog().getByRole("button", { name: "Delete account" }).click();
    await shown("Your account is deleted.");
    expect((await alan.get("/me")).status).toBe(403);
    expect(await lookAt(page, "account-deleted")).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect((await alan.get("/me")).status).toBe(403);
    expect(complaints).toEqual([]);
  },
  longest,
);

test("the data of an account that has more than one page is saved whole", async () => {
  const pages: Record<string, object> = {
    "": { records: [{ kind: "a" }, { kind: "b" }], next_cursor: "second" },
    second: { records: [], next_cursor: "third" },
    third: { records: [{ kind: "c" }], next_cursor: null },
  };
  await v.page.route(/\/me\/export/, (route) => {
    const cursor = new URL(route.request().url()).searchParams.get("cursor") ?? "";
    return route.fulfill({ json: { user: { uid: "ada" }, ...pages[cursor] } });
  });
  await v.enter("account");
  const [download] = await Promise.all([v.page.waitForEvent("download"), v.button("Download").click()]);
  const data = JSON.parse(await text(await download.createReadStream()));
  expect(data).toEqual({ user: { uid: "ada" }, records: [{ kind: "a" }, { kind: "b" }, { kind: "c" }] });
  await v.page.getByText("3 records saved").waitFor();
});
