import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { approvalUrl, startLogin, userCode } from "../../support/cli/command-line-login.ts";
import type { TestService } from "../../support/service/service.ts";
import { useCliUser } from "../../support/service/suite.ts";
import { complaintsOf } from "../chromium.ts";
import { chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();
const person = useCliUser();
let service: TestService;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeEach(() => {
  ({ service, context, page } = v);
  complaints = complaintsOf(page);
});

/** Opens the dashboard and signs in as somebody who had no account; the page has no request under way then. */
async function enter(name: string): Promise<void> {
  await page.goto(service.dashboard);
  await page.getByRole("button", { name: "Sign in" }).click();
  await chooseOnProvider(page, name);
  await page.getByText("Publish your first game").waitFor();
}

function svc(...args: string[]) {
  return person.run(args, { env: { SVC_API: service.api } });
}

/** A hundred pictures, each examined, take a busy machine minutes. */
const longest = 300_000;

test(
  "a person goes the whole way, from signing in to a revoked token",
  async () => {
    await page.goto(service.dashboard);
    expect(await lookAt(page, "welcome")).toEqual([]);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Ada Lovelace").waitFor();
    expect(await lookAt(page, "provider")).toEqual([]);
    await chooseOnProvider(page, "Ada Byron");
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
    const token = await page.locator("dialog code").first().textContent();
    await page.getByRole("button", { name: "I have copied it" }).click();

    const login = await person.run(["login", "--token", "-"], { env: { SVC_API: service.api }, input: token ?? "" });
    expect(login.code).toBe(0);
    mkdirSync(join(person.home, "game"));
    expect((await svc("projects", "create", "bounce-one", "--name", "Bounce")).code).toBe(0);
    for (const [message, content] of [
      ["The first level", "<!doctype html><h1>One</h1>"],
      ["A second level, and a faster ball", "<!doctype html><h1>Two, with more in it</h1>"],
    ] as const) {
      writeFileSync(join(person.home, "game", "index.html"), content);
      expect((await svc("publish", "game", "--project", "bounce-one", "--message", message)).code).toBe(0);
    }

    await page.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("link", { name: "Bounce", exact: true }).waitFor();
    await page.getByRole("link", { name: "Bounce", exact: true }).click();
    await page.getByText("Earlier").waitFor();
    await page.getByText("Ada Byron published #2 A second level, and a faster ball").waitFor();
    expect(await lookAt(page, "project")).toEqual([]);
    const tabs = page.getByRole("navigation", { name: "Project" });
    await tabs.getByRole("link", { name: "Releases" }).click();
    expect(await page.getByText("by you, with the token “laptop”").count()).toBe(2);
    expect(await lookAt(page, "releases")).toEqual([]);
    await tabs.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Roll back to #1" }).click();
    await page.getByRole("table").waitFor();
    expect(await lookAt(page, "roll-back")).toEqual([]);
    await page.getByText("1 file changes").click();
    await page.getByText("index.html", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Roll back", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Without loading the page again.
    await page.getByText("Ada Byron made #1 The first level live again").waitFor();
    const live = await fetch(`${service.api}/projects/bounce-one/files/index.html`);
    expect(await live.text()).toContain("One");

    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByRole("heading", { name: "laptop" }).waitFor();
    expect(await lookAt(page, "tokens")).toEqual([]);
    await page.getByText("Revoked and expired").click();
    await page.getByText("None.", { exact: true }).waitFor();
    await page.getByText("Revoked and expired").click();
    await page.getByRole("button", { name: "Replace laptop" }).click();
    expect(await lookAt(page, "replace")).toEqual([]);
    await page.getByLabel("1 hour").check();
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByText("The old token expires in 1 hour").waitFor();
    await page.getByRole("button", { name: "I have copied it" }).click();
    expect((await svc("whoami")).code).toBe(0);
    await page.getByText("1 hour left").waitFor();
    await page.getByRole("button", { name: "Revoke laptop" }).last().click();
    await page.getByText("2 releases of bounce-one").waitFor();
    await page.getByText("by the svc command").waitFor();
    expect(await lookAt(page, "revoke")).toEqual([]);
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByText("Revoked", { exact: true }).count()).toBe(0);
    await page.getByText("Revoked and expired").click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    expect(await lookAt(page, "tokens-revoked")).toEqual([]);
    const refused = await svc("whoami");
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining("revoked"),
    });

    await page.getByRole("link", { name: "Account" }).click();
    await page.getByText("Became a developer").waitFor();
    await page.getByText(/^[\d.]+ (Ki)?B of 50 GiB, [1-9]\d* of 250,000 files\./).waitFor();
    await page.getByText("Token replaced; it expires after the overlap").waitFor();
    expect(await lookAt(page, "account")).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(complaints).toEqual([]);
  },
  longest,
);

test("svc login is approved in the browser, and survives a second window", async () => {
  await enter("Grace Brewster");
  const login = startLogin(person, "login", service.api, approvalUrl);
  const [url] = await login.found;
  const second = await context.newPage();
  await second.goto(url);
  await page.goto(url);
  await page.getByRole("heading", { name: "Approve the command line" }).waitFor();
  expect(await lookAt(page, "approve")).toEqual([]);
  // In sight without scrolling.
  for (const name of ["Approve", "Deny"]) {
    const box = await page.getByRole("button", { name }).boundingBox();
    expect((box?.y ?? 1_000) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
  }
  await page.getByRole("button", { name: "Change name" }).click();
  expect(await lookAt(page, "approve-change")).toEqual([]);
  await page.getByRole("textbox", { name: "Name" }).fill("work laptop");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("The command line is signed in.").waitFor();
  expect((await login.ended).code).toBe(0);
  const whoami = await person.run(["whoami", "--json"], { env: { SVC_API: service.api } });
  expect(whoami.json.auth).toMatchObject({ name: "work laptop", scopes: ["publish", "projects"] });
});

test("a machine without a browser is approved by its code", async () => {
  await enter("Katherine Johnson");
  const login = startLogin(person, "login --device", service.api, userCode);
  const [code] = await login.found;
  await page.goto(`${service.dashboard}device`);
  await page.getByLabel("Code").fill(code.toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(`which shows ${code}`).waitFor();
  expect(await lookAt(page, "approve-device")).toEqual([]);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("The device is signed in").waitFor();
  expect((await login.ended).code).toBe(0);
});

test("a reload keeps who is signed in, without the token in any storage", async () => {
  await enter("Mary Jackson");
  await page.reload();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  const stored = await page.evaluate("[{ ...localStorage }, Object.keys(sessionStorage), document.cookie]");
  expect(stored).toEqual([{ "svc.signed-in": "yes" }, ["svc.provider"], ""]);
  // What everybody reads of the provider.
  const discovered = await fetch(`${service.issuer}/.well-known/openid-configuration`);
  const { metadata } = JSON.parse(await page.evaluate("sessionStorage['svc.provider']"));
  expect(metadata).toEqual(await discovered.json());
});
