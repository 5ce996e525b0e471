import { generateKeyPairSync } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { type IdentityProvider, startIdentityProvider, type TokenParts } from "../../test/support/identity-provider.ts";

let provider: IdentityProvider;
let verifyIdToken: (idToken: string) => Promise<unknown>;

beforeAll(async () => {
  provider = await startIdentityProvider();
});

afterAll(async () => {
  await provider.stop();
});

beforeEach(async () => {
  Object.assign(process.env, {
    SVC_STAGE: "local",
    IDP_ISSUER: provider.issuer,
    IDP_AUDIENCE: provider.audience,
    IDP_JWKS_URI: provider.jwksUri,
  });
  await coldStart();
});

afterEach(() => {
  provider.answerWith(undefined);
  for (const name of [
    "AUTH_EMULATOR_HOST",
    "TRUSTED_AUDIENCES",
    "AUTHORIZED_PARTIES",
    "TENANT",
    "TOKEN_LIFETIME_HOURS",
  ])
    delete process.env[`IDP_${name}`];
});

/** A function that has just started knows no key yet. */
async function coldStart(): Promise<void> {
  jest.resetModules();
  ({ verifyIdToken } = await import("./id-token.ts"));
}

const now = () => Math.floor(Date.now() / 1_000);
const otherKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;

async function refusal(idToken: string): Promise<string> {
  return (await refusalWithReason(idToken)).message;
}

async function refusalWithReason(idToken: string): Promise<Error & { reason?: string }> {
  return await verifyIdToken(idToken).then(
    () => new Error("it was accepted"),
    (thrown: Error) => thrown,
  );
}

