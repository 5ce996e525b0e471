import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { IdentityProvider } from "../../support/identity/identity-provider.ts";
import { actorsOf, type Person } from "../../support/service/actors.ts";
import type { CheckedResponse } from "../../support/service/checked-request.ts";
import { duringTests } from "../../support/service/suite.ts";
import { startServiceWithProvider } from "../security/provider-service.ts";

/*
 * Each route is a function of its own with its own cached keys, so the first request to a route is a cold start.
 * functions/identity/signing-keys.test.ts tests the verification with a provider that fails; this file tests what a
 * caller sees.
 */
const service = duringTests(() => startServiceWithProvider());
const actors = actorsOf(service);
let provider: IdentityProvider;
let ada: Person;

beforeAll(async () => {
  ({ provider } = service);
  ada = await actors.developer();
});

afterEach(() => provider?.respondWith(undefined));

function isUnavailable({ status, headers, body }: CheckedResponse): void {
  expect({ status, code: body.code }).toEqual({ status: 503, code: "identity_provider_unavailable" });
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(headers.get("www-authenticate")).toBeNull();
}

/** Waits for more than the second in which a function requests no unknown key of the provider. */
const untilUnknownKeysAreAskedFor = () => delay(1_100);

const newKeyId = (sub: string) => provider.idToken({ claims: { sub }, header: { kid: `unknown-${Math.random()}` } });
const hangUp = (response: ServerResponse) => response.destroy();

describe("a provider that is down", () => {
  test("at a cold start responds with 503, and 200 once it is up again", async () => {
    provider.respondWith(hangUp);
    isUnavailable(await ada.get("/me/events"));
    provider.respondWith(undefined);
    expect((await ada.get("/me/events")).status).toBe(200);
  });

  test("does not affect a warm function's tokens with a known key; others get 503", async () => {
    expect((await ada.get("/me")).status).toBe(200);
    provider.respondWith(hangUp);
    expect((await ada.get("/me")).status).toBe(200);
    isUnavailable(await actors.bearer(newKeyId(ada.uid)).get("/me"));
    expect((await ada.get("/me")).status).toBe(200);
  });

  test("does not matter to personal access tokens, warm or cold", async () => {
    const token = await actors.token("publish");
    provider.respondWith(hangUp);
    expect((await token.get("/me")).status).toBe(200);
    expect((await token.get("/projects")).status).toBe(200);
  });

  test("creates no account and changes nothing", async () => {
    const eve = await actors.stranger();
    provider.rotate();
    const rotated = await actors.stranger({ sub: eve.uid });
    provider.respondWith(hangUp);
    isUnavailable(await rotated.post("/auth/session", { role: "dev" }));
    provider.respondWith(undefined);
    expect(await actors.anonymous.get(`/users/${eve.uid}`)).toMatchObject({ status: 404 });
    expect((await rotated.post("/auth/session")).status).toBe(201);
  });

  test("gets few requests for keys during a flood", async () => {
    provider.respondWith(hangUp);
    const before = provider.keyRequests;
    const startedAt = performance.now();
    for (let wave = 0; wave < 20; wave += 1)
      await Promise.all(Array.from({ length: 10 }, () => actors.bearer(newKeyId("flood")).get("/me")));
    // Three fetches, then one a second; each is tried twice.
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    expect(provider.keyRequests - before).toBeLessThanOrEqual(2 * (3 + seconds));
  });
});

describe("a provider that responds late", () => {
  test("by a second delays the response", async () => {
    provider.rotate();
    provider.respondWith((response) => {
      setTimeout(() => {
        provider.respondWith(undefined);
        response.end(JSON.stringify(provider.publishedKeys()));
      }, 1_000);
    });
    const rotated = await actors.stranger({ sub: ada.uid });
    expect((await rotated.get("/tokens")).status).toBe(200);
  });

  test("by more than that makes the response 503 before a deployed function would time out", async () => {
    provider.respondWith(() => undefined);
    provider.rotate();
    const rotated = await actors.stranger({ sub: ada.uid });
    const startedAt = performance.now();
    isUnavailable(await rotated.patch("/me", { name: "Late" }));
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    provider.respondWith(undefined);
    expect((await rotated.patch("/me", { name: "Late" })).status).toBe(200);
  });
});

const rubbish: [string, (response: ServerResponse) => void][] = [
  ["an HTML page", (response) => response.end("<html>Sorry</html>")],
  ["500", (response) => response.writeHead(500).end("{}")],
  ["404", (response) => response.writeHead(404).end("{}")],
  ["a redirect", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
  ["no keys", (response) => response.end('{"keys":[]}')],
  ["keys that are none", (response) => response.end('{"keys":[{"kid":1},null,"x"]}')],
  ["half of its keys", (response) => response.writeHead(200, { "content-length": "1000" }).end('{"keys":[')],
  ["2 MB", (response) => response.end(" ".repeat(2_000_000))],
];
test.each(rubbish)(
  "a provider that responds with %s causes 503 for unknown keys, and known ones still work",
  async (_, response) => {
    expect((await ada.get("/me")).status).toBe(200);
    await untilUnknownKeysAreAskedFor();
    provider.respondWith(response);
    const refused = await actors.bearer(newKeyId(ada.uid)).get("/me");
    isUnavailable(refused);
    expect(refused.body.detail).not.toMatch(/JSON|SyntaxError|at /);
    expect((await ada.get("/me")).status).toBe(200);
  },
);

describe("keys that rotate while the service runs", () => {
  test("accept old and new tokens as long as both keys are published", async () => {
    const old = await actors.stranger({ sub: ada.uid });
    expect((await old.get("/projects")).status).toBe(200);
    provider.rotate();
    const rotated = await actors.stranger({ sub: ada.uid });
    const waves = Array.from({ length: 5 }, () => Promise.all([old.get("/projects"), rotated.get("/projects")]));
    expect((await Promise.all(waves)).flat().map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  test("refuse old tokens in a function that starts after their key was withdrawn", async () => {
    const old = await actors.stranger({ sub: ada.uid });
    provider.rotate();
    provider.retireOldKeys();
    // No test before this one has called the route with an ID token, so that its function knows no key.
    const response = await old.delete("/tokens/any");
    expect(response).toMatchObject({ status: 401, body: { code: "id_token_invalid" } });
  });
});

test("a flood of unknown key ids is one fetch for each function, and good tokens pass meanwhile", async () => {
  await delay(5_100);
  const good = await actors.stranger({ sub: ada.uid });
  expect((await good.get("/me")).status).toBe(200);
  const before = provider.keyRequests;
  const startedAt = performance.now();
  const flood = Array.from({ length: 200 }, () => actors.bearer(newKeyId(ada.uid)).get("/me"));
  const between = Array.from({ length: 20 }, () => good.get("/me"));
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
  expect(new Set((await Promise.all(between)).map(({ status }) => status))).toEqual(new Set([200]));
  // One, and another one every five seconds.
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(provider.keyRequests - before).toBeLessThanOrEqual(1 + Math.floor(seconds / 5));
});
