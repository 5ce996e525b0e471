import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { startIdentityProvider } from "../../support/identity/identity-provider.ts";
import { actorsOf, type Person } from "../../support/service/actors.ts";
import { duringTests } from "../../support/service/suite.ts";
import { everyItem } from "../../support/table/stored.ts";
import { startServiceWithProvider } from "./provider-service.ts";
import { type RawRequest, sendRaw } from "./raw-request.ts";

/*
 * ID tokens with which an attacker wants to use a victim's account, or a new one. functions/identity/ tests the
 * verification alone; here each token goes over HTTP to a function that would write, and the table must not change.
 */
const service = duringTests(() => startServiceWithProvider());
const trap = duringTests(() => startIdentityProvider());
const actors = actorsOf(service);
let victim: Person;

beforeAll(async () => {
  victim = await actors.developer();
});

const now = () => Math.floor(Date.now() / 1_000);
const otherKey = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ellipticKey = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Forged token of an attack: its claims name the victim, and it must be refused. */
type Forge = (sub: string) => string;

const good = (sub: string) => service.provider.idToken({ claims: { sub } });
const withClaims =
  (claims: () => Record<string, unknown>): Forge =>
  (sub) =>
    service.provider.idToken({ claims: { sub, ...claims() } });
const withHeader =
  (header: () => Record<string, unknown>): Forge =>
  (sub) =>
    service.provider.idToken({ claims: { sub }, header: header(), key: otherKey.privateKey });
const withParts =
  (change: (parts: [string, string, string]) => string[]): Forge =>
  (sub) =>
    change(good(sub).split(".") as [string, string, string]).join(".");
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const trapped = (path: string) => `${trap.issuer}/${path}`;

const attacks: [string, Forge][] = [
  ["another key's signature under a known key id", withHeader(() => ({}))],
  [
    "another key's signature and key id",
    (sub) => trap.idToken({ claims: { sub, iss: service.issuer, aud: service.audience } }),
  ],
  ["another provider's issuer", (sub) => trap.idToken({ claims: { sub } })],
  ["another issuer that begins with ours", withClaims(() => ({ iss: `${service.issuer}.evil.example` }))],
  ["our issuer and a slash", withClaims(() => ({ iss: `${service.issuer}/` }))],
  ["a list of issuers", withClaims(() => ({ iss: [service.issuer] }))],
  ["the audience of another application", withClaims(() => ({ aud: "another-application" }))],
  ["no audience in a list", withClaims(() => ({ aud: [] }))],
  ["an expiry that is over", withClaims(() => ({ exp: now() - 61 }))],
  ["an expiry that is no number", withClaims(() => ({ exp: "9999999999" }))],
  ["a time of issue that is no number", withClaims(() => ({ iat: "0" }))],
  ["a subject of white space", () => service.provider.idToken({ claims: { sub: " \t\u00a0" } })],
  ["a list as its subject", (sub) => service.provider.idToken({ claims: { sub: [sub] } })],
  ["alg none", (sub) => service.provider.unsignedToken({ sub })],
  ["alg none and a signature", (sub) => `${service.provider.unsignedToken({ sub })}c2ln`],
  ["alg None", withParts(([, payload]) => [encode({ alg: "None", typ: "JWT" }), payload, ""])],
  ["HMAC with the public key as its secret", (sub) => service.provider.confusedToken({ sub })],
  [
    "an algorithm of another family",
    (sub) => service.provider.idToken({ claims: { sub }, header: { alg: "ES256" }, key: ellipticKey.privateKey }),
  ],
  ["no algorithm", withHeader(() => ({ alg: undefined }))],
  ["a URL as its key id", withHeader(() => ({ kid: trapped("jwks") }))],
  ["an object as its key id", withHeader(() => ({ kid: { $ne: "" } }))],
  ["__proto__ as its key id", withHeader(() => ({ kid: "__proto__" }))],
  ["jku that names the attacker's keys", withHeader(() => ({ jku: trapped("jku"), kid: "attacker" }))],
  ["x5u that names the attacker's certificate", withHeader(() => ({ x5u: trapped("x5u"), kid: "attacker" }))],
  ["the attacker's key in its header", withHeader(() => ({ jwk: otherKey.publicKey.export({ format: "jwk" }) }))],
  ["the type of a logout token", (sub) => service.provider.idToken({ claims: { sub }, header: { typ: "logout+jwt" } })],
  [
    "another payload under a good signature",
    withParts(([header, , signature]) => [
      header,
      encode({ iss: service.issuer, aud: service.audience, sub: victim.uid, iat: now(), exp: now() + 60 }),
      signature,
    ]),
  ],
  ["its signature cut off", withParts(([header, payload]) => [header, payload])],
  ["an empty signature", withParts(([header, payload]) => [header, payload, ""])],
  [
    "a signature of zeros",
    withParts(([header, payload]) => [header, payload, Buffer.alloc(256).toString("base64url")]),
  ],
  ["a fourth part", withParts((parts) => [...parts, "more"])],
  ["a payload that is a list", withParts(([header, , signature]) => [header, encode([]), signature])],
  ["a payload that is null", withParts(([header, , signature]) => [header, encode(null), signature])],
  ["a header that is null", withParts(([, payload, signature]) => [encode(null), payload, signature])],
];

