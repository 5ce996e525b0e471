import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { becomeDeveloper, chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor({ env: { IDP_SIGN_IN_MINUTES: "0.05" } });

/** Opens the window in which the person signs in again. */
async function signInAgain(): Promise<Page> {
  const opening = v.page.waitForEvent("popup");
  await v.page.getByRole("button", { name: "Sign in again" }).click();
  return await opening;
}

test("if a token needs a recent sign-in, the person signs in again and loses nothing", async () => {
  await v.page.goto(`${v.service.dashboard}tokens`);
  await v.page.getByRole("button", { name: "Sign in" }).click();
  await chooseOnProvider(v.page, "Dorothy Vaughan");
  await becomeDeveloper(v.page, "Tokens");
  await delay(3_500);
  await v.page.getByRole("button", { name: "New token" }).click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("typed before");
  await v.page.getByRole("button", { name: "Create token" }).click();
  const question = v.page.getByRole("heading", { name: "Is it still you?" });
  await question.waitFor();
  expect(await lookAt(v.page, "recent-sign-in")).toEqual([]);

  await v.page.getByRole("button", { name: "Cancel" }).last().click();
  await v.page.getByText("This needs you to sign in again.").waitFor();
  expect(await v.page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("typed before");

  await v.page.getByRole("button", { name: "Create token" }).click();
  // A window that is closed is no end: the button opens another one.
  await (await signInAgain()).close();
  const popup = await signInAgain();
  // The provider has a session, and must ask all the same.
  await chooseOnProvider(popup, "Dorothy Vaughan");
  await v.page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  await v.page.getByText("typed before").first().waitFor();
  expect(await question.count()).toBe(0);
});
