import { expect, test } from "@jest/globals";
import { newSlug, publish, readyRelease } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Changes that the hosts where games are played do not have yet. That the API says so then is tested without a browser.
 */

const v = visitor();
const games = folders();

/** Makes every later response to a change say that it waits. */
async function letChangesWait() {
  await v.page.route(`${v.service.api}/projects/**`, async (route) => {
    if (route.request().method() === "GET") return await route.continue();
    const response = await route.fetch();
    return await route.fulfill({ response, json: { ...(await response.json()), edge: "waiting" } });
  });
}

async function openProject() {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "One" });
  await v.enter(`projects/${slug}`);
  await v.page.getByRole("region", { name: "Live release" }).waitFor();
  return slug;
}

const dialog = () => v.page.getByRole("dialog");
const notSeen = () => v.page.getByText("players do not see it yet");

test("a project that was taken offline says that players can still play it, until a later change has reached them", async () => {
  const slug = await openProject();
  await readyRelease(v.ada, slug, "Next");
  await letChangesWait();
  expect(await notSeen().count()).toBe(0);
  await v.choose("Take offline");
  await dialog().getByRole("button", { name: "Take offline" }).click();
  await notSeen().waitFor();
  expect(await lookAt(v.page, "waiting-edge")).toEqual([]);
  await v.page.unrouteAll();
  await v.page.reload();
  await v.tab("Releases");
  const more = v.button(/^More for Release of /);
  await more.click();
  await v.button(/^Open preview Release of /).click();
  await v.page.getByText("Preview", { exact: true }).waitFor();
  expect(await notSeen().count()).toBe(0);
  await letChangesWait();
  await more.click();
  await v.button(/^End preview Release of /).click();
  await notSeen().waitFor();
});

test("what was published beside the project's page, which players do not see yet, says so there", async () => {
  const slug = await openProject();
  await letChangesWait();
  await drop(v.page, games.write(slug, { "index.html": "Two" }));
  await v.button("Publish").click();
  await v.page.getByText("It is live.").waitFor();
  await dialog().getByRole("button", { name: "Close" }).click();
  await notSeen().waitFor();
});

test("a deletion and a restoration that players do not see yet say so", async () => {
  const slug = await openProject();
  await letChangesWait();
  await v.tab("Settings");
  await v.button("Delete project").click();
  await dialog().getByRole("textbox").fill(slug);
  await dialog().getByRole("button", { name: "Delete project" }).click();
  await dialog().getByText("players do not see it yet").waitFor();
  await dialog().getByRole("button", { name: "Close" }).click();
  await v.page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await v.button("Restore Bounce").first().click();
  await notSeen().waitFor();
  await v.page.getByRole("list", { name: "Projects", exact: true }).locator(`h2 a[href="/projects/${slug}"]`).waitFor();
});
