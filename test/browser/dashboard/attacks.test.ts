import { createHash } from "node:crypto";
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
  // Nobody needs to sign in first.
  await v.page.goto(`${v.service.dashboard}authorize?${query}`);
  await v.page.getByRole("heading", { name: "This request cannot be approved" }).waitFor();
  expect(await v.page.getByRole("button").count()).toBe(0);
});

test("an approval for an unknown client is not asked for, and goes nowhere", async () => {
  const query = { response_type: "code", client_id: "other", redirect_uri: "http://127.0.0.1:1/", state: "state" };
  await v.page.goto(`${v.service.dashboard}authorize?${new URLSearchParams(query)}`);
  await v.page.getByText("No client of this service has its client_id.").waitFor();
  expect(await v.page.getByRole("button").count()).toBe(0);
  expect(new URL(v.page.url()).origin).toBe(new URL(v.service.dashboard).origin);
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

test("a code that the page approved is valid only for its own client, and once", async () => {
  const verifier = "v".repeat(43);
  const { endpoint } = await keep(startHttpServer((_, response) => response.end("done")));
  const redirectUri = `${endpoint}/`;
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: redirectUri,
    state: "state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    token_name: "laptop",
  });
  await v.enter(`authorize?${query}`);
  await v.page.getByRole("button", { name: "Approve" }).click();
  await v.page.waitForURL(`${redirectUri}**`);
  const code = new URL(v.page.url()).searchParams.get("code") ?? "";
  const exchange = async (changes: object) => {
    const right = { grant_type: "authorization_code", client_id: "svc-cli", redirect_uri: redirectUri, code };
    const body = new URLSearchParams({ ...right, code_verifier: verifier, ...changes });
    const response = await fetch(`${v.service.api}/oauth/token`, { method: "POST", body });
    return (await response.json()) as { error?: string; access_token?: string };
  };
  const refused = { error: "invalid_grant" };
  expect(await exchange({ code_verifier: "w".repeat(43) })).toMatchObject(refused);
  expect(await exchange({ redirect_uri: "http://127.0.0.1:1/" })).toMatchObject(refused);
  const { access_token: token } = await exchange({});
  const me = () => fetch(`${v.service.api}/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await me()).status).toBe(200);
  expect(await exchange({})).toMatchObject(refused);
  // Two clients have had the code, so the wrong one may have its token.
  expect((await me()).status).toBe(401);
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
