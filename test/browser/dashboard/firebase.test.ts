import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser, Page, Request, Route } from "playwright-core";
import { readIdToken } from "../../../dashboard/src/sign-in/sign-in.ts";
import { type FirebaseEmulator, gapi, startFirebaseEmulator } from "../../support/identity/firebase-emulator.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { newSlug } from "../../support/service/steps.ts";
import { launchChromium } from "../chromium.ts";

/*
 * Signing in with Firebase's library, which no other stage loads: the library is the real one, what it asks is local.
 */

let emulator: FirebaseEmulator;
let service: TestService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  emulator = await startFirebaseEmulator("demo-game");
  const env = { IDP_AUTH_EMULATOR_HOST: emulator.host, IDP_AUDIENCE: "demo-game", IDP_JWKS_URI: emulator.jwksUri };
  [service, browser] = await Promise.all([
    startService({ env: { ...env, IDP_SIGN_IN_MINUTES: "10" } }),
    launchChromium(),
  ]);
  await actorsOf(service)
    .bearer(emulator.idToken({ sinceSeconds: 0 }))
    .post("/auth/session", { role: "dev" });
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop(), emulator?.stop()]);
});
beforeEach(async () => {
  const context = await browser.newContext();
  await context.route("https://apis.google.com/js/api.js*", (route) =>
    route.fulfill({ contentType: "text/javascript", body: gapi }),
  );
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
});
afterEach(async () => {
  emulator.refuse(undefined);
  await page?.context().close();
});

function button(name: string) {
  return page.getByRole("button", { name, exact: true });
}

/** The window that a click opens. */
async function windowOf(name: string): Promise<Page> {
  const opening = page.waitForEvent("popup");
  await button(name).click();
  return await opening;
}

/** Closes a window once it is shown, as a person does: one that is closed while it opens can keep Chromium from opening the next. */
async function close(window: Page): Promise<void> {
  await window.getByText("Ada Lovelace").first().waitFor();
  await window.close();
}

async function signIn(path = "", name = "Ada Lovelace"): Promise<void> {
  await page.goto(service.dashboard + path);
  await (await windowOf("Sign in")).getByText(name).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** Signs in, lets the ID token get old and types a project's new name, whose creation needs the next one. */
async function outliveToken(): Promise<string> {
  const name = newSlug();
  await page.clock.install();
  await signIn();
  await button("New project").click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.clock.fastForward("59:10");
  return name;
}

async function create(name: string): Promise<void> {
  await button("Create project").click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

/** The data of a sign-in that is left in the browser. */
function stored(): Promise<unknown> {
  return page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('firebase:authUser'))");
}

test("who has signed in is signed in when the page is loaded again, and not any more after signing out", async () => {
  await signIn("account");
  await page.reload();
  await page.getByText("Ada Lovelace").first().waitFor();
  expect(await stored()).toHaveLength(1);
  await button("Sign out").click();
  await button("Sign in").waitFor();
  expect(await stored()).toEqual([]);
  await page.reload();
  await button("Sign in").waitFor();
});

test("who has deleted the account is signed out, and is not sent to sign out at Google", async () => {
  await signIn("account", "Grace Hopper");
  await button("Delete account").click();
  await page.getByLabel("Type delete to go on").fill("delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete account" }).click();
  await page.getByText("Your account is deleted.").waitFor();
  expect(await stored()).toEqual([]);
  expect(await page.getByText("still signed in").or(button("Sign out there")).count()).toBe(0);
});

test("an ID token that has less than a minute left is renewed, without a window", async () => {
  const typed = await outliveToken();
  const [renewals, windows] = [emulator.renewals, emulator.windows.length];
  const sent = page.waitForRequest(
    (request: Request) => request.method() === "POST" && /\/projects$/.test(request.url()),
  );
  const first = await page.evaluate("JSON.parse(Object.values(localStorage)[0]).stsTokenManager.accessToken");
  await create(typed);
  const used = (await sent).headers()["authorization"]?.slice("Bearer ".length) ?? "";
  expect(readIdToken(used).subject).toBe("Ada Lovelace");
  expect(used).not.toBe(first);
  expect(emulator.renewals).toBeGreaterThan(renewals);
  expect(emulator.windows).toHaveLength(windows);
});

const lost = (route: Route) => route.abort("internetdisconnected");
const unavailable = { error: { code: 503, message: "The service is currently unavailable.", status: "UNAVAILABLE" } };

test.each([
  ["is offline", lost],
  ["gets no JSON", (route: Route) => route.fulfill({ status: 502, body: "Bad gateway" })],
  [
    "hears that Firebase has trouble",
    (route: Route) =>
      route.fulfill({ status: 503, headers: { "access-control-allow-origin": "*" }, json: unavailable }),
  ],
])("a page that %s as it renews keeps its session, and sends what was typed later", async (_, respond) => {
  const typed = await outliveToken();
  await page.route("**/securetoken.googleapis.com/**", respond);
  await button("Create project").click();
  await page.getByText("The identity provider cannot be reached. Check your connection, then try again.").waitFor();
  expect(await page.getByRole("heading", { name: "Your session has expired" }).count()).toBe(0);
  await page.unrouteAll();
  await create(typed);
});

