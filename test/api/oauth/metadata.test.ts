import { describe, expect, test } from "@jest/globals";
import { RawToken } from "../../../functions/domain/tokens/raw-token.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * Discovery by clients: metadata and challenges, and the revocation that the metadata names.
 */
const service = useService();
const actors = actorsOf(service);

const resourceMetadata = "/.well-known/oauth-protected-resource";

test("the API has one issuer, by whatever name a client reaches it", async () => {
  const port = new URL(service.api).port;
  for (const host of ["127.0.0.1", "localhost"]) {
    const metadata = await fetch(`http://${host}:${port}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({
      issuer: service.api,
      token_endpoint: `${service.api}/oauth/token`,
      revocation_endpoint: `${service.api}/oauth/revoke`,
      authorization_response_iss_parameter_supported: true,
    });
    expect(await (await fetch(`http://${host}:${port}${resourceMetadata}`)).json()).toEqual({
      resource: service.api,
      authorization_servers: [service.api],
      scopes_supported: ["preview", "publish", "projects"],
      bearer_methods_supported: ["header"],
    });
  }
});

test("a redirect names that issuer, has a state only if there was one, and keeps the URL's own query", async () => {
  const ada = await actors.developer();
  const approval = {
    client_id: "svc-cli",
    redirect_uri: "http://127.0.0.1:1/?a=%7e+b&&c",
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
    name: "laptop",
    scopes: ["publish"],
  };
  const iss = encodeURIComponent(service.api);
  const { body } = await ada.post("/oauth/approvals", approval);
  expect(body.redirect_to).toMatch(/^http:\/\/127\.0\.0\.1:1\/\?a=%7e\+b&&c&code=[\w-]{43}&iss=[^&]+$/);
  expect(body.redirect_to.endsWith(`&iss=${iss}`)).toBe(true);
  const { body: withState } = await ada.post("/oauth/approvals", { ...approval, state: "a b&c" });
  expect(withState.redirect_to.endsWith(`&state=a+b%26c&iss=${iss}`)).toBe(true);
});

describe("the challenge", () => {
  const metadata = () => `resource_metadata="${service.api}${resourceMetadata}"`;
  test.each([
    ["no credential", undefined, "credential_missing", ""],
    ["another scheme", "Basic c3ZjOng=", "credential_malformed", ""],
    ["a scheme that begins alike", "Bearerx y", "credential_malformed", ""],
    ["a malformed credential", "Bearer a b", "credential_malformed", 'error="invalid_request", '],
    ["an invalid token", "Bearer pat_x", "token_invalid", 'error="invalid_token", '],
  ])("to %s says where the metadata are, and an error only if a bearer token came", async (_, header, code, error) => {
    const { status, headers, body } = await actors.anonymous.send("GET", "/me", {
      headers: header === undefined ? {} : { authorization: header },
    });
    expect({ status, code: body.code }).toEqual({ status: 401, code });
    expect(headers.get("www-authenticate")).toBe(`Bearer realm="svc", ${error}${metadata()}`);
  });
});

describe("POST /oauth/revoke", () => {
  const revoke = (fields: Record<string, string>) =>
    actors.anonymous.send("POST", "/oauth/revoke", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: "svc-cli", ...fields }).toString(),
    });

  test("revokes its token, and says the same of a token that is revoked, unknown or none (RFC 7009)", async () => {
    const ada = await actors.developer();
    const [token, other] = [await ada.token(), await ada.token()];
    const misspelt = other.credential.replace(/.$/, (last) => (last === "x" ? "y" : "x"));
    const tokens = [token.credential, token.credential, misspelt, "no token"];
    for (const each of tokens) expect(await revoke({ token: each })).toMatchObject({ status: 200, body: undefined });
    expect((await token.get("/me")).body.code).toBe("token_revoked");
    expect((await other.get("/me")).status).toBe(200);
    const events = (await ada.get("/me/events")).body.events.filter(({ type }: { type: string }) =>
      /revoked/.test(type),
    );
    expect(events).toMatchObject([{ type: "token_revoked", token_id: token.id }]);
  });

  test("revokes no token that was never issued, nor one whose stored hash is another's", async () => {
    const ada = await actors.developer();
    const { credential, id } = await ada.token();
    const owner = accountKey(service.issuer, ada.uid);
    const unknown = RawToken.generate(owner).reveal();
    expect(await revoke({ token: unknown })).toMatchObject({ status: 200, body: undefined });
    const key = keys.token(owner, id);
    await setAttribute(service, key, "hash", RawToken.generate(owner).hash.toString("base64"));
    expect(await revoke({ token: credential })).toMatchObject({ status: 200, body: undefined });
    expect(await storedItem(service, key)).not.toHaveProperty("revokedAt");
  });

  test("ignores the hint, and needs a client and a token", async () => {
    const token = await (await actors.developer()).token();
    expect(await revoke({ client_id: "other", token: token.credential })).toMatchObject({ status: 401 });
    expect(await revoke({})).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect((await token.get("/me")).status).toBe(200);
    expect((await revoke({ token: token.credential, token_type_hint: "refresh_token" })).status).toBe(200);
    expect((await token.get("/me")).status).toBe(401);
  });
});
