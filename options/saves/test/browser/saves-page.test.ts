import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { complaintsOf, launchChromium } from "../../../../test/browser/chromium.ts";
import { lookAtOwnPage } from "../../../../test/browser/dashboard/screens.ts";
import { qrCodeIn } from "../../../../test/browser/qr-code.ts";
import { until } from "../../../../test/browser/until.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { newProject, publish } from "../../../../test/support/service/steps.ts";
import { duringTests, useOwner, useService } from "../../../../test/support/service/suite.ts";
import { foundSaves, savingGame } from "../support/saving-game.ts";

const service = useService();
const ada = useOwner(service);
const chromium = duringTests(async () => {
  const browser = await launchChromium();
  return { browser, stop: () => browser.close() };
});

const folder = mkdtempSync(join(tmpdir(), "svc-saves-"));
const savedFile = join(folder, "my.saves");
afterAll(() => rmSync(folder, { recursive: true }));

let context: BrowserContext;
let page: Page;
let slug: string;
let game: string;
let saves: string;
beforeEach(async () => {
  context = await chromium.browser.newContext();
  page = await context.newPage();
  slug = await newProject(ada);
  await publish(ada, slug, { "index.html": savingGame });
  game = `http://${slug}.${service.gamesDomain}/`;
  saves = `${game}.well-known/svc/saves`;
});
afterEach(() => context.close());

/** Plays until the game has saved, and opens the page. */
async function save(mark: string): Promise<void> {
  await page.goto(game);
  await page.evaluate(`save(${JSON.stringify(mark)})`);
  await page.goto(saves);
}

async function found(): Promise<unknown> {
  await page.goto(game);
  return await page.evaluate("load()");
}

const button = (name: string) => page.getByRole("button", { name });
const status = () => page.getByRole("status");

/** Saves to a file, as a person gets it. */
async function download(): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent("download"), button("Save to a file").click()]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^${slug}\\.localhost-\\d{4}-\\d\\d-\\d\\d\\.saves$`));
  await file.saveAs(savedFile);
  return readFileSync(savedFile);
}

async function choose(buffer: Buffer): Promise<void> {
  const file = { name: "my.saves", mimeType: "application/octet-stream", buffer };
  await page.getByLabel("File with saved games").setInputFiles(file);
}

const replace = () => button("Replace what is saved here").click();

test("a player saves to a file, loses everything, loads it, and puts back what was there before", async () => {
  const requests: string[] = [];
  await save("first");
  page.on("request", (request) => requests.push(`${request.method()} ${request.resourceType()}`));
  const file = await download();
  await save("second");
  await choose(file);
  await page.getByText(/^Saved at .* on .*: 9 entries, /).waitFor();
  // What is there is named before anything is replaced.
  await page.locator("#chosen summary").click();
  await page.locator("#chosen").getByText("/userfs: FILE_DATA: 2 entries, ").waitFor();
  expect(await page.getByText("It is the same game, and I saved this file myself.").isVisible()).toBe(false);
  expect(await found()).toEqual(foundSaves("second", true));
  await page.goto(saves);
  await choose(file);
  await replace();
  await status().getByText("Loaded. Open the game to go on.").waitFor();
  // A second click has nothing to load.
  expect(await button("Replace what is saved here").isVisible()).toBe(false);
  expect(await found()).toEqual(foundSaves("first", true));
  await page.goto(saves);
  await page.getByText(/^You loaded saved games on /).waitFor();
  await button("Put it back").click();
  await status().getByText("What was here before is here again.").waitFor();
  expect(await button("Put it back").isVisible()).toBe(false);
  expect(await found()).toEqual(foundSaves("second", true));
  await page.goto(saves);
  await status().filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  expect(await page.getByText(/^You loaded saved games on /).isVisible()).toBe(false);
  expect(new Set(requests)).toEqual(new Set(["GET document"]));
  const elsewhere = JSON.stringify(`${service.api}/`);
  expect(await page.evaluate(`fetch(${elsewhere}).then(() => 'sent', () => 'refused')`)).toBe("refused");
});

test("the copy goes when the player keeps what is there", async () => {
  await save("first");
  const file = await download();
  await choose(file);
  await replace();
  await button("Keep what is here now").click();
  await status().getByText("The copy is removed. What is here stays.").waitFor();
  await page.goto(game);
  expect(await page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name).sort())")).toEqual([
    "/idbfs",
    "/userfs",
    "localforage",
    "own",
  ]);
});

test("a file of another game is told, and loaded only if the player says so", async () => {
  await save("first");
  const file = await download();
  slug = await newProject(ada);
  await publish(ada, slug, { "index.html": savingGame });
  const [host, other] = [new URL(game).host, `http://${slug}.${service.gamesDomain}/`];
  game = other;
  await page.goto(`${other}.well-known/svc/saves`);
  await choose(file);
  await page.getByText(`This file is from ${host}, not from ${new URL(other).host}.`).waitFor();
  await replace();
  await status().getByText("Confirm first that they are yours.").waitFor();
  expect(await page.evaluate("indexedDB.databases()")).toEqual([]);
  await page.getByLabel("It is the same game, and I saved this file myself.").check();
  await replace();
  await status().getByText("Loaded.").waitFor();
  expect(await found()).toEqual(foundSaves("first", true));
});