describe("a signed ID token", () => {
  test("identifies its bearer", async () => {
    const picture = "https://pictures.example/ada.png";
    const idToken = provider.idToken({ claims: { sub: "ada", name: "Ada", email: "ada@example.test", picture } });
    await expect(verifyIdToken(idToken)).resolves.toEqual({
      issuer: provider.issuer,
      uid: "ada",
      name: "Ada",
      placeholderName: "ada",
      email: "ada@example.test",
      emailVerified: false,
      avatar: picture,
      authTime: null,
    });
  });

  test.each<TokenParts>([
    { claims: { aud: ["svc-test"] } },
    { claims: { azp: "svc-test" } },
    { header: { typ: undefined } },
    { header: { typ: "jwt" } },
  ])("is accepted with %j", async (parts) => {
    await expect(verifyIdToken(provider.idToken(parts))).resolves.toBeDefined();
  });

  test("without profile claims gives no name, and the uid to show instead", async () => {
    const identity = await verifyIdToken(provider.idToken({ claims: { sub: "ada" } }));
    expect(identity).toMatchObject({ uid: "ada", name: null, placeholderName: "ada", email: null, avatar: null });
  });

  test.each([
    ["ada@example.test", "the email address"],
    [" ADA@example.test ", "the email address, written in another way"],
    ["somebody.else@example.test", "another email address"],
    ["Ada <ada@example.test>", "an email address in it"],
    ["ada＠example.test", "a full-width @"],
    [`${"x".repeat(100)}@example.test`, "an email address that is longer than a name"],
  ])("gives no name where that is %j: %s", async (name) => {
    const claims = { name, sub: "auth0|1", email: "ada@example.test" };
    expect(await verifyIdToken(provider.idToken({ claims }))).toMatchObject({ name: null, placeholderName: "auth0|1" });
  });

  test("does not show a uid that is an email address instead of a name", async () => {
    const claims = { sub: "ada@example.test" };
    expect(await verifyIdToken(provider.idToken({ claims }))).toMatchObject({ name: null, placeholderName: "Unnamed" });
  });

  test("may have a name with an @ that is not an email address", async () => {
    expect(await verifyIdToken(provider.idToken({ claims: { name: "@ada" } }))).toMatchObject({ name: "@ada" });
  });

  test.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
    [undefined, false],
    [1, false],
  ])("with email_verified %j says %j", async (email_verified, emailVerified) => {
    expect(await verifyIdToken(provider.idToken({ claims: { email_verified } }))).toMatchObject({ emailVerified });
  });

  test("says when its bearer signed in", async () => {
    const auth_time = now() - 1_000;
    expect(await verifyIdToken(provider.idToken({ claims: { auth_time } }))).toMatchObject({ authTime: auth_time });
  });

  test("may be valid for 24 hours", async () => {
    const iat = now();
    await expect(verifyIdToken(provider.idToken({ claims: { iat, exp: iat + 86_400 } }))).resolves.toBeDefined();
  });

  test("may be valid for the stage's longest lifetime", async () => {
    const iat = now();
    process.env["IDP_TOKEN_LIFETIME_HOURS"] = "1";
    await expect(verifyIdToken(provider.idToken({ claims: { iat, exp: iat + 3_600 } }))).resolves.toBeDefined();
    expect(await refusal(provider.idToken({ claims: { iat, exp: iat + 3_601 } }))).toBe("id_token_invalid");
  });

  test.each(["0", "-1", "a day"])("is refused by a stage whose longest lifetime is %j", async (hours) => {
    process.env["IDP_TOKEN_LIFETIME_HOURS"] = hours;
    expect(await refusal(provider.idToken())).toBe(
      "The environment variable IDP_TOKEN_LIFETIME_HOURS must be a number above 0",
    );
  });

  test("gives a name that fits a profile, and only a picture that is https", async () => {
    const claims = { name: `A\nda\0${"x".repeat(76)}😀`, picture: "javascript:alert(1)", email: "not an address" };
    const identity = await verifyIdToken(provider.idToken({ claims }));
    expect(identity).toMatchObject({ name: `A da ${"x".repeat(75)}`, avatar: null, email: null });
  });

  test.each(["\ud800", "\0", "\n"])("gives no email address and no picture with %j in it", async (character) => {
    const claims = { email: `ada${character}@example.test`, picture: `https://pictures.example/${character}` };
    expect(await verifyIdToken(provider.idToken({ claims }))).toMatchObject({ email: null, avatar: null });
  });

  test("is accepted where the clocks are 50 seconds apart", async () => {
    const early = provider.idToken({ claims: { iat: now() + 50, nbf: now() + 50 } });
    const late = provider.idToken({ claims: { exp: now() - 50 } });
    await expect(verifyIdToken(early)).resolves.toBeDefined();
    await expect(verifyIdToken(late)).resolves.toBeDefined();
  });

  test("that has expired has its own error", async () => {
    expect(await refusal(provider.idToken({ claims: { exp: now() - 70 } }))).toBe("id_token_expired");
  });

  const invalid: [string, TokenParts][] = [
    ["another issuer", { claims: { iss: "https://other.example" } }],
    ["another audience", { claims: { aud: "another-app" } }],
    ["no audience", { claims: { aud: undefined } }],
    ["another audience beside ours", { claims: { aud: ["svc-test", "another-app"] } }],
    ["our audience, issued to another application", { claims: { azp: "another-app" } }],
    ["a party that it was issued to that is no text", { claims: { azp: ["svc-test"] } }],
    ["the type of an access token", { header: { typ: "at+jwt" } }],
    ["a type that is no text", { header: { typ: 1 } }],
    ["a critical extension", { header: { crit: ["b64"], b64: false } }],
    ["not yet valid", { claims: { nbf: now() + 3_600 } }],
    ["a time that no date can be", { claims: { nbf: 1e300 } }],
    ["an expiry that no date can be", { claims: { exp: -1e300 } }],
    ["issued in the future", { claims: { iat: now() + 3_600 } }],
    ["no time of issue", { claims: { iat: undefined } }],
    ["no expiry", { claims: { exp: undefined } }],
    ["no subject", { claims: { sub: undefined } }],
    ["an empty subject", { claims: { sub: "" } }],
    ["a lifetime of more than 24 hours", { claims: { iat: now(), exp: now() + 86_401 } }],
    ["an expiry beyond all dates", { claims: { exp: 1e308 } }],
    ["a sign-in in the future", { claims: { auth_time: now() + 3_600 } }],
    ["a time of sign-in that is no number", { claims: { auth_time: "now" } }],
    ["a type of token that is in a list", { header: { typ: ["JWT"] } }],
    ["a subject of 10 kB", { claims: { sub: "x".repeat(10_000) } }],
    ["a subject that no UTF-8 can hold", { claims: { sub: "ada\ud800" } }],
    ["a subject that is no string", { claims: { sub: { $ne: null } } }],
    ["another key's signature", { key: otherKey }],
    ["an unknown key id", { header: { kid: "unknown" } }],
    ["a path as its key id", { header: { kid: "../../etc/passwd" } }],
    ["no key id", { header: { kid: undefined } }],
  ];
  test.each(invalid)("with %s is refused", async (_, parts) => {
    expect(await refusal(provider.idToken(parts))).toBe("id_token_invalid");
  });

  test("is refused when its signature is HMAC with the public key", async () => {
    expect(await refusal(provider.confusedToken())).toBe("id_token_invalid");
  });

  test("never leads to a key that its own header names", async () => {
    const trap = await startIdentityProvider();
    const header = { jku: trap.jwksUri, x5u: trap.jwksUri, jwk: otherKey.export({ format: "jwk" }) };
    expect(await refusal(provider.idToken({ header, key: otherKey }))).toBe("id_token_invalid");
    expect(trap.keyRequests).toBe(0);
    await trap.stop();
  });

  test.each([
    ["nothing", ""],
    ["a dot", "."],
    ["three parts that are no JSON", "a.b.c"],
    ["alg none with an empty payload", "eyJhbGciOiJub25lIn0.e30."],
    ["100 kB of a letter", "x".repeat(100_000)],
  ])("is not %s", async (_, text) => {
    expect(await refusal(text)).toBe("id_token_invalid");
  });
});

