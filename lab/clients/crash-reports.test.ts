import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchReporting, reportingChromium } from "../../test/browser/chromium.ts";
import { SecureProxy } from "../../test/browser/secure-proxy.ts";
import { eventually } from "../../test/support/eventually.ts";
import { publish } from "../../test/support/service/steps.ts";
import { useOwner, useService } from "../../test/support/service/suite.ts";

/*
 * A real Chromium reports that a game's tab died, over https, and it is counted. When it does so is the browser's decision, so this is no test of
 * each change; what of a report counts has tests beside the code (options/reports).
 */

const program = reportingChromium();
if (program === undefined) throw new Error("No Chromium is installed. On Debian: apt-get install chromium");

const service = useService();
const ada = useOwner(service);
let proxy: SecureProxy;
let browser: Browser;
beforeEach(async () => {
  proxy = new SecureProxy();
  browser = await launchReporting(program, proxy.pin);
});
afterEach(async () => {
  await browser.close();
  await proxy.stop();
});

const deaths: readonly (readonly [string, string, (page: Page) => Promise<void>])[] = [
  [
    "that was killed",
    "other",
    async () => {
      const session = await browser.newBrowserCDPSession();
      const { processInfo } = await session.send("SystemInfo.getProcessInfo");
      for (const { type, id } of processInfo) if (type === "renderer") process.kill(id, "SIGKILL");
    },
  ],
  [
    "that allocates until it dies",
    "oom",
    async (page) => {
      const allocate =
        "(async () => { const all = []; for (;;) { all.push(Array.from({ length: 4e6 }, (_, i) => ({ i }))); await 0; } })()";
      await page.evaluate(allocate).catch(() => undefined);
    },
  ],
];

test.each(deaths)(
  "the tab of a game %s is counted for its release",
  async (_, reason, die) => {
    const id = await publish(ada, ada.slug, { "index.html": `<!doctype html><title>Game</title>${reason}` });
    const page = await browser.newPage();
    await page.goto(await proxy.urlOf(`http://${ada.slug}.${service.gamesDomain}/?player=ada`));
    await die(page);
    await eventually(async () => {
      const { releases } = (await ada.get(`/projects/${ada.slug}/crashes`)).body;
      expect(releases).toMatchObject([
        { release: { id }, crashes: 1, reasons: { [reason]: 1 }, devices: { desktop: 1 }, engines: { chromium: 1 } },
      ]);
    }, 120_000);
  },
  180_000,
);