test("what another file is, is said, and nothing changes", async () => {
  await save("first");
  const file = await download();
  await choose(file.subarray(0, -10));
  await status().getByText("The end of this file is missing.").waitFor();
  await choose(Buffer.from("no saves"));
  await status().getByText("This is no file with saved games.").waitFor();
  expect(await button("Replace what is saved here").isVisible()).toBe(false);
  expect(await found()).toEqual(foundSaves("first", true));
});

describe("what was there is there again", () => {
  let file: Buffer;
  beforeEach(async () => {
    await save("first");
    file = await download();
    await save("second");
    await choose(file);
  });

  test("if the browser refuses to write in the middle", async () => {
    await page.evaluate(`{
      const { setItem } = Storage.prototype;
      let times = 0;
      Storage.prototype.setItem = function (...pair) {
        times += 1;
        if (times === 2) throw new DOMException("full", "QuotaExceededError");
        setItem.apply(this, pair);
      };
    }`);
    await replace();
    await status().getByText("There is not enough room in this browser. What was here before is here again.").waitFor();
    expect(await found()).toEqual(foundSaves("second", true));
  });

  test("by a later visit, if the browser refuses to put it back too", async () => {
    await page.evaluate(
      "void (Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); })",
    );
    await replace();
    await status().getByText("What was here before could not be put back now. It is kept:").waitFor();
    await page.goto(saves);
    await button("Put it back").click();
    await status().getByText("What was here before is here again.").waitFor();
    expect(await found()).toEqual(foundSaves("second", true));
  });

  test("if the page dies in the middle, by the next visit", async () => {
    // The first database is never deleted; the files are replaced already.
    await page.evaluate(`IDBFactory.prototype.deleteDatabase = () => {
      window.isInTheMiddle = true;
      return new EventTarget();
    }`);
    await replace();
    await until(page, "window.isInTheMiddle === true");
    await page.goto(saves);
    await page.getByText("was interrupted, so what is here now may be incomplete.").waitFor();
    // Not before it is decided.
    await choose(file);
    await replace();
    await status().getByText("The last load was not finished.").waitFor();
    await button("Put it back").click();
    await status().getByText("What was here before is here again.").waitFor();
    expect(await found()).toEqual(foundSaves("second", true));
  });

  test("if another tab loads saves at that time, for which nothing is changed", async () => {
    const other = await context.newPage();
    await other.goto(saves);
    await other.evaluate(
      "new Promise((held) => void navigator.locks.request('svc-saves-lock', () => new Promise(() => held())))",
    );
    await replace();
    await status().getByText("Another tab has this page open and is loading saved games.").waitFor();
    expect(await found()).toEqual(foundSaves("second", true));
  });
});

test("a game that is open in another tab is told to close its databases; the page waits for one that does not", async () => {
  await save("first");
  const file = await download();
  const playing = await context.newPage();
  await playing.goto(game);
  await playing.evaluate(`new Promise((resolve) => {
    const request = indexedDB.open("own");
    request.onsuccess = () => {
      window.open = request.result;
      request.result.onversionchange = () => { window.wasTold = true; };
      resolve();
    };
  })`);
  await choose(file);
  await replace();
  await status().getByText("This game is open in another tab or window. Close it there,").waitFor();
  expect(await playing.evaluate("window.wasTold")).toBe(true);
  await playing.close();
  await status().getByText("Loaded.").waitFor();
  expect(await found()).toEqual(foundSaves("first", true));
});

test("a save of 50 MB is moved", async () => {
  await page.goto(game);
  const digest = "crypto.subtle.digest('SHA-256', contents).then((bytes) => String(new Uint8Array(bytes)))";
  const written = await page.evaluate(`(async () => {
    const contents = new Uint8Array(50_000_000);
    for (let index = 0; index < contents.length; index += 1) contents[index] = (index * 7919) >> 3;
    await put(await idbfs("/userfs"), "FILE_DATA", [["/userfs/big", { timestamp: time, mode: 33206, contents }]]);
    return await ${digest};
  })()`);
  await page.goto(saves);
  expect((await download()).length).toBeGreaterThan(50_000_000);
  const other = await chromium.browser.newContext();
  try {
    page = await other.newPage();
    await page.goto(saves);
    await page.getByLabel("File with saved games").setInputFiles(savedFile);
    await replace();
    await status().getByText("Loaded.").waitFor();
    await page.goto(game);
    const read = await page.evaluate(`(async () => {
      const { contents } = await got((await idbfs("/userfs")).transaction("FILE_DATA").objectStore("FILE_DATA").get("/userfs/big"));
      return await ${digest};
    })()`);
    expect(read).toBe(written);
  } finally {
    await other.close();
  }
});

