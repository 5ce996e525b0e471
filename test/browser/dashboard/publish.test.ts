import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { limits } from "../../../contract/api/limits.ts";
import { zipBytes } from "../../support/folder/zips.ts";
import { play } from "../../support/service/play.ts";
import { newSlug } from "../../support/service/steps.ts";
import { complaintsOf } from "../chromium.ts";
import { drop, dropAnywhere } from "./drop.ts";
import { folders } from "./folders.ts";
import { layoutShiftOf, shiftObserver } from "./layout-shift.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* Publishing without a terminal: what is dropped or chosen on a project's page is played at the end. */

const v = visitor();
const games = folders();
let page: Page;

beforeEach(() => {
  page = v.page;
});

/** Pictures of four looks each, examined, take a busy machine minutes. */
const longest = 300_000;

const html = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;

/** A project of Ada's, and its page. */
async function openProject(): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  await page.getByRole("region", { name: "Publish" }).waitFor();
  return slug;
}

const review = () => page.getByRole("button", { name: "Publish", exact: true }).waitFor();
/** The title of the page that players get. */
async function played(slug: string): Promise<string> {
  const visit = await v.context.newPage();
  const url = `http://${slug}.${v.service.gamesDomain}/`;
  await visit.goto(url);
  const title = await visit.title();
  await visit.close();
  return title;
}

test("a drop on any tab of a project is its next release, on another page a new game, and none if it is refused", async () => {
  await openProject();
  await v.tab("Statistics");
  await page.getByText("Nothing counted in these days").waitFor();
  await dropAnywhere(page, games.write("tab", { "index.html": html("Tab") }));
  await page.getByRole("heading", { name: "Publish Bounce" }).waitFor();
  await review();
  await v.button("Cancel").click();
  await page.getByRole("link", { name: "Tokens" }).click();
  await page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
  const before = (await v.ada.get("/projects")).body.projects.length;
  await dropAnywhere(page, games.write("refused", { "build/index.html": html("Deeper"), "read.me": "1" }));
  await page.getByRole("heading", { name: "Publish a new game" }).waitFor();
  await page.getByText("There is one in build/.").waitFor();
  await v.button("Close").click();
  expect((await v.ada.get("/projects")).body.projects).toHaveLength(before);
});

test("a second release shows what changes, sends that alone, and can be looked at before it goes live", async () => {
  const slug = await openProject();
  const first = games.write("first", { "index.html": html("One"), "a.txt": "a", "b.txt": "b", "tokens/.env": "KEY=1" });
  await drop(page, first);
  await review();
  await page.getByText(/may contain a secret: tokens\/\.env/).waitFor();
  await v.button("Publish").click();
  await page.getByText("It is live.").waitFor();
  await v.button("Close").click();
  expect(await played(slug)).toBe("One");

  const puts: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && puts.push(request.url()));
  const second = games.write("second", { "index.html": html("Two"), "a.txt": "a", "c.txt": "c" });
  await page.locator("input[webkitdirectory]").setInputFiles(second);
  await review();
  await page.getByText("1 file is new").waitFor();
  await page.getByText("1 file changes").waitFor();
  await page.getByText("1 file goes away").waitFor();
  await v.button("Preview first").click();
  await page.getByText("The preview is open.").waitFor();
  expect(puts).toHaveLength(2);
  expect(await played(slug)).toBe("One");
  const opening = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Look at it" }).click();
  await (await opening).getByRole("heading", { name: "Two" }).waitFor();
  await v.button("Make live").click();
  await page.getByText("It is live.").waitFor();
  expect(await played(slug)).toBe("Two");
});

test("players load the Brotli that the browser has made, whose size the review shows", async () => {
  const complaints = complaintsOf(page);
  const slug = await openProject();
  const script = "let level = 1;\n".repeat(100_000);
  await drop(page, games.write("script", { "index.html": html("Script"), "game.js": script }));
  await review();
  await page
    .getByText(/^script: 2 files, 1\.4 MiB, compressed to \d+ B for players\. \d+(\.\d)? MiB are to send\.$/)
    .waitFor();
  await v.button("Publish").click();
  await page.getByText("It is live.").waitFor();
  expect(await played(slug)).toBe("Script");
  const { headers, body } = await play(v.service, slug, { path: "/game.js", headers: { "accept-encoding": "br" } });
  expect(headers["content-encoding"]).toBe("br");
  expect(body.length).toBeLessThan(1_000);
  expect(brotliDecompressSync(body).toString()).toBe(script);
  expect(complaints).toEqual([]);
});

test("an upload that a reload ended goes on where it was, when the same zip is chosen again", async () => {
  const slug = await openProject();
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`data/${index}.ogg`, `${index}`.padEnd(limits.packedFileBytes + 1)]),
  );
  const zip = join(games.parent, "game.zip");
  writeFileSync(zip, await zipBytes({ "game/index.html": html("Zipped"), ...prefixed(files) }));
  let sent = 0;
  let stored = 0;
  page.on("response", (response) => {
    if (response.request().method() === "PUT" && response.ok()) stored += 1;
  });
  await page.route(`${v.service.s3Endpoint}/**`, (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    sent += 1;
    // The others hang until the page is gone.
    return sent <= 20 ? route.continue() : undefined;
  });
  await page.locator("input[type=file]:not([webkitdirectory])").setInputFiles(zip);
  await review();
  await v.button("Publish").click();
  while (sent <= 20 || stored < 20) await page.waitForTimeout(50);
  let questions = 0;
  page.on("dialog", (question) => {
    questions += 1;
    void question.accept();
  });
  await page.reload();
  expect(questions).toBe(1);
  await page.unroute(`${v.service.s3Endpoint}/**`);
  await page.getByText("Not published").waitFor();

  const puts: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && puts.push(request.url()));
  await page.locator("input[type=file]:not([webkitdirectory])").setInputFiles(zip);
  await page.getByText("An upload of the same files was begun").waitFor();
  await v.button("Publish").click();
  await page.getByText("It is live.").waitFor();
  expect(puts).toHaveLength(31 - 20);
  expect(await played(slug)).toBe("Zipped");
});

test(
  "what cannot be published is refused with what to do, and nothing is sent",
  async () => {
    await openProject();
    await drop(page, games.write("no-index", { "build/index.html": html("Deeper"), "read.me": "1" }));
    await page.getByText("There is one in build/.").waitFor();
    expect(await lookAt(page, "publish-refused")).toEqual([]);
    await v.button("Close").click();
    await drop(page, games.write("twins", { "index.html": html("Twins"), "A%20B.txt": "1", "c.txt": "2" }));
    await page.getByText("A%20B.txt: must not contain % or ?").waitFor();
    await v.button("Close").click();
    await page.locator("h1:focus").waitFor();
  },
  longest,
);

test("nothing on a project's page moves when its releases come", async () => {
  await page.addInitScript(shiftObserver);
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  await page.getByText("From a terminal instead").waitFor();
  expect(await layoutShiftOf(page)).toEqual({ shift: 0, moved: [] });
});

function prefixed(files: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`game/${path}`, content]));
}
