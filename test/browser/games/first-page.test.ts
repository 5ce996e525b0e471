import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { actorsOf } from "../../support/actors.ts";
import { startService, type TestService } from "../../support/service.ts";
import { newProject, publish } from "../../support/steps.ts";
import { complaintsOf, keepScreenshot, launchChromium } from "../chromium.ts";

let service: TestService;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchChromium()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test("a published page opens", async () => {
  const ada = await actorsOf(service).developer();
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": '<!doctype html><link rel="icon" href="data:,"><h1>Ready</h1>' });
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${service.api}/projects/${slug}/files/index.html`);
  expect(await page.textContent("h1")).toBe("Ready");
  await keepScreenshot(page, "first-page");
  expect(complaints).toEqual([]);
});
