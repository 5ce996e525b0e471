import { afterEach, describe, expect, test } from "@jest/globals";
import { type Algorithm, signedBy } from "../../test/support/identity/algorithms.ts";
import { now, otherKey, useIdTokenVerification } from "../../test/support/identity/id-token-verification.ts";
import { startIdentityProvider, type TokenParts } from "../../test/support/identity/identity-provider.ts";

const { provider, verifyIdToken, refusal, refusalWithReason, coldStart } = useIdTokenVerification();

async function reasonFor(idToken: string): Promise<string | undefined> {
  return (await refusalWithReason(idToken)).reason;
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
      claims: expect.objectContaining({ sub: "ada" }),
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

  test.each<[Algorithm, string | undefined]>([
    ["RS256", undefined],
    ["RS384", undefined],
    ["RS512", undefined],
    ["ES256", undefined],
    ["ES384", undefined],
    ["ES512", undefined],
    ["EdDSA", undefined],
    ["Ed25519", undefined],
    ["Ed25519", "Ed25519"],
  ])("is accepted with %s, by a key whose alg is %s", async (alg, keyAlg) => {
    await expect(verifyIdToken(signedBy(provider, { alg, keyAlg }))).resolves.toMatchObject({ uid: "ada" });
  });

  test.each<Algorithm>(["PS256", "PS384", "PS512"])("is refused with %s", async (alg) => {
    expect(await reasonFor(signedBy(provider, { alg }))).toBe("alg: unknown, or not that of the key");
  });

  test.each([
    ["EdDSA", {}],
    [undefined, { use: "enc" }],
    [undefined, { crv: "Ed448" }],
  ])("is refused with Ed25519 by a key whose alg is %s and that has %j", async (keyAlg, jwk) => {
    expect(await reasonFor(signedBy(provider, { alg: "Ed25519", keyAlg, jwk }))).toBe(
      "alg: unknown, or not that of the key",
    );
  });

  test("with Ed25519 needs the signature of its key, and every claim", async () => {
    const [header, , signature] = signedBy(provider, { alg: "Ed25519" }).split(".");
    const other = signedBy(provider, { alg: "Ed25519", claims: { sub: "eve" } }).split(".")[1];
    expect(await reasonFor(`${header}.${other}.${signature}`)).toBe("signature: not of the key that kid names");
    const wrong = { exp: now() - 70 };
    expect(await refusal(signedBy(provider, { alg: "Ed25519", claims: wrong }))).toBe("id_token_expired");
    const audience = signedBy(provider, { alg: "Ed25519", claims: { aud: "another" } });
    expect(await reasonFor(audience)).toBe("aud: IDP_AUDIENCE is not in it");
    const accessToken = signedBy(provider, { alg: "Ed25519", claims: { scope: "x" } });
    expect(await reasonFor(accessToken)).toBe("scope: other kinds of tokens have it");
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
  ])("gives no name if that is %j: %s", async (name) => {
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

  test("is accepted if the clocks are 50 seconds apart", async () => {
    const early = provider.idToken({ claims: { iat: now() + 50, nbf: now() + 50 } });
    const late = provider.idToken({ claims: { exp: now() - 50 } });
    await expect(verifyIdToken(early)).resolves.toBeDefined();
    await expect(verifyIdToken(late)).resolves.toBeDefined();
  });

  test("that has expired has its own error", async () => {
    expect(await refusal(provider.idToken({ claims: { exp: now() - 70 } }))).toBe("id_token_expired");
  });

  const invalid: [string, TokenParts][] = [
    ["no audience", { claims: { aud: undefined } }],
    ["another audience beside ours", { claims: { aud: ["svc-test", "another-app"] } }],
    ["an authorized party that is no text", { claims: { azp: ["svc-test"] } }],
    ["a type that is no text", { header: { typ: 1 } }],
    ["a critical extension", { header: { crit: ["b64"], b64: false } }],
    ["a time that no date can be", { claims: { nbf: 1e300 } }],
    ["an expiry that no date can be", { claims: { exp: -1e300 } }],
    ["a time of issue in the future", { claims: { iat: now() + 3_600 } }],
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
    ["a path as its key id", { header: { kid: "../../etc/passwd" } }],
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

describe("the emulator switch", () => {
  const ofLambda = {
    AWS_LAMBDA_FUNCTION_NAME: "svc-staging-get-me",
    AWS_LAMBDA_RUNTIME_API: "127.0.0.1:9001",
    LAMBDA_TASK_ROOT: "/var/task",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  };
  afterEach(() => {
    for (const name of Object.keys(ofLambda)) delete process.env[name];
  });

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

  test.each(Object.entries(ofLambda))(
    "keeps a function from starting if Lambda has set %s, whatever the stage calls itself",
    async (name, value) => {
      Object.assign(process.env, { SVC_STAGE: "local", IDP_AUTH_EMULATOR_HOST: "127.0.0.1:9099", [name]: value });
      await expect(coldStart()).rejects.toThrow("must not be set on a deployed stage");
    },
  );

  test("on: the local service starts in another environment of AWS", async () => {
    Object.assign(process.env, { IDP_AUTH_EMULATOR_HOST: "127.0.0.1:9099", AWS_EXECUTION_ENV: "CloudShell" });
    await expect(coldStart()).resolves.not.toThrow();
  });
});
