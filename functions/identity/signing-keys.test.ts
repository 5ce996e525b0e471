import { generateKeyPairSync } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { otherKey, useIdTokenVerification } from "../../test/support/identity/id-token-verification.ts";
import type { IdentityProvider } from "../../test/support/identity/identity-provider.ts";

const { provider, verifyIdToken, refusal } = useIdTokenVerification();

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
    provider.respondWith((response) => response.end(JSON.stringify({ keys: published })));
    const [, payload] = provider.idToken().split(".");
    const header = Buffer.from(JSON.stringify({ alg, kid })).toString("base64url");
    expect(await refusal(`${header}.${payload}.c2lnbmF0dXJl`)).toBe("id_token_invalid");
  });
});

/** The provider's keys in exactly this many bytes: valid JSON of any length. */
function paddedKeys(bytes: number): string {
  return JSON.stringify(provider.publishedKeys()).padEnd(bytes, " ");
}

describe("the provider's keys", () => {
  test("may take 1 MiB", async () => {
    provider.respondWith((response) => response.end(paddedKeys(1024 * 1024)));
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
    // The pause is not over yet when the first of them have responses.
    await delay(100);
    for (const idToken of tokens) expect(await refusal(idToken)).toBe("id_token_invalid");
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
    expect(provider.keyRequests - before).toBe(1);
  });

  const faults: [string, Parameters<IdentityProvider["respondWith"]>[0]][] = [
    ["responds with 500", (response) => response.writeHead(500).end()],
    ["hangs up", (response) => response.destroy()],
    ["responds with HTML", (response) => response.end("<html>")],
    ["responds with JSON without keys", (response) => response.end("{}")],
    ["responds with an empty list of keys", (response) => response.end('{"keys":[]}')],
    ["responds with keys that are none", (response) => response.end('{"keys":[{"kid":1},null,"x"]}')],
    [
      "responds with half of its keys",
      (response) => response.writeHead(200, { "content-length": "1000" }).end('{"keys":['),
    ],
    ["redirects", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    [
      "responds with 404 and its keys",
      (response) => response.writeHead(404).end(JSON.stringify(provider.publishedKeys())),
    ],
    ["responds with its keys and 1 MiB of white space", (response) => response.end(paddedKeys(1024 * 1024 + 1))],
    ["never responds", () => undefined],
  ];
  test.each(faults)("are unavailable if the provider %s, and the token is not to blame", async (_, fault) => {
    provider.respondWith(fault);
    const startedAt = performance.now();
    expect(await refusal(provider.idToken())).toBe("identity_provider_unavailable");
    // Before a deployed function would time out.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    provider.respondWith(undefined);
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
  });

  test("that are known still work while the provider is down", async () => {
    await verifyIdToken(provider.idToken());
    provider.respondWith((response) => response.destroy());
    await expect(verifyIdToken(provider.idToken())).resolves.toBeDefined();
    expect(await refusal(provider.idToken({ header: { kid: "new" } }))).toBe("identity_provider_unavailable");
  });

  test("are fetched at most once a second after three failures in a row", async () => {
    provider.respondWith((response) => response.destroy());
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
    for (const host of ["keys.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost"]) {
      process.env["IDP_JWKS_URI"] = `http://${host}/jwks`;
      expect(await refusal(provider.idToken())).toContain("IDP_JWKS_URI must be an https URL");
    }
  });
});