test.each(["TOKEN_EXPIRED", "USER_DISABLED", "INVALID_REFRESH_TOKEN"])(
  "if Firebase refuses to renew with %s, the person signs in again, and loses nothing",
  async (message) => {
    const typed = await outliveToken();
    emulator.refuse(message);
    // Not a real click: another request of the page may have asked the person already.
    await button("Create project").dispatchEvent("click");
    await page.getByRole("heading", { name: "Your session has expired" }).waitFor();
    emulator.refuse(undefined);
    await page.clock.setSystemTime(new Date());
    await (await windowOf("Sign in again")).getByText("Ada Lovelace").click();
    await page.getByRole("heading", { name: typed, level: 1 }).waitFor();
  },
);

test("a question to sign in again is gone once another tab has signed out, also after the next sign-in", async () => {
  await outliveToken();
  emulator.refuse("TOKEN_EXPIRED");
  await button("Create project").dispatchEvent("click");
  await button("Sign in again").waitFor();
  await page.clock.setSystemTime(new Date());
  await page.evaluate("new BroadcastChannel('svc.signed-out').postMessage(null)");
  emulator.refuse(undefined);
  await (await windowOf("Sign in")).getByText("Ada Lovelace").click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  expect(await button("Sign in again").count()).toBe(0);
});

test("a page that is loaded offline with an old ID token says so, and is signed in once it is online", async () => {
  await page.clock.install();
  await signIn();
  await page.clock.fastForward("02:00:00");
  await page.route(`http://${emulator.host}/**`, lost);
  await page.reload();
  await page.getByText("The identity provider cannot be reached. Check your connection, then try again.").waitFor();
  await page.unrouteAll();
  await page.reload();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("a recent sign-in is asked for, whatever session Google has, and a closed window ends nothing", async () => {
  await page.clock.install();
  await signIn("tokens");
  expect(emulator.windows.at(-1)?.has("customParameters")).toBe(false);
  await page.clock.fastForward("20:00");
  let isFirst = true;
  await page.route(`${service.api}/tokens`, async (route) => {
    if (route.request().method() !== "POST" || !isFirst) return await route.continue();
    isFirst = false;
    const authorization = `Bearer ${emulator.idToken({ sinceSeconds: 1_200 })}`;
    return await route.continue({ headers: { ...route.request().headers(), authorization } });
  });
  await button("New token").click();
  await page.getByRole("textbox", { name: "Name" }).fill("typed before");
  await button("Create token").click();
  await page.getByRole("heading", { name: "Is it still you?" }).waitFor();
  const closed = page.getByText("The window was closed before you were signed in. Try again.");
  await close(await windowOf("Sign in again"));
  await page.clock.runFor(12_000);
  await closed.waitFor();
  await windowOf("Sign in again");
  // A window beside it takes its place, so nothing was closed.
  const window = await windowOf("Sign in again");
  await window.getByText("Ada Lovelace").waitFor();
  expect(await closed.count()).toBe(0);
  expect(JSON.parse(emulator.windows.at(-1)?.get("customParameters") ?? "{}")).toEqual({ prompt: "select_account" });
  await window.getByText("Ada Lovelace").click();
  await page.getByRole("heading", { name: "Copy your token now" }).waitFor();
});

test.each([
  ["auth/popup-blocked", "The browser blocked the window. Allow pop-ups here, then try again.", block],
  ["auth/popup-closed-by-user", "The window was closed before you were signed in. Try again.", closeWindow],
  [
    "auth/network-request-failed",
    "The identity provider cannot be reached. Check your connection, then try again.",
    cut,
  ],
  ["another error", "The identity provider did not complete the sign-in. Try to sign in again.", disable],
])("a sign-in that ends with %s says: %s", async (_, sentence, end) => {
  await page.clock.install();
  await page.goto(service.dashboard);
  await end();
  await page.getByText(sentence).waitFor();
  await page.unrouteAll();
  await button("Sign in").waitFor();
});

async function block() {
  await page.evaluate("window.open = () => null");
  await button("Sign in").click();
}

async function closeWindow() {
  await close(await windowOf("Sign in"));
  await page.clock.runFor(12_000);
}

async function cut() {
  await page.route("**/accounts:signInWithIdp*", lost);
  await (await windowOf("Sign in")).getByText("Ada Lovelace").click();
}

async function disable() {
  await page.route("**/accounts:signInWithIdp*", (route) =>
    route.fulfill({
      status: 400,
      headers: { "access-control-allow-origin": "*" },
      json: { error: { code: 400, message: "OPERATION_NOT_ALLOWED" } },
    }),
  );
  await (await windowOf("Sign in")).getByText("Ada Lovelace").click();
}
