import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { Route } from "playwright-core";
import { readIdToken } from "../../../dashboard/src/sign-in/sign-in.ts";
import { chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Signed-in state: the page of a person meanwhile, and in other tabs.
 */

const v = visitor();

test("a sign-out reaches the dashboard's other tabs", async () => {
  await v.enter();
  const other = await v.context.newPage();
  await other.goto(`${v.service.dashboard}account`);
  await other.getByRole("button", { name: "Sign out" }).click();
  await v.page.getByText("You signed out in another tab.").waitFor();
  expect(await v.page.getByRole("navigation", { name: "Main" }).count()).toBe(0);
  expect(await lookAt(v.page, "signed-out-elsewhere")).toEqual([]);
  // Neither tab has kept anything that would sign in again by itself.
  await v.page.reload();
  await v.button("Sign in").waitFor();
});

test("the deletion of an account reaches the dashboard's other tabs", async () => {
  await v.enter("account", { name: "Grace Hopper" });
  const other = await v.context.newPage();
  await other.goto(`${v.service.dashboard}account`);
  await other.getByRole("button", { name: "Delete account" }).click();
  await other.getByLabel("Type delete to go on").fill("delete");
  await other.getByRole("dialog").getByRole("button", { name: "Delete account" }).click();
  await other.getByText("Your account is deleted.").waitFor();
  await v.page.getByText("You signed out in another tab.").waitFor();
});

test("a sign-out tells the provider whose session ends, by the latest ID token", async () => {
  await v.enter();
  const asked = v.page.waitForRequest((request) => request.url().startsWith(`${v.service.issuer}/end-session`));
  await v.page.goto(`${v.service.dashboard}account`);
  await v.button("Sign out").click();
  const query = new URL((await asked).url()).searchParams;
  expect(readIdToken(query.get("id_token_hint") ?? "").subject).toBe("ada");
  expect(query.get("post_logout_redirect_uri")).toBe(v.service.dashboard);
  await v.button("Sign in").waitFor();
});

test.each([
  ["ahead", 2],
  ["behind", -2],
])("a person whose clock is two hours %s signs in, sees right times, and is told of it", async (way, hours) => {
  await v.context.addInitScript((milliseconds) => {
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...parts: number[]) {
        if (parts.length === 0) super(RealDate.now() + milliseconds);
        else super(...(parts as [number]));
      }
      static override now = () => RealDate.now() + milliseconds;
    } as DateConstructor;
  }, hours * 3_600_000);
  await v.ada.token({ name: `made by a clock ${way}` });
  const tokenRequests: string[] = [];
  v.page.on("request", (request) => {
    if (request.url() === `${v.service.issuer}/token` && request.method() === "POST") tokenRequests.push(request.url());
  });
  await v.enter("tokens");
  await v.page.getByText("created just now").first().waitFor();
  await v.page.getByText(`This device’s clock is 2 hours ${way}.`).waitFor();
  expect(tokenRequests).toHaveLength(1);
});

