import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { launchChromium } from "../../../../../test/browser/chromium.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startHttpServer } from "../../../../../test/support/network/http-server.ts";
import { newProject, publish } from "../../../../../test/support/service/steps.ts";
import { duringTests, useOwner, useServers, useService } from "../../../../../test/support/service/suite.ts";
import type { TelemetryRecord } from "../../../contract/telemetry-records.ts";

/*
 * Recordings of the page that measures arrive once, whatever the network does.
 */
const service = useService();
const ada = useOwner(service);
const keep = useServers();
const chromium = duringTests(async () => {
  const browser = await launchChromium();
  return { browser, stop: () => browser.close() };
});

/** Opens the page that measures a new game. */
async function openLink(html = ""): Promise<{ page: Page; records: () => Promise<TelemetryRecord[]> }> {
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": `<!doctype html><title>Game</title>${html}` });
  const { body } = await ada.post(`/projects/${slug}/telemetry-grants`);
  // The page of a context that stays: a browser that is closed as a whole sends nothing any more.
  const context = await chromium.browser.newContext();
  const page = await context.newPage();
  await page.goto(body.url, { waitUntil: "commit" });
  return { page, records: async () => (await ada.get(`/projects/${slug}/profiles/${body.profile.id}`)).body.records };
}

/** Waits until marks have arrived, and returns their names. */
async function marksOf(records: () => Promise<TelemetryRecord[]>, count: number, milliseconds: number) {
  const marks = async () => (await records()).flatMap((record) => (record.type === "mark" ? [record.name] : []));
  for (const end = Date.now() + milliseconds; Date.now() < end; await delay(100))
    if ((await marks()).length >= count) break;
  return await marks();
}

const mark = (page: Page) => page.getByRole("button", { name: "Mark" }).click();

test("after a lost response and a loss of the network it goes on where it was, and nothing is there twice", async () => {
  const { page, records } = await openLink();
  // Its pauses after a failure grow to half a minute.
  await page.clock.install();
  const pauseEnds = () => page.clock.fastForward("01:00");
  await mark(page);
  expect(await marksOf(records, 1, 20_000)).toEqual(["Mark 1"]);
  let lost = 0;
  await page.route("**/telemetry", async (route) => {
    lost += 1;
    if (lost === 1) await route.fetch();
    await route.abort("connectionreset");
  });
  await mark(page);
  expect(await marksOf(records, 2, 20_000)).toEqual(["Mark 1", "Mark 2"]);
  await page.getByText("Sending goes on when it can").waitFor();
  await Promise.all([page.waitForRequest("**/telemetry"), mark(page).then(pauseEnds)]);
  expect(await marksOf(records, 3, 1_000)).toEqual(["Mark 1", "Mark 2"]);
  await page.unroute("**/telemetry");
  await pauseEnds();
  expect(await marksOf(records, 3, 40_000)).toEqual(["Mark 1", "Mark 2", "Mark 3"]);
  await page.getByText("Sending goes on when it can").waitFor({ state: "detached" });
  const types = (await records()).map(({ type }) => type);
  expect(types.filter((type) => ["device", "start"].includes(type))).toEqual(["device", "start"]);
  expect(lost).toBeGreaterThanOrEqual(2);
  await page.close();
}, 120_000);

test("what was recorded before the page is closed arrives", async () => {
  const { page, records } = await openLink();
  await mark(page);
  expect(await marksOf(records, 1, 20_000)).toEqual(["Mark 1"]);
  await mark(page);
  await page.close({ runBeforeUnload: true });
  expect(await marksOf(records, 2, 30_000)).toEqual(["Mark 1", "Mark 2"]);
});

test("a game is measured before it has loaded, and so is each page that it opens, until it leaves its origin", async () => {
  const { endpoint: silent } = await keep(startHttpServer(() => {}));
  const image = `if (location.search === "") document.write('<img alt="" src="${silent}">')`;
  const { page, records } = await openLink(`<script>${image}</script>`);
  const frame = () => page.frames()[1];
  const rate = page.getByText(/^[1-9]\d* fps$/);
  await rate.waitFor();
  expect(await frame()?.evaluate("document.readyState")).not.toBe("complete");
  await frame()?.evaluate("location.search = 'next', null");
  await page.evaluate("document.getElementById('rate').textContent = ''");
  await rate.waitFor();
  const loads = async () => (await records()).filter(({ type }) => type === "load");
  await eventually(async () => expect(await loads()).not.toEqual([]));
  // Once measured, and not each time that the frame was looked into.
  expect(await loads()).toEqual([expect.objectContaining({ loaded: expect.not.closeTo(0) })]);
  expect(JSON.stringify(await records())).not.toContain("tgr_");
  await page.route("https://elsewhere.example/", (route) => route.fulfill({ body: "" }));
  await frame()?.evaluate("location = 'https://elsewhere.example/', null");
  await page.getByText("This game leaves its own origin in the frame, where nothing can be measured.").waitFor();
  for (const name of ["Start", "Stop", "Mark"])
    expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
  await page.close();
});
