import { describe, expect, test } from "@jest/globals";
import { now, otherKey, useIdTokenVerification } from "../../test/support/identity/id-token-verification.ts";
import type { TokenParts } from "../../test/support/identity/identity-provider.ts";

const { provider, verifyIdToken, refusal, refusalWithReason } = useIdTokenVerification();

/** Claims of other tokens that providers sign, if they differ from an ID token, and the claim that shows it. */
describe("a token of another kind is refused:", () => {
  const audience = "svc-test";
  test.each<[string, Record<string, unknown>, string]>([
    ["an access token of Entra, v1", { appid: audience, scp: "access_as_user", ver: "1.0" }, "scp"],
    ["an access token of Entra, v1, of an application", { appid: audience, appidacr: "1", ver: "1.0" }, "appid"],
    ["an access token of Entra, v2", { azp: audience, azpacr: "0", scp: "access_as_user", ver: "2.0" }, "scp"],
    ["an access token of Entra, v2, of an application", { azp: audience, azpacr: "1", ver: "2.0" }, "azpacr"],
    ["an application's token of Entra", { idtyp: "app" }, "idtyp"],
    ["an access token of Cognito", { token_use: "access", client_id: audience }, "token_use"],
    ["a token of another client of Cognito", { token_use: "id", client_id: "another-app" }, "client_id"],
    ["an access token of Keycloak", { typ: "Bearer", azp: audience }, "typ"],
    ["a refresh token of Keycloak", { typ: "Refresh" }, "typ"],
    ["a logout token of Keycloak", { typ: "Logout", events: {} }, "typ"],
    ["a logout token", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }, "events"],
    ["an event of Apple", { events: "{}" }, "events"],
    ["an access token of Okta", { scp: ["openid"], cid: audience }, "scp"],
    ["an access token of Auth0", { azp: audience, scope: "openid profile" }, "scope"],
    ["an access token of a machine at Auth0", { azp: audience, gty: "client-credentials" }, "gty"],
    ["an access token with its type", { scope: "openid", client_id: audience, jti: "1" }, "scope"],
    ["a v1 access token with the type of its client", { appidacr: "0" }, "appidacr"],
  ])("%s", async (_, claims, claim) => {
    const { message, reason } = await refusalWithReason(provider.idToken({ claims }));
    expect(message).toBe("id_token_invalid");
    expect(reason).toMatch(new RegExp(`^${claim}: `));
  });

  test.each<[string, Record<string, unknown>]>([
    ["Cognito", { token_use: "id", "cognito:username": "ada", auth_time: now(), event_id: "1", origin_jti: "2" }],
    ["Keycloak", { typ: "ID", azp: audience, acr: "1", sid: "1", at_hash: "x", preferred_username: "ada" }],
    ["Entra", { ver: "2.0", tid: "1", oid: "2", preferred_username: "ada@example.test", uti: "3", rh: "4" }],
    ["Auth0", { sid: "1", nickname: "ada", updated_at: "2026-01-01T00:00:00Z", nonce: "2" }],
    ["Okta", { ver: 1, jti: "ID.1", amr: ["pwd"], idp: "2", auth_time: now(), at_hash: "x" }],
    ["Google", { azp: audience, at_hash: "x", hd: "example.test" }],
    ["Apple", { nonce_supported: true, is_private_email: "true", auth_time: now() }],
    ["Twitch", { azp: audience, preferred_username: "ada" }],
    ["Firebase", { auth_time: now(), user_id: "ada", firebase: { identities: {}, sign_in_provider: "password" } }],
  ])("and an ID token of %s is accepted", async (_, claims) => {
    await expect(verifyIdToken(provider.idToken({ claims }))).resolves.toBeDefined();
  });
});

