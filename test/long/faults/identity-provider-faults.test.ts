import type { ServerResponse } from "node:http";
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

const hangUp = (response: ServerResponse) => response.destroy();

describe("a provider that is down", () => {
  test("at a cold start responds with 503, and 200 once it is up again", async () => {
    provider.respondWith(hangUp);
    isUnavailable(await ada.get("/me/events"));
    provider.respondWith(undefined);
    expect((await ada.get("/me/events")).status).toBe(200);
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
