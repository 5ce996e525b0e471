import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startService, type TestService } from "../../support/service.ts";
import { complaintsOf, launchChromium } from "../chromium.ts";
import { becomeDeveloper, chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";

let service: TestService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchChromium()]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
});

beforeEach(async () => {
  await context?.close();
  context = await browser.newContext();
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  complaints = complaintsOf(page);
});

test("a person signs in, becomes a developer and creates a token", async () => {
  await page.goto(service.dashboard);
  expect(await lookAt(page, "welcome")).toEqual([]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Ada Lovelace").waitFor();
  expect(await lookAt(page, "provider")).toEqual([]);
  await chooseOnProvider(page, "Ada Byron");
  await page.getByRole("heading", { name: "Become a developer" }).waitFor();
  expect(await lookAt(page, "become-developer")).toEqual([]);
  await becomeDeveloper(page);
  await page.getByText("Publish your first game").waitFor();
  expect(await lookAt(page, "projects-empty")).toEqual([]);

  await page.getByRole("link", { name: "Tokens" }).click();
  await page.getByText("No tokens yet").waitFor();
  expect(await lookAt(page, "tokens-empty")).toEqual([]);
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("laptop");
  await page.getByLabel("Create and edit projects").check();
  expect(await lookAt(page, "token-form")).toEqual([]);
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  expect(await lookAt(page, "token-new")).toEqual([]);
  expect(complaints).toEqual([]);
});
