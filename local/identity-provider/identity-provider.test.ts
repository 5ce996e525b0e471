import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import * as oidc from "openid-client";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";

const redirectUri = "http://dashboard.localhost:8787/";
const clientId = "svc-test";

let provider: IdentityProvider;
let client: oidc.Configuration;

beforeAll(async () => {
  provider = await startIdentityProvider({ port: 0, audience: clientId, dataFolder: undefined, dashboardPort: 8787 });
  client = await oidc.discovery(new URL(provider.issuer), clientId, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });
});

afterAll(() => provider?.stop());

/** A browser's request that follows no redirect. */
function visit(url: URL | string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", ...init });
}

async function authorizationRequest(parameters: Record<string, string> = {}) {
  const verifier = oidc.randomPKCECodeVerifier();
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: "openid email profile",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: "the-state",
    nonce: "the-nonce",
    ...parameters,
  });
  return { url, verifier };
}

function choose(url: URL, person: Record<string, string>, origin = provider.issuer): Promise<Response> {
  const body = new URLSearchParams({ request: url.search.slice(1), ...person });
  return visit(`${provider.issuer}/sign-in`, { method: "POST", headers: { origin }, body });
}

function exchange(response: Response, verifier: string) {
  return oidc.authorizationCodeGrant(client, new URL(response.headers.get("location") ?? ""), {
    pkceCodeVerifier: verifier,
    expectedState: "the-state",
    expectedNonce: "the-nonce",
  });
}

test("a client that knows only the issuer signs a person in", async () => {
  const { url, verifier } = await authorizationRequest();
  const page = await visit(url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Ada Lovelace");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  const tokens = await exchange(await choose(url, { uid: "ada" }), verifier);
  expect(tokens.claims()).toMatchObject({
    iss: provider.issuer,
    aud: clientId,
    sub: "ada",
    name: "Ada Lovelace",
    email: "ada@example.test",
    email_verified: true,
    auth_time: expect.any(Number),
  });
});

test("a person who types a name gets an ID token with that name", async () => {
  const { url, verifier } = await authorizationRequest();
  const tokens = await exchange(await choose(url, { uid: "", name: " Zoë <b>Quinn ", email: "" }), verifier);
  expect(tokens.claims()).toMatchObject({ sub: "zoë-b-quinn", name: "Zoë <b>Quinn" });
});

test("the session is renewed without a page until it is ended", async () => {
  const first = await authorizationRequest();
  const cookie = (await choose(first.url, { uid: "grace" })).headers.get("set-cookie")?.split(";")[0] ?? "";
  const silent = await authorizationRequest({ prompt: "none" });
  const renewed = await exchange(await visit(silent.url, { headers: { cookie } }), silent.verifier);
  expect(renewed.claims()?.sub).toBe("grace");

  const refreshed = await oidc.refreshTokenGrant(client, renewed.refresh_token ?? "");
  expect(refreshed.claims()?.sub).toBe("grace");

  await visit(`${provider.issuer}/end-session`, { headers: { cookie } });
  const refused = await visit(silent.url, { headers: { cookie } });
  expect(new URL(refused.headers.get("location") ?? "").searchParams.get("error")).toBe("login_required");
  await expect(oidc.refreshTokenGrant(client, refreshed.refresh_token ?? "")).rejects.toMatchObject({
    error: "invalid_grant",
  });
});

test("prompt=login shows the page to a person who is signed in", async () => {
  const { url } = await authorizationRequest({ prompt: "select_account" });
  const cookie = (await choose(url, { uid: "ada" })).headers.get("set-cookie") ?? "";
  expect((await visit(url, { headers: { cookie } })).status).toBe(200);
});

test("max_age shows the page to a person whose sign-in is older, and the ID token says when the new one was", async () => {
  const cookie = (await choose((await authorizationRequest()).url, { uid: "ada" })).headers.get("set-cookie") ?? "";
  const asked = async (max_age: string) => {
    const { url } = await authorizationRequest({ max_age });
    return { url, status: (await visit(url, { headers: { cookie } })).status };
  };
  expect((await asked("60")).status).toBe(303);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await asked("0")).status).toBe(200);
  expect((await asked("soon")).status).toBe(400);
  const { url, verifier } = await authorizationRequest({ max_age: "0" });
  const tokens = await exchange(await choose(url, { uid: "ada" }), verifier);
  expect(Math.abs(Number(tokens.claims()?.auth_time) - Date.now() / 1_000)).toBeLessThan(5);
});

