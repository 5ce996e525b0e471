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

test("a provider that responds with rubbish causes 503 for unknown keys, and known ones still work", async () => {
  expect((await ada.get("/me")).status).toBe(200);
  await untilUnknownKeysAreAskedFor();
  provider.respondWith((response) => response.end("<html>Sorry</html>"));
  const refused = await actors.bearer(newKeyId(ada.uid)).get("/me");
  isUnavailable(refused);
  expect(refused.body.detail).not.toMatch(/JSON|SyntaxError|at /);
  expect((await ada.get("/me")).status).toBe(200);
});

describe("keys that rotate while the service runs", () => {
  test("refuse old tokens in a function that starts after their key was withdrawn", async () => {
    const old = await actors.stranger({ sub: ada.uid });
    provider.rotate();
    provider.retireOldKeys();
    // No test before this one has called the route with an ID token, so that its function knows no key.
    const response = await old.delete("/tokens/any");
    expect(response).toMatchObject({ status: 401, body: { code: "id_token_invalid" } });
  });
});
