import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "@jest/globals";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { complaintsOf, launchChromium } from "../../../../test/browser/chromium.ts";
import { lookAtOwnPage } from "../../../../test/browser/dashboard/screens.ts";
import { startHttpServer } from "../../../../test/support/network/http-server.ts";
import { newProject, publish } from "../../../../test/support/service/steps.ts";
import { duringTests, useCliUser, useOwner, useService } from "../../../../test/support/service/suite.ts";
import { foundSaves, savingGame } from "../support/saving-game.ts";

/*
 * The page that `svc saves page` writes, at another host, whose file the game's new origin takes.
 */
const service = useService();
const ada = useOwner(service);
const person = useCliUser();
const chromium = duringTests(async () => {
  const browser = await launchChromium();
  return { browser, stop: () => browser.close() };
});

/** The host that the game moves from, and under another name a site that shows the game in a frame. */
const pages = new Map<string, string>();
const oldHost = duringTests(async () => {
  const { endpoint, stop } = await startHttpServer(({ url = "" }, response) => {
    response.writeHead(pages.has(url) ? 200 : 404, { "content-type": "text/html" }).end(pages.get(url));
  });
  const portal = endpoint.replace("127.0.0.1", "portal.localhost");
  return { game: `${endpoint}/index.html`, portal, stop };
});

const folder = mkdtempSync(join(tmpdir(), "svc-saves-export-"));
const savedFile = join(folder, "my.saves");
afterAll(() => rmSync(folder, { recursive: true }));

let context: BrowserContext;
let page: Page;
let game: string;
beforeEach(async () => {
  context = await chromium.browser.newContext();
  page = await context.newPage();
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": savingGame });
  game = `http://${slug}.${service.gamesDomain}/`;
  const { code } = await person.run(["saves", "page", "--to", game]);
  expect(code).toBe(0);
  pages.set("/index.html", `${savingGame}<a href="saves.html">Take your saved games with you</a>`);
  pages.set("/saves.html", readFileSync(join(person.home, "saves.html"), "utf8"));
  pages.set(
    "/portal",
    `<!doctype html><link rel="icon" href="data:,"><iframe src="${oldHost.game}" width="960" height="540"></iframe>`,
  );
  pages.set(
    "/sandbox",
    `<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts" src="/saves.html"></iframe>`,
  );
});
afterEach(() => context.close());

/** The frame of a page that shows one. */
async function frameOf(url: string): Promise<Frame> {
  await page.goto(url);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error(`${url} shows no frame`);
  return frame;
}

const places: readonly (readonly [place: string, open: () => Promise<Frame>])[] = [
  [
    "on a page of its own",
    async () => {
      await page.goto(oldHost.game);
      return page.mainFrame();
    },
  ],
  ["in a frame of another site", () => frameOf(`${oldHost.portal}/portal`)],
];

test.each(places)(
  "what a game has saved at another host, %s, is in the file that its new address loads",
  async (_, open) => {
    const complaints = complaintsOf(page);
    const old = await open();
    await old.evaluate("save('first')");
    await old.getByRole("link", { name: "Take your saved games with you" }).click();
    await old.waitForURL("**/saves.html");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      old.getByRole("button", { name: "Save to a file" }).click(),
    ]);
    await file.saveAs(savedFile);
    expect(file.suggestedFilename()).toMatch(/^127\.0\.0\.1-\d{4}-\d\d-\d\d\.saves$/);
    expect(requests.filter((url) => !url.startsWith("blob:"))).toEqual([]);
    const [target] = await Promise.all([
      context.waitForEvent("page"),
      old.getByRole("link", { name: `${game}.well-known/svc/saves` }).click(),
    ]);
    await target.waitForURL(`${game}.well-known/svc/saves`);
    await target.getByLabel("File with saved games").setInputFiles(savedFile);
    await target.getByText(`This file is from ${new URL(oldHost.game).host}, not from`).waitFor();
    await target.getByLabel("It is the same game, and I saved this file myself.").check();
    await target.getByRole("button", { name: "Replace what is saved here" }).click();
    await target.getByRole("status").getByText("Loaded. Open the game to go on.").waitFor();
    await target.goto(game);
    expect(await target.evaluate("load()")).toEqual(foundSaves("first", true));
    expect(complaints).toEqual([]);
    expect(await old.evaluate("fetch('/').then(() => 'sent', () => 'refused')")).toBe("refused");
  },
);

test("of an origin with several games the file has what the page was written for", async () => {
  const { code } = await person.run([
    "saves",
    "page",
    "--to",
    game,
    "--only",
    "RPG File",
    "--only",
    "/idbfs/0f1e",
    "--force",
  ]);
  expect(code).toBe(0);
  pages.set("/saves.html", readFileSync(join(person.home, "saves.html"), "utf8"));
  await page.goto(oldHost.game);
  await page.evaluate("save('first')");
  await page.goto(new URL("saves.html", oldHost.game).href);
  await page.locator("summary").click();
  await page.getByText("/idbfs: FILE_DATA: 2 entries, ").waitFor();
  expect(await page.getByRole("listitem").allTextContents()).toEqual([
    expect.stringMatching(/^\/idbfs: FILE_DATA: 2 entries, /),
    expect.stringMatching(/^Local storage: 1 entry, /),
  ]);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save to a file" }).click(),
  ]);
  await file.saveAs(savedFile);
  await page.goto(`${game}.well-known/svc/saves`);
  await page.getByLabel("File with saved games").setInputFiles(savedFile);
  await page.getByText(/^Saved at .* on .*: 3 entries, /).waitFor();
});

test("it says if nothing is saved there, and if the browser keeps nothing for it", async () => {
  await page.goto(new URL("saves.html", oldHost.game).href);
  await page.getByText("Nothing is saved here by this game yet.").waitFor();
  expect(await page.getByRole("button", { name: "Save to a file" }).isDisabled()).toBe(true);
  const frame = await frameOf(new URL("sandbox", oldHost.game).href);
  await frame.getByRole("status").getByText("This browser keeps nothing for this page.").waitFor();
  expect(await frame.getByRole("button", { name: "Save to a file" }).isDisabled()).toBe(true);
});

test("it has no finding, light and dark, wide and narrow", async () => {
  const complaints = complaintsOf(page);
  await page.goto(oldHost.game);
  await page.evaluate("save('first')");
  await page.goto(new URL("saves.html", oldHost.game).href);
  await page.getByText(/^9 entries, /).waitFor();
  await page.locator("summary").click();
  expect(await lookAtOwnPage(page, "saves-export")).toEqual([]);
  expect(complaints).toEqual([]);
});
