import { buffer } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { filesOfZip } from "../../../contract/folder/zip.ts";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { newProject, openRelease, publish, sha256 } from "../../support/service/steps.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* A release's page: what it has, what it changed, and its files, which a person downloads. */

const v = visitor();

const big = "x".repeat(9 * 1024 * 1024);
const folder = {
  "index.html": "<h1>One</h1>",
  "assets/world.json": "{}",
  "assets/maps/1.map": "map",
  "assets/big.bin": big,
};

/** Two releases of a project. */
async function released(slug: string): Promise<{ first: string; second: string }> {
  const first = await publish(v.ada, slug, { ...folder, "old.png": "old" });
  const second = await publish(v.ada, slug, { ...folder, "index.html": "<h1>Two</h1>", "new.png": "new" });
  return { first, second };
}

test("a release's page says what it changed, has its files by folder, and lets its note be edited", async () => {
  const { page } = v;
  const slug = await newProject(v.ada);
  const { second } = await released(slug);
  await v.enter(`projects/${slug}/releases`);
  await page.getByRole("link", { name: "Release #2" }).click();
  expect(new URL(page.url()).pathname).toBe(`/projects/${slug}/releases/${second}`);
  for (const text of ["1 file changes", "1 file is new", "1 file goes away"]) await page.getByText(text).waitFor();
  expect(await page.title()).toContain("Release #2");
  const maps = page.getByText("maps/");
  expect(await maps.count()).toBe(0);
  await page.getByText("assets/").click();
  await maps.click();
  const file = page.getByRole("link", { name: "1.map" });
  await file.waitFor();
  expect(await file.getAttribute("href")).toMatch(/^http:.*\/assets\/maps\/1\.map$/);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("textbox", { name: "What is new" }).fill("Second world");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "#2 Second world" }).waitFor();
  expect(await lookAt(page, "release")).toEqual([]);
});

test("a release that is not live is downloaded as a zip with its bytes", async () => {
  const { page } = v;
  const slug = await newProject(v.ada);
  const { first } = await released(slug);
  await v.enter(`projects/${slug}/releases/${first}`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download as zip" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${slug}-1.zip`);
  const files = await filesOfZip(new Blob([await buffer(await download.createReadStream())]));
  const texts = await Promise.all(files.map(async (file) => [file.path, await new Response(file.stream()).text()]));
  expect(Object.fromEntries(texts)).toEqual({ ...folder, "old.png": "old" });
});

test("a download whose bytes are others stops, and says which file it is", async () => {
  const { page } = v;
  const slug = await newProject(v.ada);
  const { first } = await released(slug);
  await v.enter(`projects/${slug}/releases/${first}`);
  // The list names other bytes than those that the store has.
  await page.route(`${v.service.api}/projects/${slug}/releases/${first}/files`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(sha256(big), sha256("other")) });
  });
  let isDownloaded = false;
  page.on("download", () => {
    isDownloaded = true;
  });
  await page.getByRole("button", { name: "Download as zip" }).click();
  await page.getByRole("alert").getByText("assets/big.bin is not what was published").waitFor();
  expect(isDownloaded).toBe(false);
});

test("a draft, and a release that is deleted, have no download; a viewer reads and changes nothing", async () => {
  const { page } = v;
  const slug = await newProject(v.ada);
  const { first, second } = await released(slug);
  const { body } = await openRelease(v.ada, slug, { "index.html": "3" });
  const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
  await addMember(v.ada, slug, grace, "viewer");
  await v.ada.post(`/projects/${slug}/releases/${first}/withdraw`);
  const open = (id: string) => page.goto(`${v.service.dashboard}projects/${slug}/releases/${id}`);
  const download = page.getByRole("button", { name: "Download as zip" });
  await v.enter(`projects/${slug}/releases/${second}`, { name: "Grace Hopper" });
  await download.waitFor();
  expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
  await open(body.release.id);
  await page.getByText("What it would change").waitFor();
  await page.getByText("index.html").last().waitFor();
  expect(await download.count()).toBe(0);
  await open(first);
  await page.getByText("Its files are deleted").waitFor();
  expect(await download.count()).toBe(0);
});

test("the release that was live when the game was suspended is not called live, and nothing of it is a link to play", async () => {
  const { page } = v;
  const slug = await newProject(v.ada);
  const { first, second } = await released(slug);
  await v.ada.post(`/projects/${slug}/releases/${first}/preview`);
  await setAttribute(v.service, keys.project(slug), "suspension", { at: new Date().toISOString(), reason: "spam" });
  await v.enter(`projects/${slug}`);
  for (const path of ["", "/releases", `/releases/${second}`]) {
    await page.goto(`${v.service.dashboard}projects/${slug}${path}`);
    await page.locator(".badge").getByText("Suspended", { exact: true }).waitFor();
    expect({ path, live: await page.getByText("Live", { exact: true }).count() }).toEqual({ path, live: 0 });
    expect(await page.getByRole("link", { name: /^Play/ }).count()).toBe(0);
  }
  await page.getByText("index.html").last().waitFor();
  expect(await page.getByRole("link", { name: "index.html" }).count()).toBe(0);
});