/** Sign-in as a developer, which creates or upgrades an account; a profile edit; and a token in the victim's name. */
const writes: [string, string, object][] = [
  ["POST", "/auth/session", { role: "dev" }],
  ["PATCH", "/me", { name: "Attacker" }],
  ["POST", "/tokens", { name: "Attacker", scopes: ["publish"] }],
];

test("a valid ID token of the victim can do all of these", async () => {
  for (const [method, path, body] of writes) {
    const response = await actors.bearer(good(victim.uid)).send(method, path, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBeLessThan(300);
  }
});

test.each(attacks)("an ID token with %s responds with 401 and changes nothing", async (_, forge) => {
  const before = await everyItem(service);
  for (const sub of [victim.uid, "somebody-new"])
    for (const [method, path, body] of writes) {
      const response = await actors.bearer(forge(sub)).send(method, path, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect({ path, status: response.status }).toEqual({ path, status: 401 });
      expect(["id_token_invalid", "id_token_expired"]).toContain(response.body.code);
    }
  expect(await everyItem(service)).toEqual(before);
});

test("no URL in a token was ever requested", () => {
  expect(trap.keyRequests).toBe(0);
});

describe("an Authorization header", () => {
  const signIn = (...values: string[]): RawRequest => ({
    method: "POST",
    path: "/auth/session",
    headers: values.map((value) => ["Authorization", value] as const),
  });
  const bearer = (sub: string) => `Bearer ${good(sub)}`;

  const odd: [string, () => RawRequest, number][] = [
    ["sent twice with the same value", () => signIn(bearer("a"), bearer("a")), 401],
    ["sent twice, a good one first", () => signIn(bearer("a"), "Bearer x"), 401],
    ["sent twice, a good one last", () => signIn("Bearer x", bearer("a")), 401],
    ["sent twice, once empty", () => signIn("", bearer("a")), 401],
    ["with a comma after the token", () => signIn(`${bearer("a")},`), 401],
    ["with a no-break space after the scheme", () => signIn(`Bearer\u00a0${good("a")}`), 401],
    ["with a colon after the scheme", () => signIn(`Bearer: ${good("a")}`), 401],
    ["with the scheme twice", () => signIn(`Bearer ${bearer("a")}`), 401],
    ["with a parameter", () => signIn(`Bearer token=${good("a")}`), 401],
    ["with a scheme that only begins like it", () => signIn(`Bearerx ${good("a")}`), 401],
    ["with a space inside the token", () => signIn(bearer("a").replace(".", ". ")), 401],
    ["with a percent sign for a dot", () => signIn(bearer("a").replace(".", "%2E")), 401],
    ["of 100 kB", () => signIn(`Bearer ${"x".repeat(100_000)}`), 431],
    ["of 9 kB", () => signIn(`Bearer ${"x".repeat(9_000)}`), 401],
  ];
  test.each(odd)("%s is refused and changes nothing", async (_, request, expected) => {
    const before = await everyItem(service);
    const { status, text } = await sendRaw(service.api, request());
    expect(status).toBe(expected);
    if (status === 401) expect(JSON.parse(text)).toMatchObject({ status: 401 });
    expect(await everyItem(service)).toEqual(before);
  });
});

test("the service still accepts valid tokens after these tests", async () => {
  expect((await actors.bearer(good(victim.uid)).get("/me")).status).toBe(200);
});