/** The claims of other tokens that providers sign, where they differ from an ID token, and the claim that tells. */
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

describe("settings let in", () => {
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

describe("a token that chooses a key which does not fit", () => {
  const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
  const keys = {
    elliptic: { ...elliptic.export({ format: "jwk" }), alg: "ES256" },
    edwards: generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }),
    agreement: generateKeyPairSync("x25519").publicKey.export({ format: "jwk" }),
    encryption: { ...otherKey.export({ format: "jwk" }), use: "enc", alg: "RSA-OAEP" },
    curveless: { kty: "OKP", crv: "Unheard-of", x: "AA" },
  };

  test.each<[keyof typeof keys, string]>([
    ["elliptic", "ES256"],
    ["edwards", "RS256"],
    ["agreement", "EdDSA"],
    ["encryption", "RSA-OAEP"],
    ["encryption", "RS256"],
    ["curveless", "EdDSA"],
  ])("the provider's %s key with %s is refused without an internal error", async (kid, alg) => {
    const published = Object.entries(keys).map(([name, key]) => ({ ...key, kid: name }));
    provider.answerWith((response) => response.end(JSON.stringify({ keys: published })));
    const [, payload] = provider.idToken().split(".");
    const header = Buffer.from(JSON.stringify({ alg, kid })).toString("base64url");
    expect(await refusal(`${header}.${payload}.c2lnbmF0dXJl`)).toBe("id_token_invalid");
  });
});

/** The provider's keys in exactly so many bytes: valid JSON, whatever its length. */
function paddedKeys(bytes: number): string {
  return JSON.stringify(provider.publishedKeys()).padEnd(bytes, " ");
}

