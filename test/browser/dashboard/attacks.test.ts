import { expect, test } from "@jest/globals";
import { eventually } from "../../support/eventually.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { manifestOf, publish } from "../../support/service/steps.ts";
import { useServers } from "../../support/service/suite.ts";
import { visitor } from "./visitor.ts";

const v = visitor();
const keep = useServers();

test("nothing of the dashboard works in a frame", async () => {
  const frame = `<iframe src="${v.service.dashboard}" width="800" height="600"></iframe>`;
  const attacker = startHttpServer((_, response) => response.setHeader("content-type", "text/html").end(frame));
  const { endpoint } = await keep(attacker);
  await v.page.goto(`${endpoint}/`);
  // The page that Chromium shows in place of one that refuses to be framed.
  await eventually(() => expect(v.page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/"));
});

test("an approval is never sent to another host", async () => {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: "http://attacker.example/",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  });
  // Nobody needs to sign in first.
  await v.page.goto(`${v.service.dashboard}authorize?${query}`);
  await v.page.getByRole("heading", { name: "This request cannot be approved" }).waitFor();
  expect(await v.page.getByRole("button").count()).toBe(0);
});

test("an error of a request goes to its client before anybody signs in, a denial after that, both with issuer and state", async () => {
  const { endpoint } = await keep(startHttpServer((_, response) => response.end("done")));
  const redirectUri = `${endpoint}/?own=%7e`;
  const request = {
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: redirectUri,
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
  };
  const iss = v.service.api;
  const asked = (changes: object) => `authorize?${new URLSearchParams({ ...request, ...changes })}`;
  await v.page.goto(`${v.service.dashboard}${asked({ code_challenge_method: "plain", state: "a b" })}`);
  await v.page.waitForURL(`${redirectUri}&**`);
  const { error_description: _, ...error } = Object.fromEntries(new URL(v.page.url()).searchParams);
  expect(error).toEqual({ own: "~", error: "invalid_request", state: "a b", iss });
  await v.enter();
  for (const state of [{ state: "a b" }, {}]) {
    await v.page.goto(`${v.service.dashboard}${asked(state)}`);
    await v.page.getByRole("button", { name: "Deny" }).click();
    await v.page.waitForURL(`${redirectUri}&**`);
    const denial = Object.fromEntries(new URL(v.page.url()).searchParams);
    expect(denial).toEqual({ own: "~", error: "access_denied", ...state, iss });
  }
});

test("a client that proposes no name for its token gets its code by one press", async () => {
  const { endpoint } = await keep(startHttpServer((_, response) => response.end("You can close this page.")));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: `${endpoint}/`,
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    scope: "publish",
  });
  await v.enter(`authorize?${query}`);
  await v.button("Approve").click();
  await v.page.getByText("You can close this page.").waitFor();
  expect(new URL(v.page.url()).searchParams.get("code")).toMatch(/./);
});

test("names, descriptions and messages of others are shown as text", async () => {
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const slug = `hostile-${Date.now() % 100_000}`;
  const { status } = await v.ada.post("/projects", { slug, name: hostile, description: hostile });
  expect(status).toBe(201);
  const { body: token } = await v.ada.post("/tokens", { name: hostile, scopes: ["publish"] });
  const publisher = actorsOf(v.service).bearer(token.token);
  const folder = { "index.html": "1" };
  const source = { commit: "0123abc", run_url: "https://ci.example/'onmouseover='alert(1)" };
  await publisher.post(`/projects/${slug}/releases`, { files: manifestOf(folder), message: hostile, source });
  await publish(publisher, slug, folder);
  const foundAt = "https://attacker.example/paste?<img>";
  const disclosure = { tokens: [{ token: token.token, found_at: foundAt }] };
  expect((await actorsOf(v.service).anonymous.post("/tokens/disclosures", disclosure)).status).toBe(202);
  await v.enter();
  for (const view of ["", "tokens", `projects/${slug}`]) {
    await v.page.goto(v.service.dashboard + view);
    // Its disclosure has revoked the token.
    if (view === "tokens") await v.page.getByText("Revoked and expired", { exact: true }).click();
    await v.page.getByText(hostile, { exact: true }).first().waitFor();
    expect(await v.page.locator("#root img, #root script, #root [onmouseover]").count()).toBe(0);
  }
  await v.page.goto(`${v.service.dashboard}account`);
  await v.page.locator("code", { hasText: "attacker.example" }).waitFor();
  expect(await v.page.locator('a[href*="attacker.example"]').count()).toBe(0);
  expect(await v.page.title()).toContain("· svc");
});

test("a name that a machine gives itself is shown as text on the page that approves it", async () => {
  const form = new URLSearchParams({ client_id: "svc-cli", token_name: "<b>pi</b>" });
  const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body: form });
  const { user_code: code } = (await response.json()) as { user_code: string };
  await v.enter(`device?user_code=${code}`);
  await v.page.getByRole("button", { name: "Continue" }).click();
  await v.page.getByRole("button", { name: "Approve" }).waitFor();
  await v.page.getByText("<b>pi</b>", { exact: true }).waitFor();
  await v.page.getByRole("button", { name: "Change name" }).click();
  expect(await v.page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("<b>pi</b>");
});

test("a sign-in that somebody else began is not finished", async () => {
  await v.page.goto(
    `${v.service.dashboard}signed-in?code=stolen&state=forged&iss=${encodeURIComponent(v.service.issuer)}`,
  );
  await v.page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(v.page.url()).not.toContain("stolen");
});