test("a slow sign-in says that it goes on", async () => {
  const held = Promise.withResolvers<void>();
  await v.page.route(`${v.service.api}/auth/session`, async (route) => {
    await held.promise;
    await route.continue();
  });
  await v.page.goto(v.service.dashboard);
  await v.button("Sign in").click();
  await v.page.getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.page.getByRole("status").getByText("Signing in…").waitFor();
  held.resolve();
  await v.page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("an account that could not be read is read by the next click, without another sign-in", async () => {
  await v.page.route(`${v.service.api}/auth/session`, (route) => route.abort("internetdisconnected"));
  await v.page.goto(v.service.dashboard);
  await v.button("Sign in").click();
  await v.page.getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.button("Try again").waitFor();
  await v.page.unrouteAll();
  await v.button("Try again").click();
  await v.page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("before its script has come, the page says that it loads", async () => {
  await v.page.route("**/assets/*.js", () => {});
  await v.page.goto(v.service.dashboard, { waitUntil: "commit" });
  await v.page.getByRole("status").getByText("Loading…").waitFor();
});

test("a list that is loading does not look like an empty one", async () => {
  await v.page.route(`${v.service.api}/projects*`, () => {});
  await v.enter();
  await v.page.getByRole("status").getByText("Loading…").waitFor();
  expect(await lookAt(v.page, "loading")).toEqual([]);
});

test("a path that is no URL's is no page, and not an empty one", async () => {
  await v.enter("projects/%zz");
  await v.page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await v.page.getByRole("link", { name: "your projects" }).click();
  await v.page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
});

test.each([
  ["it is offline", "Typed offline", (route: Route) => route.abort("internetdisconnected")],
  ["the provider has trouble", "Typed in trouble", (route: Route) => route.fulfill({ status: 503 })],
])(
  "a page that sleeps and finds that %s keeps its session, and sends what was typed later",
  async (_, typed, respond) => {
    await v.page.clock.install();
    await v.enter();
    await v.button("New project").click();
    await v.page.getByRole("textbox", { name: "Name" }).fill(typed);
    // A token that has less than a minute left is renewed before it is used.
    await v.page.clock.fastForward("59:30");
    await v.page.route(`${v.service.issuer}/**`, respond);
    await v.button("Create project").click();
    await v.page.getByRole("alert").getByText("The identity provider cannot be reached.").waitFor();
    expect(await v.page.getByRole("heading", { name: "Your session has expired" }).count()).toBe(0);
    await v.page.unrouteAll();
    await v.button("Create project").click();
    await v.page.getByRole("heading", { name: typed, level: 1 }).waitFor();
  },
);

/** Ends the provider's session and lets the page's ID token expire while a form is open. */
async function outliveSession(name = "Typed by Ada"): Promise<void> {
  await v.page.clock.install();
  await v.enter();
  await v.button("New project").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill(name);
  const elsewhere = await v.context.newPage();
  await elsewhere.goto(`${v.service.issuer}/end-session`);
  await v.page.clock.fastForward("02:00:00");
  await v.button("Create project").click();
  await v.page.getByRole("heading", { name: "Your session has expired" }).waitFor();
  await v.page.clock.setSystemTime(new Date());
}

async function signInAgain() {
  const opening = v.page.waitForEvent("popup");
  await v.button("Sign in again").click();
  return await opening;
}

test("if another person signs in again, nothing of the first one's page is sent as theirs", async () => {
  await outliveSession();
  await chooseOnProvider(await signInAgain(), "Somebody Other");
  // The other person has no account yet, and sees what a new one sees.
  await v.page.getByText("Publish your first game").waitFor();
  expect(await v.page.getByText("Typed by Ada").count()).toBe(0);
  const { body } = await v.ada.get("/projects");
  expect(body.projects.map(({ name }: { name: string }) => name)).not.toContain("Typed by Ada");
});

test("the response to another window's sign-in is not taken for this one's", async () => {
  await outliveSession();
  const popup = await signInAgain();
  const elsewhere = await v.context.newPage();
  await elsewhere.goto(`${v.service.dashboard}icon.svg`);
  await elsewhere.evaluate(
    'new BroadcastChannel("svc.sign-in").postMessage("?code=stolen&state=window.other&iss=https://x.example")',
  );
  await popup.getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.page.getByRole("heading", { name: "Typed by Ada", level: 1 }).waitFor();
});

test("each view leads to the page of help that fits, in a tab of its own", async () => {
  await v.enter();
  const link = v.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Help" });
  const [help] = await Promise.all([v.context.waitForEvent("page"), link.click()]);
  await help.getByRole("navigation", { name: "Help" }).waitFor();
  expect(await help.getByRole("heading", { level: 1 }).textContent()).toBe("Publish your game");
  expect(await lookAt(help, "help")).toEqual([]);
  for (const [view, page] of [
    ["tokens", "cli"],
    ["projects/no-such-game", "publish-your-game"],
    ["projects/no-such-game/statistics", "statistics"],
    ["projects/no-such-game/profiles", "profiles"],
    ["projects/no-such-game/performance/abc", "profiles"],
  ] as const) {
    await v.page.goto(`${v.service.dashboard}${view}`);
    expect(await link.getAttribute("href")).toBe(`/help/${page}.html`);
  }
});

test("whoever is not signed in reads how to publish a game", async () => {
  await v.page.goto(v.service.dashboard);
  await v.page.getByRole("link", { name: "How to publish your game" }).click();
  await v.page.getByRole("heading", { level: 1, name: "Publish your game" }).waitFor();
});

test("a session that the provider has ended is not tried for ever, and the view that was wanted is kept", async () => {
  await v.enter();
  const elsewhere = await v.context.newPage();
  await elsewhere.goto(`${v.service.issuer}/end-session`);
  await v.page.goto(`${v.service.dashboard}tokens?from=mail#top`);
  await v.button("Sign in").waitFor();
  expect(v.page.url()).toBe(`${v.service.dashboard}tokens?from=mail#top`);
  expect(await v.page.evaluate("localStorage.length")).toBe(0);
  await v.button("Sign in").click();
  await v.page.getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
});

test.each(["/x", "/x/tokens?from=mail#top", "//x", "/\\x"])(
  "a sign-in at the path /%s completes there, and leaves no code in the address bar",
  async (path) => {
    // Chromium makes a slash of the backslash.
    const wanted = new URL(`${v.service.dashboard}${path}`).href;
    await v.enter(path);
    expect(v.page.url()).toBe(wanted);
    await v.page.getByRole("link", { name: "your projects" }).click();
    await v.page.goBack();
    expect(v.page.url()).toBe(wanted);
    // By the provider's session, without a click.
    await v.page.reload();
    await v.page.getByRole("navigation", { name: "Main" }).waitFor();
    expect(v.page.url()).toBe(wanted);
  },
);

test("a provider that could not be reached is asked again by the next click", async () => {
  await v.page.route(`${v.service.issuer}/.well-known/**`, (route) => route.abort("internetdisconnected"));
  await v.page.goto(v.service.dashboard);
  await v.button("Sign in").click();
  await v.page.getByText("The identity provider cannot be reached.").waitFor();
  await v.page.unrouteAll();
  await v.button("Sign in").click();
  await v.page.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
});

test("a sign-in that the provider refuses says so, and can be tried again", async () => {
  await v.page.route(`${v.service.issuer}/token`, (route) =>
    route.fulfill({ status: 400, json: { error: "invalid_grant" } }),
  );
  await v.page.goto(v.service.dashboard);
  await v.button("Sign in").click();
  await v.page.getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.page.getByText("The identity provider did not complete the sign-in.").waitFor();
  await v.page.unrouteAll();
  await v.button("Sign in").click();
  await v.page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("an account that is disabled at the provider is told so", async () => {
  await v.page.goto(v.service.dashboard);
  await v.button("Sign in").click();
  await v.page.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
  const state = new URL(v.page.url()).searchParams.get("state") ?? "";
  const refusal = new URLSearchParams({ error: "access_denied", state, iss: v.service.issuer });
  await v.page.goto(`${v.service.dashboard}signed-in?${refusal}`);
  await v.page.getByText("your account there may be disabled: ask its administrator").waitFor();
});

test("a browser that blocks site data is told what to allow", async () => {
  await v.page.addInitScript(
    'for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new DOMException("Denied", "SecurityError"); } })',
  );
  await v.page.goto(v.service.dashboard);
  await v.page.getByText("This browser blocks site data here").waitFor();
});

test("a window to sign in again that the browser blocks is explained, and opens by the next click", async () => {
  await outliveSession("Typed before");
  expect(await lookAt(v.page, "session-expired")).toEqual([]);
  await v.page.evaluate("window.unblocked = window.open; window.open = () => null");
  await v.button("Sign in again").click();
  await v.page.getByText("The browser blocked the window.").waitFor();
  await v.page.evaluate("window.open = window.unblocked");
  await (await signInAgain()).getByRole("button", { name: /Ada Lovelace/ }).click();
  await v.page.getByRole("heading", { name: "Typed before", level: 1 }).waitFor();
});

test("at a provider without a page that ends its session, a sign-out ends that of the dashboard", async () => {
  await v.page.route(`${v.service.issuer}/.well-known/**`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), end_session_endpoint: undefined } });
  });
  await v.enter("account");
  await v.button("Sign out").click();
  await v.button("Sign in").waitFor();
  await v.page.reload();
  await v.button("Sign in").waitFor();
});

test("a link with sign-in signs in who has a session at the provider, and asks nobody else", async () => {
  await v.page.goto(`${v.service.dashboard}?sign-in=`);
  await v.button("Sign in").waitFor();
  await v.enter();
  await v.page.evaluate("localStorage.clear()");
  await v.page.goto(`${v.service.dashboard}projects?sign-in=`);
  await v.page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("help has the URLs of its stage, and the digest of its command line", async () => {
  await v.page.goto(`${v.service.dashboard}help/github-actions.html`);
  await v.page.getByText(`SVC_API: ${v.service.api}`).first().waitFor();
  const text = (await v.page.locator("main").textContent()) ?? "";
  expect(text).not.toContain("api.svc.example");
  const packed = Buffer.from(await (await fetch(`${v.service.api}/svc.tgz`)).arrayBuffer());
  expect(text).toContain(createHash("sha256").update(packed).digest("hex"));
});