describe("the provider's keys", () => {
  test("may take 1 MiB", async () => {
    provider.answerWith((response) => response.end(paddedKeys(1024 * 1024)));
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
  });

  test("are fetched once for many tokens", async () => {
    const before = provider.keyRequests;
    for (let count = 0; count < 5; count += 1) await verifyIdToken(provider.idToken());
    expect(provider.keyRequests - before).toBe(1);
  });

  test("may rotate while old tokens are still valid", async () => {
    const old = provider.idToken();
    await verifyIdToken(old);
    provider.rotate();
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
    await expect(verifyIdToken(old)).resolves.toBeDefined();
    provider.retireOldKeys();
  });

  test("a flood of unknown key ids causes one fetch", async () => {
    await verifyIdToken(provider.idToken());
    const before = provider.keyRequests;
    const tokens = Array.from({ length: 50 }, (_, index) => provider.idToken({ header: { kid: `flood-${index}` } }));
    expect(new Set(await Promise.all(tokens.map(refusal)))).toEqual(new Set(["id_token_invalid"]));
    // The pause lasts: it is not over when the first of them are answered.
    await delay(100);
    for (const idToken of tokens) expect(await refusal(idToken)).toBe("id_token_invalid");
    expect(provider.keyRequests - before).toBe(1);
  });

  const faults: [string, Parameters<IdentityProvider["answerWith"]>[0]][] = [
    ["answers 500", (response) => response.writeHead(500).end()],
    ["hangs up", (response) => response.destroy()],
    ["answers rubbish", (response) => response.end("<html>")],
    ["answers JSON without keys", (response) => response.end("{}")],
    ["answers an empty list of keys", (response) => response.end('{"keys":[]}')],
    ["redirects", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    ["answers 404 with its keys", (response) => response.writeHead(404).end(JSON.stringify(provider.publishedKeys()))],
    ["answers its keys and 1 MiB of white space", (response) => response.end(paddedKeys(1024 * 1024 + 1))],
    ["never answers", () => undefined],
  ];
  test.each(faults)("are unavailable, which is no error of the token, where the provider %s", async (_, fault) => {
    provider.answerWith(fault);
    expect(await refusal(provider.idToken())).toBe("identity_provider_unavailable");
    provider.answerWith(undefined);
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
  });

  test("that are known still work while the provider is down", async () => {
    await verifyIdToken(provider.idToken());
    provider.answerWith((response) => response.destroy());
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
    expect(await refusal(provider.idToken({ header: { kid: "new" } }))).toBe("identity_provider_unavailable");
  });

  test("are fetched at most once a second after three failures in a row", async () => {
    provider.answerWith((response) => response.destroy());
    const before = provider.keyRequests;
    const startedAt = performance.now();
    for (let count = 0; count < 20; count += 1)
      expect(await refusal(provider.idToken())).toBe("identity_provider_unavailable");
    // Each fetch is tried twice.
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    expect(provider.keyRequests - before).toBeGreaterThanOrEqual(6);
    expect(provider.keyRequests - before).toBeLessThanOrEqual(6 + 2 * seconds);
  });

  test("are fetched only over https, or from this machine", async () => {
    process.env["IDP_JWKS_URI"] = "http://keys.example/jwks";
    expect(await refusal(provider.idToken())).toContain("IDP_JWKS_URI must be an https address");
  });
});

describe("the emulator switch", () => {
  test("is off: an unsigned token is refused", async () => {
    expect(await refusal(provider.unsignedToken())).toBe("id_token_invalid");
  });

  test("on: an unsigned token is accepted, a signed one still is", async () => {
    process.env["IDP_AUTH_EMULATOR_HOST"] = "127.0.0.1:9099";
    await expect(verifyIdToken(provider.unsignedToken({ sub: "ada" }))).resolves.toMatchObject({ uid: "ada" });
    await expect(verifyIdToken(provider.idToken({ claims: { sub: "bob" } }))).resolves.toMatchObject({ uid: "bob" });
  });

  const claims: [string, Record<string, unknown>, string][] = [
    ["another issuer", { iss: "https://other.example" }, "id_token_invalid"],
    ["another audience", { aud: "another-app" }, "id_token_invalid"],
    ["no subject", { sub: "" }, "id_token_invalid"],
    ["a future time of issue", { iat: now() + 3_600 }, "id_token_invalid"],
    ["a past expiry", { exp: now() - 3_600 }, "id_token_expired"],
  ];
  test.each(claims)("on: an unsigned token with %s is refused", async (_, changed, code) => {
    process.env["IDP_AUTH_EMULATOR_HOST"] = "127.0.0.1:9099";
    expect(await refusal(provider.unsignedToken(changed))).toBe(code);
  });

  test("on: a token that claims a signature must have a good one", async () => {
    process.env["IDP_AUTH_EMULATOR_HOST"] = "127.0.0.1:9099";
    const [header, payload] = provider.idToken().split(".");
    expect(await refusal(`${header}.${payload}.`)).toBe("id_token_invalid");
    expect(await refusal(provider.idToken({ key: otherKey }))).toBe("id_token_invalid");
  });

  test("keeps a function of a deployed stage from starting", async () => {
    Object.assign(process.env, { SVC_STAGE: "staging", IDP_AUTH_EMULATOR_HOST: "127.0.0.1:9099" });
    await expect(coldStart()).rejects.toThrow("must not be set on a deployed stage");
  });
});
