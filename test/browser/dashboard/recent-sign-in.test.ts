import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { startService, type TestService } from "../../support/service/service.ts";
import { launchChromium } from "../chromium.ts";
import { becomeDeveloper, chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";

let service: TestService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const env = { IDP_SIGN_IN_MINUTES: "0.05" };
  [service, browser] = await Promise.all([startService({ env }), launchChromium()]);
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
});

afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
});

/** Opens the window in which the person signs in again. */
async function signInAgain(): Promise<Page> {
  const opening = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign in again" }).click();
  return await opening;
}

test("where a token needs a recent sign-in, the person signs in again and loses nothing", async () => {
  await page.goto(`${service.dashboard}tokens`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await chooseOnProvider(page, "Dorothy Vaughan");
  await becomeDeveloper(page, "Tokens");
  await delay(3_500);
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("typed before");
  await page.getByRole("button", { name: "Create token" }).click();
  const question = page.getByRole("heading", { name: "Is it still you?" });
  await question.waitFor();
  expect(await lookAt(page, "recent-sign-in")).toEqual([]);

  await page.getByRole("button", { name: "Cancel" }).last().click();
  await page.getByText("This needs you to sign in again.").waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("typed before");

  await page.getByRole("button", { name: "Create token" }).click();
  // A window that is closed is no end: the button opens another one.
  await (await signInAgain()).close();
  const popup = await signInAgain();
  // The provider has a session, and must ask all the same.
  await chooseOnProvider(popup, "Dorothy Vaughan");
  await page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  await page.getByText("typed before").first().waitFor();
  expect(await question.count()).toBe(0);
});
