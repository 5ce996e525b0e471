import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { zipBytes } from "../../support/folder/zips.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { type FirefoxPage, installedFirefox, useFirefox } from "../firefox.ts";
import { qrCodeIn } from "../qr-code.ts";
import { until } from "../until.ts";
import { installedWebKit, WebKitPage } from "../webkit.ts";
import { click } from "./clicks.ts";

const [firefox, webKit] = [installedFirefox(), installedWebKit()];
if (firefox === undefined) throw new Error("No Firefox is installed. On Debian: apt-get install firefox-esr");
const browsers: readonly (readonly [string, () => Promise<FirefoxPage | WebKitPage>])[] = [
  ["Firefox", useFirefox(firefox)],
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

test.each(browsers)(
  "in %s too, somebody new publishes a zip, sees its picture and plays the game, without a terminal",
  async (browser, open) => {
    page = await open();
    const slug = `${browser.toLowerCase()}-game`;
    const bounce = fileURLToPath(new URL("../../../examples/bounce", import.meta.url));
    const names = readdirSync(bounce).filter((name) => name !== "cover.png");
    const files = names.map((name) => [`bounce/${name}`, readFileSync(join(bounce, name), "utf8")]);
    const zip = join(folder, "bounce.zip");
    const game: Record<string, string> = Object.fromEntries(files);
    game["bounce/index.html"] =
      game["bounce/index.html"]?.replace("data:,", "ball.svg").replace("cover.png", "ball.svg") ?? "";
    game["bounce/ball.svg"] = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-9 -9 18 18"><circle r="9"/></svg>';
    writeFileSync(zip, await zipBytes(game));

    await page.goto(service.dashboard);
    await click(page, "Sign in");
    await click(page, "Ada Lovelace");
    await until(page, "document.querySelector('.drop input[accept]') !== null");
    await page.setFiles(".drop input[accept]", [zip]);
    await until(page, "document.querySelector('dialog input:not([type])')?.value === 'Bounce'");
    await until(
      page,
      `(() => {
    const name = document.querySelector("dialog input:not([type])");
    name.value = "${browser} Game";
    return name.dispatchEvent(new Event("input", { bubbles: true }));
  })()`,
    );
    await until(page, "document.body.innerText.includes('bounce.zip: 4 files')");
    await page.evaluate("document.querySelector('dialog .button.primary').click()");
    await until(page, "document.body.innerText.includes('It is live.')");
    await until(page, "document.querySelector('dialog .qr') !== null");
    await page.evaluate("document.querySelector('dialog .qr').scrollIntoView()");
    // It is on the screen two frames later.
    await page.evaluate(
      "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))",
    );
    const png = await page.screenshot();
    await click(page, "Close");
    await until(page, "document.querySelector('.live img.picture')?.naturalWidth > 0");
    await page.goto(String(await page.evaluate("document.querySelector('.project-actions a.primary').href")));
    await until(page, "document.querySelector('canvas') !== null");
    expect(await page.evaluate("location.href")).toBe(`http://${slug}.${service.gamesDomain}/`);
    await page.goto("about:blank");
    const url = await qrCodeIn(png, (expression) => page.evaluate(expression));
    expect(url).toBe(`http://${slug}.${service.gamesDomain}/`);
    expect(page.complaints).toEqual([]);
  },
);