describe("an issuer that is Firebase, which signs ID tokens alone,", () => {
  const iss = "https://securetoken.google.com/my-game";
  const firebase = { iss, auth_time: now(), firebase: { identities: {}, sign_in_provider: "password" } };

  test.each<[string, Record<string, unknown>]>([
    ["scope", { scope: "levels:edit" }],
    ["scp", { scp: ["levels"] }],
    ["appid", { appid: "game" }],
    ["client_id and typ", { client_id: "game", typ: "player" }],
    ["events and token_use", { events: ["jam"], token_use: "play" }],
  ])("may have %s as custom claims", async (_, claims) => {
    process.env["IDP_ISSUER"] = iss;
    await expect(verifyIdToken(provider.idToken({ claims: { ...firebase, ...claims } }))).resolves.toBeDefined();
  });

  test.each<[string, TokenParts]>([
    ["a session cookie", { claims: { ...firebase, iss: "https://session.firebase.google.com/my-game" } }],
    ["a token for another project", { claims: { ...firebase, aud: "another-game" } }],
    ["a token of another application", { claims: { ...firebase, azp: "another-app" } }],
    ["a token with another type in its header", { claims: firebase, header: { typ: "at+jwt" } }],
  ])("still refuses %s", async (_, parts) => {
    process.env["IDP_ISSUER"] = iss;
    expect(await refusal(provider.idToken(parts))).toBe("id_token_invalid");
  });
});

describe("settings of the stage allow", () => {
  const severalAudiences = { aud: ["svc-test", "project-1"], azp: "svc-test" };

  test("other audiences that the stage trusts", async () => {
    expect(await refusal(provider.idToken({ claims: severalAudiences }))).toBe("id_token_invalid");
    process.env["IDP_TRUSTED_AUDIENCES"] = "account,project-1";
    await expect(verifyIdToken(provider.idToken({ claims: severalAudiences }))).resolves.toBeDefined();
    expect(await refusal(provider.idToken({ claims: { ...severalAudiences, aud: ["project-1"] } }))).toBe(
      "id_token_invalid",
    );
    expect(await refusal(provider.idToken({ claims: { ...severalAudiences, azp: undefined } }))).toBe(
      "id_token_invalid",
    );
  });

  test("another application that the stage authorises", async () => {
    const android = { azp: "android-app" };
    expect(await refusal(provider.idToken({ claims: android }))).toBe("id_token_invalid");
    process.env["IDP_AUTHORIZED_PARTIES"] = "ios-app,android-app";
    await expect(verifyIdToken(provider.idToken({ claims: android }))).resolves.toBeDefined();
    expect(await refusal(provider.idToken({ claims: { azp: "third-app" } }))).toBe("id_token_invalid");
  });

  test("the Firebase tenant of the stage, and no other", async () => {
    const tenant = (name?: string) => provider.idToken({ claims: { firebase: { tenant: name } } });
    await expect(verifyIdToken(tenant())).resolves.toBeDefined();
    expect(await refusal(tenant("players"))).toBe("id_token_invalid");
    process.env["IDP_TENANT"] = "players";
    await expect(verifyIdToken(tenant("players"))).resolves.toBeDefined();
    expect(await refusal(tenant("others"))).toBe("id_token_invalid");
    expect(await refusal(tenant())).toBe("id_token_invalid");
    expect(await refusal(provider.idToken())).toBe("id_token_invalid");
  });
});

describe("the reason of a refusal", () => {
  const secret = "a-value-that-nobody-may-log";

  test.each<[string, TokenParts]>([
    ["iss: not IDP_ISSUER", { claims: { iss: `https://${secret}.example` } }],
    ["aud: IDP_AUDIENCE is not in it", { claims: { aud: secret } }],
    ["azp: not in IDP_AUTHORIZED_PARTIES", { claims: { azp: secret } }],
    ["nbf: in the future", { claims: { nbf: now() + 3_600 } }],
    ["sub: missing, blank or longer than 255 characters", { claims: { sub: secret.repeat(100) } }],
    ["typ (header): another type of token", { header: { typ: secret } }],
    ["kid: the provider publishes no such key", { header: { kid: secret } }],
    ["iat: missing", { claims: { iat: undefined } }],
    ["exp: missing", { claims: { exp: undefined } }],
    ["kid: missing", { header: { kid: undefined } }],
    ["signature: not of the key that kid names", { key: otherKey }],
    ["no JSON Web Token, or a claim of another type", { claims: { exp: secret } }],
    ["alg: unknown, or not that of the key", { header: { alg: "RS512" } }],
  ])("names the claim and never its value: %s", async (reason, parts) => {
    expect((await refusalWithReason(provider.idToken(parts))).reason).toBe(reason);
  });
});
