import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import {
  type IdentityProvider,
  startIdentityProvider,
  type TokenParts,
} from "../../test/support/identity/identity-provider.ts";
import { githubClaims, type JobIssuers, newRepository, startJobIssuers } from "../../test/support/identity/jobs.ts";
import { duringTests } from "../../test/support/service/suite.ts";

/*
 * What an issuer changes in its keys, and several keys with one id: the same for people's ID tokens and for the tokens of CI jobs.
 */
const people: IdentityProvider = duringTests(() => startIdentityProvider());
const jobs: JobIssuers = duringTests(startJobIssuers);
const audience = "https://api.example";
const foreign = generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey.export({ format: "jwk" });

interface Issuer {
  readonly provider: () => IdentityProvider;
  readonly claims: () => Record<string, unknown>;
  readonly verify: (jwt: string) => Promise<unknown>;
}
const jobClaims = () => ({ aud: audience, ...githubClaims(newRepository()) });
const verifyJob = async (jwt: string) => await (await import("./job-token.ts")).verifyJobToken(jwt, audience);
const issuers: [string, Issuer][] = [
  [
    "the identity provider",
    {
      provider: () => people,
      claims: () => ({}),
      verify: async (jwt) => await (await import("./id-token.ts")).verifyIdToken(jwt),
    },
  ],
  ["GitHub", { provider: () => jobs.github, claims: jobClaims, verify: verifyJob }],
  ["GitLab", { provider: () => jobs.gitlab, claims: jobClaims, verify: verifyJob }],
];

