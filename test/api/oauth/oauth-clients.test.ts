import { beforeAll, describe, expect, test } from "@jest/globals";
import * as oauth from "openid-client";
import { limits } from "../../../contract/api/limits.ts";
import { accountKey, grantKey, keys } from "../../../functions/table/keys.ts";
import {
  approvalOf,
  discoverOauthClient,
  errorOf,
  type OauthClient,
  redirectUri,
} from "../../support/identity/oauth-client.ts";
import { type Actors, actorsOf, type Developer } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { copyToken, endLife, everyItem } from "../../support/table/stored.ts";

const service = useService();
let actors: Actors;
let ada: Developer;
let client: OauthClient;

beforeAll(async () => {
  actors = actorsOf(service);
  ada = await actors.developer();
  client = await discoverOauthClient(service.api);
});

async function approved(changes: object = {}) {
  const { verifier, url } = await client.authorizationRequest();
  const { status, body } = await ada.post("/oauth/approvals", approvalOf(url, changes));
  expect(status).toBe(200);
  return { verifier, redirect: new URL(body.redirect_to) };
}

/** Posts a form without a library. */
function postForm(path: string, fields: Record<string, string> | string) {
  return actors.anonymous.send("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
}

test("the metadata names the endpoints and grant types (RFC 8414)", () => {
  expect(client.configuration.serverMetadata()).toMatchObject({
    issuer: service.api,
    authorization_endpoint: `${service.dashboard}authorize`,
    device_authorization_endpoint: `${service.api}/oauth/device_authorization`,
    token_endpoint: `${service.api}/oauth/token`,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    grant_types_supported: [
      "authorization_code",
      "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:token-exchange",
    ],
  });
});

describe("an authorization code", () => {
  test("is exchanged for a token with the settings that the person chose", async () => {
    const { verifier, redirect } = await approved();
    expect(redirect.origin + redirect.pathname).toBe(redirectUri);
    const tokens = await client.exchange(redirect, verifier);
    expect(tokens).toMatchObject({ token_type: "bearer", scope: "publish" });
    expect(tokens.expires_in).toBeGreaterThan(30 * 86_400 - 60);
    const me = await actors.bearer(tokens.access_token).get("/me");
    expect(me.body.auth).toMatchObject({ kind: "token", name: "laptop", scopes: ["publish"], projects: null });
    const listed = (await ada.get("/tokens")).body.tokens.find(
      (token: { id: string }) => token.id === me.body.auth.token_id,
    );
    expect(listed).toMatchObject({ status: "active", hint: tokens.access_token.slice(-4) });
  });

  test("is valid once; a second exchange revokes the token, because the code has leaked", async () => {
    const { verifier, redirect } = await approved();
    const { access_token: token } = await client.exchange(redirect, verifier);
    expect(await errorOf(client.exchange(redirect, verifier))).toBe("invalid_grant");
    expect((await actors.bearer(token).get("/me")).body.code).toBe("token_revoked");
  });

  test("is refused without its verifier, and stays valid for the client that has it", async () => {
    const { verifier, redirect } = await approved();
    expect(await errorOf(client.exchange(redirect, oauth.randomPKCECodeVerifier()))).toBe("invalid_grant");
    expect(await errorOf(client.exchange(redirect, verifier))).toBe("no error");
  });

  test("is refused for another redirect URI or after two minutes", async () => {
    const { verifier, redirect } = await approved();
    const elsewhere = new URL(redirect.href.replace(":49152", ":49153"));
    expect(await errorOf(client.exchange(elsewhere, verifier))).toBe("invalid_grant");
    await endLife(service, keys.authorizationCode(grantKey(redirect.searchParams.get("code") ?? "")), 0);
    expect(await errorOf(client.exchange(redirect, verifier))).toBe("invalid_grant");
  });

  test("is not stored, nor is the token", async () => {
    const { verifier, redirect } = await approved();
    const code = redirect.searchParams.get("code") ?? "";
    expect(JSON.stringify(await everyItem(service))).not.toContain(code);
    const { access_token: token } = await client.exchange(redirect, verifier);
    expect(JSON.stringify(await everyItem(service))).not.toContain(token);
  });

  test("for a token of another developer's project is refused when it is exchanged, and not used up", async () => {
    const { verifier, redirect } = await approved({ projects: ["not-adas"] });
    expect(await errorOf(client.exchange(redirect, verifier))).toBe("invalid_grant");
    expect((await ada.post("/projects", { slug: "not-adas" })).status).toBe(201);
    expect(await errorOf(client.exchange(redirect, verifier))).toBe("no error");
  });
});

describe("a device", () => {
  test("gets its token when the person has entered its code", async () => {
    const codes = await oauth.initiateDeviceAuthorization(client.configuration, {
      scope: "publish projects",
      token_name: "pi",
    });
    expect(codes).toMatchObject({ expires_in: 600, interval: 5, verification_uri: `${service.dashboard}device` });
    expect(codes.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const polling = oauth.pollDeviceAuthorizationGrant(client.configuration, codes);
    const typed = codes.user_code.toLowerCase().replace("-", "").replace(/^./, "$& ");
    const asked = await ada.get(`/oauth/device/${encodeURIComponent(typed)}`);
    expect(asked.body).toMatchObject({ token_name: "pi", scopes: ["publish", "projects"] });
    const approval = { decision: "approve", name: "pi", scopes: ["publish"] };
    expect((await ada.post(`/oauth/device/${codes.user_code}`, approval)).status).toBe(204);
    const tokens = await polling;
    const me = await actors.bearer(tokens.access_token).get("/me");
    expect(me.body.auth).toMatchObject({ kind: "token", name: "pi", scopes: ["publish"] });
    expect(await errorOf(poll(codes.device_code))).toBe("invalid_grant");
  });

  const poll = async (deviceCode: string) => {
    const fields = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: "svc-cli" };
    const { status, body } = await postForm("/oauth/token", { ...fields, device_code: deviceCode });
    if (status !== 200) throw body;
  };

  test("that is denied gets no token, and nobody can approve it any more", async () => {
    const { device_code: code, user_code: userCode } = (
      await postForm("/oauth/device_authorization", { client_id: "svc-cli" })
    ).body;
    expect((await ada.post(`/oauth/device/${userCode}`, { decision: "deny" })).status).toBe(204);
    expect(await errorOf(poll(code))).toBe("access_denied");
    const grace = await actors.otherDeveloper();
    const late = await grace.post(`/oauth/device/${userCode}`, { decision: "approve", name: "x", scopes: ["publish"] });
    expect(late.body.code).toBe("device_request_not_found");
    expect(await errorOf(poll(code))).toBe("access_denied");
  });

  test("that one account approved is not approved by another", async () => {
    const { device_code: code, user_code: userCode } = (
      await postForm("/oauth/device_authorization", { client_id: "svc-cli" })
    ).body;
    const approval = { decision: "approve", name: "pi", scopes: ["publish"] };
    await ada.post(`/oauth/device/${userCode}`, approval);
    const grace = await actors.otherDeveloper();
    expect((await grace.post(`/oauth/device/${userCode}`, approval)).status).toBe(404);
    expect((await grace.get(`/oauth/device/${userCode}`)).status).toBe(404);
    expect(await errorOf(poll(code))).toBe("no error");
    expect((await grace.get("/tokens")).body.tokens).toEqual([]);
  });

  test("whose code has expired after ten minutes gets no token and cannot be approved", async () => {
    const { device_code: code, user_code: userCode } = (
      await postForm("/oauth/device_authorization", { client_id: "svc-cli" })
    ).body;
    await endLife(service, keys.deviceRequest(code.slice(0, 22)), 0);
    expect(await errorOf(poll(code))).toBe("expired_token");
    expect((await ada.get(`/oauth/device/${userCode}`)).body.code).toBe("device_request_not_found");
    const approval = { decision: "approve", name: "pi", scopes: ["publish"] };
    expect((await ada.post(`/oauth/device/${userCode}`, approval)).body.code).toBe("device_request_not_found");
  });

  test("gets no token with the user code alone", async () => {
    const { device_code: code } = (await postForm("/oauth/device_authorization", { client_id: "svc-cli" })).body;
    expect(await errorOf(poll(`${code.slice(0, 22)}${"x".repeat(43)}`))).toBe("invalid_grant");
  });

  test("is not found by guessing", async () => {
    const guesser = await actors.otherDeveloper();
    const guesses = Array.from({ length: limits.userCodesPerTenMinutes + 5 }, (_, index) =>
      guesser.get(`/oauth/device/BCDF-GHJ${"KLMNPQRSTVWXZ"[index % 13]}`),
    );
    const codes = (await Promise.all(guesses)).map(({ body }) => body.code);
    expect(codes.filter((code) => code === "device_request_not_found")).toHaveLength(limits.userCodesPerTenMinutes);
    const { user_code: userCode } = (await postForm("/oauth/device_authorization", { client_id: "svc-cli" })).body;
    const refused = await guesser.post(`/oauth/device/${userCode}`, { decision: "deny" });
    expect({ code: refused.body.code, after: refused.headers.get("retry-after") }).toEqual({
      code: "too_many_guesses",
      after: "600",
    });
  });
});

test("if the account has 50 active tokens, the code is not used up", async () => {
  const eve = await actors.developer();
  const { id } = await eve.token();
  await copyToken(service, accountKey(service.issuer, eve.uid), id, limits.activeTokensPerAccount);
  const { verifier, url } = await client.authorizationRequest();
  const { body } = await eve.post("/oauth/approvals", approvalOf(url));
  expect(await errorOf(client.exchange(new URL(body.redirect_to), verifier))).toBe("invalid_grant");
  await eve.delete(`/tokens/${id}`);
  expect(await errorOf(client.exchange(new URL(body.redirect_to), verifier))).toBe("no error");
});
