import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startService, type TestService } from "../../support/service/service.ts";
import { FirefoxPage, installedFirefox } from "../firefox.ts";
import { qrCodeIn } from "../qr-code.ts";
import { installedWebKit, WebKitPage } from "../webkit.ts";
import { zipOf } from "./zip.ts";

const [firefox, webKit] = [installedFirefox(), installedWebKit()];
if (firefox === undefined) throw new Error("No Firefox is installed. On Debian: apt-get install firefox-esr");
const browsers: readonly (readonly [string, () => Promise<FirefoxPage | WebKitPage>])[] = [
  ["Firefox", () => FirefoxPage.open(firefox)],
  ...(webKit === undefined ? [] : [["WebKit", () => WebKitPage.open(webKit, { isPlain: true })] as const]),
];

let service: TestService;
let page: FirefoxPage | WebKitPage;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-drop-"));
  service = await startService();
});
afterEach(async () => {
  await Promise.all([page?.close(), service?.stop()]);
  rmSync(folder, { recursive: true });
});

/** Waits until an expression is true; while the page changes there is nothing to ask. */
async function until(expression: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(100))
    if (await page.evaluate(expression).catch(() => false)) return;
  throw new Error(`Not so in time: ${expression}; the page says: ${await page.evaluate("document.body.innerText")}`);
}

async function click(text: string): Promise<void> {
  await until(`(() => {
    const all = [...document.querySelectorAll("button, a")];
    const found = all.find((one) => one.innerText.includes(${JSON.stringify(text)}) && one.getClientRects().length > 0);
    found?.click();
    return found !== undefined;
  })()`);
}

test.each(browsers)(
  "in %s too, somebody new publishes a zip, sees its picture and plays the game, without a terminal",
  async (browser, open) => {
    page = await open();
    const slug = `${browser.toLowerCase()}-game`;
    const bounce = fileURLToPath(new URL("../../../examples/bounce", import.meta.url));
    const files = readdirSync(bounce).map((name) => [`bounce/${name}`, readFileSync(join(bounce, name), "utf8")]);
    const zip = join(folder, "bounce.zip");
    const game: Record<string, string> = Object.fromEntries(files);
    game["bounce/index.html"] = game["bounce/index.html"]?.replace('href="data:,"', 'href="ball.svg"') ?? "";
    game["bounce/ball.svg"] = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-9 -9 18 18"><circle r="9"/></svg>';
    writeFileSync(zip, await zipOf(game));

    await page.goto(service.dashboard);
    await click("Sign in");
    await click("Ada Lovelace");
    await click("Yes, become a developer");
    await until("document.querySelector('.drop input[accept]') !== null");
    await page.setFiles(".drop input[accept]", [zip]);
    await until("document.querySelector('dialog input')?.value === 'bounce'");
    await until(`(() => {
    const name = document.querySelector("dialog input");
    name.value = "${browser} Game";
    return name.dispatchEvent(new Event("input", { bubbles: true }));
  })()`);
    await click("Create project");
    await until("document.body.innerText.includes('bounce.zip: 4 files')");
    await until("document.querySelector('dialog .button.primary')?.click() === undefined");
    await until("document.body.innerText.includes('It is live.')");
    await until("document.querySelector('dialog .qr')?.scrollIntoView() === undefined");
    const png = await page.screenshot();
    await click("Close");
    await until("document.querySelector('.live img.picture')?.naturalWidth > 0");
    await page.goto(String(await page.evaluate("document.querySelector('.live a.button').href")));
    await until("document.querySelector('canvas') !== null");
    expect(await page.evaluate("location.href")).toBe(`http://${slug}.${service.gamesDomain}/`);
    await page.goto("about:blank");
    const url = await qrCodeIn(png, (expression) => page.evaluate(expression));
    expect(url).toBe(`http://${slug}.${service.gamesDomain}/`);
    expect(page.complaints).toEqual([]);
  },
);