let minutes = 0;
const realNow = Date.now;
beforeEach(() => {
  Object.assign(process.env, jobs.env, {
    SVC_STAGE: "local",
    IDP_ISSUER: people.issuer,
    IDP_AUDIENCE: people.audience,
    IDP_JWKS_URI: people.jwksUri,
  });
  minutes = 0;
  jest.spyOn(Date, "now").mockImplementation(() => realNow() + minutes * 60_000);
  // A function that has just started knows no key yet.
  jest.resetModules();
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe.each(issuers)("of %s", (_, { provider: providerOf, claims, verify }) => {
  const jwt = (parts: TokenParts = {}) => providerOf().idToken({ claims: claims(), ...parts });
  /** "accepted", or the code of the error; `invalid` for both kinds of tokens. */
  const outcome = async (token: string) =>
    await verify(token).then(
      () => "accepted",
      ({ code }: { code: string }) => (code === "identity_provider_unavailable" ? "unavailable" : "invalid"),
    );
  afterEach(() => {
    providerOf().respondWith(undefined);
    providerOf().discoverAs(undefined);
  });

  test("a key that is withdrawn is accepted for five minutes at most", async () => {
    const old = providerOf().currentKey;
    expect(await outcome(jwt())).toBe("accepted");
    providerOf().rotate();
    providerOf().retireOldKeys();
    const stolen = () => jwt({ header: { kid: old.kid }, key: old.privateKey });
    minutes = 4.9;
    expect(await outcome(stolen())).toBe("accepted");
    minutes = 5;
    expect(await outcome(stolen())).toBe("invalid");
    expect(await outcome(jwt())).toBe("accepted");
  });

  test("a key that another one with its id replaces is accepted for five minutes at most", async () => {
    const old = providerOf().currentKey;
    expect(await outcome(jwt())).toBe("accepted");
    providerOf().rotate(old.kid);
    providerOf().retireOldKeys();
    minutes = 5;
    expect(await outcome(jwt({ key: old.privateKey }))).toBe("invalid");
    expect(await outcome(jwt())).toBe("accepted");
  });

  test("all keys can be withdrawn", async () => {
    expect(await outcome(jwt())).toBe("accepted");
    providerOf().respondWith((response, url) =>
      response.end(JSON.stringify(url === "/jwks" ? { keys: [] } : providerOf().discovery)),
    );
    minutes = 5;
    expect(await outcome(jwt())).toBe("unavailable");
    providerOf().respondWith(undefined);
    expect(await outcome(jwt())).toBe("accepted");
  });

  test.each([
    ["hangs up", (response: { destroy(): unknown }) => void response.destroy()],
    [
      "responds with 500",
      (response: { writeHead(status: number): { end(): unknown } }) => void response.writeHead(500).end(),
    ],
    ["responds with HTML", (response: { end(text: string): unknown }) => void response.end("<html>")],
  ])(
    "old keys are accepted for an hour at most if the issuer %s, and it is asked every half minute",
    async (_, fault) => {
      expect(await outcome(jwt())).toBe("accepted");
      const issued = jwt({ claims: { ...claims(), exp: Math.floor(Date.now() / 1_000) + 7_200 } });
      providerOf().respondWith(fault as Parameters<IdentityProvider["respondWith"]>[0]);
      const asked = () => providerOf().keyRequests + providerOf().discoveries;
      const before = asked();
      for (const at of [4.9, 5, 5.4]) {
        minutes = at;
        expect({ at, outcome: await outcome(issued) }).toEqual({ at, outcome: "accepted" });
      }
      // Each attempt is two requests.
      expect(asked() - before).toBe(2);
      minutes = 5.6;
      expect(await outcome(issued)).toBe("accepted");
      expect(asked() - before).toBe(4);
      minutes = 59.9;
      expect(await outcome(issued)).toBe("accepted");
      minutes = 60;
      expect(await outcome(issued)).toBe("unavailable");
      providerOf().respondWith(undefined);
      minutes = 61;
      expect(await outcome(issued)).toBe("accepted");
    },
  );

  const neighbours: [string, () => object][] = [
    ["for encryption (Keycloak)", () => ({ ...foreign, use: "enc", alg: "RSA-OAEP" })],
    ["for encryption, without alg", () => ({ ...foreign, use: "enc" })],
    ["whose key_ops are others", () => ({ ...foreign, key_ops: ["encrypt", "wrapKey"] })],
    ["for another algorithm", () => ({ ...foreign, alg: "RS512" })],
    ["of another type", () => generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" })],
    ["of an unknown type", () => ({ kty: "AKP", alg: "ML-DSA-44", pub: "x" })],
    ["for the same algorithm", () => ({ ...foreign, use: "sig", alg: "RS256" })],
    ["without a modulus", () => ({ kty: "RSA", e: "AQAB", use: "sig", alg: "RS256" })],
    ["with an impossible modulus", () => ({ kty: "RSA", n: "", e: "", use: "sig", alg: "RS256" })],
    ["with a member of another type", () => ({ kty: "RSA", n: 1, e: [], use: 5, alg: null })],
  ];
  test.each(neighbours)(
    "a second key with the same id, %s, locks nobody out, in either order",
    async (_, neighbour) => {
      const { kid, publicKey } = providerOf().currentKey;
      const own = { ...publicKey.export({ format: "jwk" }), kid, key_ops: ["verify"] };
      for (const isFirst of [true, false]) {
        const other = { ...neighbour(), kid };
        const keys = isFirst ? [other, own] : [own, other];
        providerOf().respondWith((response, url) =>
          response.end(JSON.stringify(url === "/jwks" ? { keys } : providerOf().discovery)),
        );
        jest.resetModules();
        expect({ isFirst, outcome: await outcome(jwt()) }).toEqual({ isFirst, outcome: "accepted" });
        const [header, , signature] = jwt().split(".");
        expect(await outcome(`${header}.${jwt().split(".")[1]}.${signature}`)).toBe("invalid");
      }
    },
  );
});

test("an issuer that publishes its keys elsewhere is followed within five minutes", async () => {
  const [, { claims, verify }] = issuers[1] as [string, Issuer];
  await verify(jobs.github.idToken({ claims: claims() }));
  const served = jobs.github.publishedKeys();
  jobs.github.rotate();
  jobs.github.retireOldKeys();
  const moved = jobs.github.publishedKeys();
  const discovery = { issuer: jobs.github.issuer, jwks_uri: `${jobs.github.issuer}/moved` };
  jobs.github.respondWith((response, url) =>
    response.end(JSON.stringify(url === "/jwks" ? served : url === "/moved" ? moved : discovery)),
  );
  minutes = 5;
  await expect(verify(jobs.github.idToken({ claims: claims() }))).resolves.toBeDefined();
  jobs.github.respondWith(undefined);
});
