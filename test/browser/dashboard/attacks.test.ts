import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { actorsOf } from "../../support/actors.ts";
import { startService, type TestService } from "../../support/service.ts";
import { launchChromium } from "../chromium.ts";

let service: TestService;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchChromium()]);
  await actorsOf(service).developer({ sub: "ada", name: "Ada Lovelace" });
});

afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
});

beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await (
    await actorsOf(service)
      .developer({ sub: "ada", name: "Ada Lovelace" })
      .catch(() => undefined)
  )?.get("/me");
});

afterEach(() => context.close());

async function enterAsAda(path = ""): Promise<void> {
  await page.goto(service.dashboard + path);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /Ada Lovelace/ }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

test("nothing of the dashboard works in a frame", async () => {
  const attacker = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<iframe src="${service.dashboard}" width="800" height="600"></iframe>`);
  });
  await once(attacker.listen(0, "127.0.0.1"), "listening");
  try {
    await page.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);
    await page.waitForTimeout(500);
    expect(await page.frames()[1]?.locator("body").textContent()).not.toContain("Publish browser games");
  } finally {
    attacker.close();
    attacker.closeAllConnections();
  }
});

test.each([
  ["http://attacker.example/", "another host"],
  ["http://localhost:1/", "a name that DNS could change"],
  ["https://127.0.0.1:1/", "something that is no loopback redirect"],
])("an approval is never sent to %s: %s", async (redirect) => {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: redirect,
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  });
  await enterAsAda(`authorize?${query}`);
  await page.getByRole("heading", { name: "This request cannot be approved" }).waitFor();
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
});

test("names, descriptions and messages of others are shown as text", async () => {
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const ada = actorsOf(service).bearer(await service.idToken({ sub: "ada", name: "Ada Lovelace" }));
  const slug = `hostile-${Date.now() % 100_000}`;
  const { status } = await ada.post("/projects", { slug, name: hostile, description: hostile });
  expect(status).toBe(201);
  const token = await ada.post("/tokens", { name: hostile, scopes: ["publish"] });
  expect(token.status).toBe(201);
  await enterAsAda();
  for (const view of ["", "tokens", `projects/${slug}`]) {
    await page.goto(service.dashboard + view);
    await page.getByText(hostile, { exact: true }).first().waitFor();
    expect(await page.locator("#root img, #root script").count()).toBe(0);
  }
  expect(await page.title()).toContain("· svc");
});

test("a name that a machine gives itself is shown as text on the page that approves it", async () => {
  const form = new URLSearchParams({ client_id: "svc-cli", token_name: "<b>pi</b>" });
  const response = await fetch(`${service.api}/oauth/device_authorization`, { method: "POST", body: form });
  const { user_code: code } = (await response.json()) as { user_code: string };
  await enterAsAda(`device?user_code=${code}`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("<b>pi</b>");
});

test("a sign-in that somebody else began is not finished", async () => {
  await page.goto(`${service.dashboard}signed-in?code=stolen&state=forged&iss=${encodeURIComponent(service.issuer)}`);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(page.url()).not.toContain("stolen");
});
