import { beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { newId } from "../../../functions/table/ids.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { setAttribute, storedItem, storeItems } from "../../support/table/stored.ts";
import { until } from "../until.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * A list of several pages. What would make it slower with each page is counted, so that no busy machine changes the result.
 */

const length = 60;

const v = visitor(undefined, async ({ service, ada }) => {
  const key = accountKey(service.issuer, "ada");
  const token = await storedItem(service, keys.token(key, (await ada.token()).id));
  // More active ones than an account can have, so that every row has its buttons.
  const tokens = Array.from({ length }, (_, index) => {
    const createdAt = new Date(Date.now() - (index + 1) * 3_600_000);
    const id = index === 0 ? token?.["id"] : newId(createdAt);
    return {
      ...token,
      ...keys.token(key, String(id)),
      id,
      name: `token ${100 + index}`,
      createdAt: createdAt.toISOString(),
    };
  });
  await storeItems(service, tokens);
  const activeTokens = Object.fromEntries(tokens.map((each) => [each.id, String(token?.["expiresAt"])]));
  await setAttribute(service, keys.account(key), "activeTokens", activeTokens);
  const revokedAt = new Date().toISOString();
  const revoked = Array.from({ length: 1_000 }, (_, index) => {
    const id = newId(new Date(index));
    return { ...token, ...keys.token(key, id), id, name: `old ${1_000 + index}`, revokedAt };
  });
  await storeItems(service, revoked);
});
let page: Page;

beforeEach(async () => {
  page = v.page;
  await page.addInitScript(counter);
  // Pages of 20, because axe takes minutes for hundreds of rows.
  await page.route(`${v.service.api}/tokens*`, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "20");
    await route.continue({ url: url.href });
  });
  await v.enter("tokens");
  await page.getByRole("list", { name: "Tokens" }).waitFor();
});

/** Counter of times that are put into words, which each row does once. */
const counter = `
  window.drawn = 0;
  const { format } = Intl.RelativeTimeFormat.prototype;
  Intl.RelativeTimeFormat.prototype.format = function (...of) { window.drawn += 1; return format.apply(this, of); };
`;

/** The value of an expression, in which `list` is the list. */
async function inPage(expression: string): Promise<unknown> {
  return await page.evaluate(`(() => { const list = document.querySelector("[role=list]"); return ${expression}; })()`);
}

/** Shows the next page, after which the list has this many rows. */
async function turnTo(count: number): Promise<void> {
  await page.getByRole("button", { name: "Show more" }).click();
  await page
    .locator("[role=listitem]")
    .nth(count - 1)
    .waitFor({ state: "attached" });
}

test("turning a page draws that page alone, whatever was there before", async () => {
  expect(await lookAt(page, "tokens-many")).toEqual([]);
  await page.evaluate(`{
    const list = document.querySelector("[role=list]");
    window.changes = [];
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver((records) => window.changes.push(...records)).observe(list, everything);
  }`);
  const turns: unknown[] = [];
  for (const count of [40, 60]) {
    await page.evaluate("window.drawn = 0; window.changes = [];");
    await turnTo(count);
    turns.push({ drawn: await inPage("window.drawn"), changes: await inPage("window.changes.length") });
  }
  expect(turns).toEqual([
    { drawn: 20, changes: 1 },
    { drawn: 20, changes: 1 },
  ]);
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  expect(await inPage("list.childElementCount")).toBe(3);
});

