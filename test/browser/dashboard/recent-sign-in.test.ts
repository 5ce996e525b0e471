import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor({ env: { IDP_SIGN_IN_MINUTES: "10" } });

/** The sign-in by which the page creates a token first was an hour ago, for the service; a later one is when it was. */
async function beSignedInForLong(): Promise<void> {
  const authTime = Math.floor(Date.now() / 1_000) - 3_600;
  const old = `Bearer ${await v.service.idToken({ sub: "ada", name: "Ada Lovelace", auth_time: authTime })}`;
  let first: string | undefined;
  await v.page.route(`${v.service.api}/tokens`, async (route) => {
    const headers = route.request().headers();
    if (route.request().method() !== "POST") return await route.continue();
    first ??= headers["authorization"];
    return await route.continue(
      headers["authorization"] === first ? { headers: { ...headers, authorization: old } } : {},
    );
  });
}

/** Opens the window in which the person signs in again. */
async function signInAgain(): Promise<Page> {
  const opening = v.page.waitForEvent("popup");
  await v.page.getByRole("button", { name: "Sign in again" }).click();
  return await opening;
}

test("if a token needs a recent sign-in, the person signs in again and loses nothing", async () => {
  await v.enter("tokens");
  await beSignedInForLong();
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
  // A window that is closed is no end: the button opens another one. One that is closed while it opens can keep Chromium from opening that.
  const closed = await signInAgain();
  await closed.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
  await closed.close();
  const popup = await signInAgain();
  // The provider has a session, and must ask all the same.
  await popup.getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  await v.page.getByText("typed before").first().waitFor();
  expect(await question.count()).toBe(0);
});