test("a code is valid once, with its verifier and its redirect URI", async () => {
  const { url, verifier } = await authorizationRequest();
  const response = await choose(url, { uid: "ada" });
  await expect(exchange(response, oidc.randomPKCECodeVerifier())).rejects.toMatchObject({ error: "invalid_grant" });
  await expect(exchange(response, verifier)).rejects.toMatchObject({ error: "invalid_grant" });

  const second = await choose(url, { uid: "ada" });
  const moved = new Response(null, {
    headers: { location: (second.headers.get("location") ?? "").replace(":8787", ":9999") },
  });
  await expect(exchange(moved, verifier)).rejects.toMatchObject({ error: "invalid_grant" });
});

test.each([
  [59, "ada"],
  [60, "invalid_grant"],
])("a code that is %i seconds old gives %s", async (seconds, outcome) => {
  const { url, verifier } = await authorizationRequest();
  const response = await choose(url, { uid: "ada" });
  const issued = Date.now();
  const now = jest.spyOn(Date, "now").mockImplementation(() => issued + seconds * 1_000);
  const exchanged = exchange(response, verifier).then(
    (tokens) => tokens.claims()?.sub,
    ({ error }) => error,
  );
  expect(await exchanged).toBe(outcome);
  now.mockRestore();
});

test.each([
  ["a game's host", { redirect_uri: "http://bounce.localhost:8787/" }],
  ["the dashboard's name at the port of another program", { redirect_uri: "http://dashboard.localhost:9999/" }],
  ["the dashboard under https", { redirect_uri: "https://dashboard.localhost:8787/" }],
  ["the dashboard with a name and a password", { redirect_uri: "http://a:b@dashboard.localhost:8787/" }],
  ["another site", { redirect_uri: "https://attacker.example/" }],
  ["a host that only begins like the dashboard's", { redirect_uri: "http://dashboard.localhost.attacker.example/" }],
  ["a request without a challenge", { code_challenge: "" }],
  ["a plain challenge", { code_challenge_method: "plain" }],
  ["the implicit flow", { response_type: "id_token" }],
  ["another client", { client_id: "other" }],
])("no redirect for %s", async (_, parameters) => {
  const { url } = await authorizationRequest({ prompt: "none", ...parameters });
  const response = await visit(url);
  expect(response.status).toBe(400);
  expect(response.headers.get("location")).toBeNull();
  expect((await choose(url, { uid: "ada" })).status).toBe(400);
});

test.each([
  ["http://dashboard.localhost:8787/", "http://dashboard.localhost:8787/"],
  ["https://attacker.example/", null],
  ["http://bounce.localhost:8787/", null],
])("a sign-out that asks to go on to %s goes to %s", async (target, location) => {
  const query = new URLSearchParams({ post_logout_redirect_uri: target });
  const response = await visit(`${provider.issuer}/end-session?${query}`);
  expect(response.headers.get("location")).toBe(location);
});

test("another site cannot choose the person who signs in", async () => {
  const { url } = await authorizationRequest();
  const response = await choose(url, { uid: "ada" }, "http://bounce.localhost:8787");
  expect(response.status).toBe(403);
  expect(response.headers.get("set-cookie")).toBeNull();
});

test("only the dashboard's pages may read responses", async () => {
  const allowed = async (origin: string) =>
    (await visit(`${provider.issuer}/.well-known/openid-configuration`, { headers: { origin } })).headers.get(
      "access-control-allow-origin",
    );
  expect(await allowed("http://dashboard.localhost:8787")).toBe("http://dashboard.localhost:8787");
  expect(await allowed("http://bounce.localhost:8787")).toBeNull();
  expect(await allowed("http://dashboard.localhost:9999")).toBeNull();
});