test("a thousand revoked tokens are folded below the active ones, and read when they are opened", async () => {
  const read: string[] = [];
  page.on("request", (request) => {
    const { searchParams } = new URL(request.url());
    if (request.method() === "GET" && searchParams.has("status")) read.push(String(searchParams.get("status")));
  });
  await page.reload();
  await page.getByRole("list", { name: "Active tokens" }).waitFor();
  expect((await names().allTextContents()).every((name) => name.startsWith("token 1"))).toBe(true);
  expect(await page.getByText(/^old 1/).count()).toBe(0);
  expect(new Set(read)).toEqual(new Set(["active"]));
  await page.getByText("Revoked and expired").click();
  const ended = page.getByRole("list", { name: "Revoked and expired tokens" });
  await ended
    .getByText(/^old 1/)
    .first()
    .waitFor();
  // A list's last page may have been full, so that the next one is empty: nothing is drawn of it.
  const json = { tokens: [], next_cursor: null };
  await page.route(`${v.service.api}/tokens?cursor=*`, (route) => route.fulfill({ json }));
  const more = ended.locator("xpath=..").getByRole("button", { name: "Show more" });
  await more.click();
  await more.waitFor({ state: "detached" });
  expect(await ended.locator("> *").count()).toBe(1);
  await page.getByRole("textbox", { name: "Find a revoked or expired one by name" }).fill("OLD 1000");
  await ended.getByText("old 1001").waitFor({ state: "detached" });
  expect(await ended.getByRole("listitem").count()).toBe(1);
  await page.getByRole("textbox", { name: "Find by name" }).fill("TOKEN 10");
  await page.getByText("token 110").waitFor({ state: "detached" });
  await page.getByText("Revoked and expired").click();
  await ended.waitFor({ state: "detached" });
  const others = names().filter({ hasNotText: /^token 10/ });
  await others.first().waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Find by name" }).fill("no such");
  await page.getByText("No token’s name contains this.").first().waitFor();
});

test("each page is laid out and painted for itself, and every row is found, reached and read", async () => {
  await turnTo(40);
  await turnTo(60);
  // For each such element the browser does something at every frame.
  const contained = `[...list.querySelectorAll("*")].filter((one) => {
    const { contain, contentVisibility } = getComputedStyle(one);
    return contain !== "none" || contentVisibility !== "visible";
  }).length`;
  expect({ contained: await inPage(contained), children: await inPage("list.childElementCount") }).toEqual({
    contained: 3,
    children: 3,
  });

  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const ofRole = (name: string) => nodes.filter(({ role, ignored }) => role?.value === name && !ignored);
  const read = { rows: ofRole("listitem").length, names: ofRole("heading").length - 1 };
  expect(read).toEqual({ rows: length, names: length });

  await toTheEnd();
  expect(await inPage(`window.find("${await names().nth(10).textContent()}")`)).toBe(true);
  await until(page, isInSight(10));
  await toTheEnd();
  await page.getByRole("button", { name: "New token" }).evaluate((button) => button.focus({ preventScroll: true }));
  // The first stop is the field to find tokens by name.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await inPage("document.activeElement.ariaLabel")).toBe(`Replace ${await names().first().textContent()}`);
  await until(page, isInSight(0));
});

test("a page that was asked for before the list was read anew does not bring back what is gone", async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`${v.service.api}/tokens?*cursor=*`, async (route) => {
    asked.resolve();
    await answered.promise;
    await route.fallback();
  });
  await page.getByRole("button", { name: "Show more" }).click();
  await asked.promise;
  const first = String(await names().first().textContent());
  await page.getByRole("button", { name: `Revoke ${first}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  const revoked = names().filter({ hasText: first });
  await revoked.waitFor({ state: "detached" });
  const late = page.waitForResponse((response) => response.url().includes("cursor="));
  answered.resolve();
  await (await late).finished();
  // The next page of the list as it is now follows what is there.
  await turnTo(40);
  expect(await revoked.count()).toBe(0);
});

/** The names of the tokens, in the order of the list. */
const names = () => page.locator("[role=listitem] h2");

/** Scrolls to the list's end, from where its beginning cannot be seen. A row has its own height once it is near. */
async function toTheEnd(): Promise<void> {
  await until(page, `scrollTo(0, document.documentElement.scrollHeight), ${isInSight(-1)}`);
  expect(await page.evaluate(isInSight(10))).toBe(false);
}

/** Whether the name of a row is in sight. */
const isInSight = (at: number) => `(({ top, bottom }) => bottom > 0 && top < innerHeight)(
  [...document.querySelectorAll("[role=listitem] h2")].at(${at}).getBoundingClientRect())`;