/** Makes a link, which the page shows. */
async function madeLink(): Promise<string> {
  await button("Make a link").click();
  await status().getByText("The link is ready.").waitFor();
  return await page.getByRole("textbox", { name: "Link" }).inputValue();
}

describe("a link", () => {
  let other: BrowserContext;
  beforeEach(async () => {
    other = await chromium.browser.newContext();
  });
  afterEach(() => other.close());

  test("brings saved games to another device, asks there, and works once", async () => {
    await save("first");
    const bodies: string[] = [];
    context.on("request", (request) => bodies.push(request.url() + String(request.postData())));
    const url = await madeLink();
    const blank = await context.newPage();
    // Cameras need it black on white in the dark too.
    await page.emulateMedia({ colorScheme: "dark" });
    const picture = await page.getByRole("img", { name: "QR code of the link" }).screenshot();
    expect(await qrCodeIn(picture, (expression) => blank.evaluate(expression))).toBe(url);
    const [key = ""] = new URL(url).hash.split(".").slice(1);
    expect(key).toHaveLength(43);
    // What is sent has neither the key nor anything that the game has saved.
    const isSaid = (text: string) => bodies.some((body) => body.includes(text));
    expect([bodies.length > 0, isSaid(key), isSaid("rmmzsave"), isSaid("saved games")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    page = await other.newPage();
    await page.goto(url);
    await button("Get them").waitFor();
    expect(page.url()).toBe(saves);
    await page.goto(game);
    await page.evaluate("save('earlier')");
    await page.goto(url);
    await button("Get them").click();
    await page.getByText(/^Saved at .* on .*: 9 entries, /).waitFor();
    expect(await found()).toEqual(foundSaves("earlier", true));
    // Who leaves the page before the answer has lost the link, and nothing else.
    await page.goto(url);
    await button("Get them").click();
    await status().getByText("This link was used, or is older than an hour.").waitFor();
    expect(await found()).toEqual(foundSaves("earlier", true));
  });

  test("replaces what is there once the player says that it is theirs", async () => {
    await save("first");
    const url = await madeLink();
    page = await other.newPage();
    await page.goto(saves);
    // In the window that has the page open already, too.
    await page.goto(url);
    await button("Get them").click();
    await replace();
    await status().getByText("Confirm first that they are yours.").waitFor();
    expect(await page.evaluate("indexedDB.databases()")).toEqual([]);
    await page.getByLabel("I made the link myself.").check();
    await replace();
    await status().getByText("Loaded.").waitFor();
    expect(await found()).toEqual(foundSaves("first", true));
  });

  test("is not made while the service cannot be reached, and a file is", async () => {
    await save("first");
    await page.route("**/.well-known/svc/saves/**", (route) => route.abort());
    await button("Make a link").click();
    await status().getByText("The service cannot be reached. Try again later, or save to a file.").waitFor();
    await download();
  });
});

test("no page frames it, and none that opened it holds it", async () => {
  await publish(ada, slug, {
    "index.html": `<link rel="icon" href="data:,"><iframe src="/.well-known/svc/saves"></iframe><button onclick="window.opened = window.open('/.well-known/svc/saves')">Open</button>`,
  });
  const complaints = complaintsOf(page);
  await page.goto(game);
  await eventually(async () => expect(complaints.join()).toContain("frame-ancestors"));
  await button("Open").click();
  // So a window looks that is in another group of browsing contexts.
  await eventually(async () => expect(await page.evaluate("window.opened.closed")).toBe(true));
});

test("the game's public page leads to it", async () => {
  await page.goto(`${game}.well-known/svc/about`);
  await page.getByRole("link", { name: "Move your saved games" }).click();
  await page.waitForURL(saves);
  await button("Save to a file").waitFor();
});

test("it is there while the game is offline, and gone with a game that is deleted", async () => {
  await save("first");
  await ada.post(`/projects/${slug}/unpublish`);
  await page.goto(game);
  await page.getByRole("link", { name: "Move your saved games" }).click();
  await page.waitForURL(saves);
  await download();
  await ada.delete(`/projects/${slug}`);
  expect((await page.goto(saves))?.status()).toBe(404);
});

test("it has no finding, light and dark, wide and narrow, with everything that it can show", async () => {
  const complaints = complaintsOf(page);
  await save("first");
  const file = await download();
  await choose(file);
  await replace();
  await button("Put it back").waitFor();
  await choose(file);
  await button("Replace what is saved here").waitFor();
  await madeLink();
  await page.locator("#arrived").evaluate((element) => element.removeAttribute("hidden"));
  await page.locator("#other-text").evaluate((element) => {
    element.textContent = "This file is from another-game.example, not from my-game.example.";
  });
  await page.locator("#other").evaluate((element) => element.removeAttribute("hidden"));
  for (const summary of await page.locator("summary").all()) await summary.click();
  expect(await lookAtOwnPage(page, "saves", { height: 2_600 })).toEqual([]);
  expect(complaints).toEqual([]);
});
