import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { ConflictError } from "../../../functions/conflict.ts";
import { reinstateAccount, suspendAccount } from "../../../functions/domain/accounts/suspensions.ts";
import type { DeviceRequest } from "../../../functions/entities/grant.ts";
import { accountKey, grantKey, keys } from "../../../functions/table/keys.ts";
import { insertDeviceRequest } from "../../../functions/table/login/grants.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { useRecordedService } from "../../support/service/suite.ts";
import { removeItem, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * Grants of an account that is deleted or changes, and of several machines that wait.
 */
const service = useRecordedService();
const actors = actorsOf(service);
const client_id = "svc-cli";

function postForm(path: string, fields: Record<string, string>) {
  return actors.anonymous.send("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
}

const exchange = (grant: Record<string, string>) => postForm("/oauth/token", { client_id, ...grant });

async function approvedCode(person: Developer) {
  const code_verifier = randomBytes(32).toString("base64url");
  const redirect_uri = "http://127.0.0.1:49152/callback";
  const { body } = await person.post("/oauth/approvals", {
    client_id,
    redirect_uri,
    code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
    code_challenge_method: "S256",
    name: "laptop",
    scopes: ["publish"],
  });
  const code = String(new URL(body.redirect_to).searchParams.get("code"));
  return { grant_type: "authorization_code", code, redirect_uri, code_verifier };
}

async function approvedDevice(person: Developer) {
  const { device_code, user_code } = (await postForm("/oauth/device_authorization", { client_id })).body;
  await person.post(`/oauth/device/${user_code}`, { decision: "approve", name: "pi", scopes: ["publish"] });
  return { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code };
}

const grants: [string, (person: Developer) => Promise<Record<string, string>>][] = [
  ["an authorization code", approvedCode],
  ["a device", approvedDevice],
];

describe.each(grants)("%s that a developer approved, whose account is deleted then,", (_, approved) => {
  test.each([
    ["gets no token", undefined],
    ["gets no token of the account that the person has afterwards", { role: "dev" }],
  ])("%s", async (_, comesBack) => {
    const ada = await actors.developer();
    const grant = await approved(ada);
    expect((await ada.delete("/me")).status).toBe(204);
    if (comesBack) expect((await ada.post("/auth/session", comesBack)).status).toBe(201);
    expect(await exchange(grant)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

const revokeAll = async (person: Developer) => expect((await person.delete("/tokens")).status).toBe(200);
const suspend = async ({ uid }: Developer) => {
  Object.assign(process.env, functionEnvironment(service));
  const key = accountKey(service.issuer, uid);
  await suspendAccount(key, "malware", new Date());
  await reinstateAccount(key, new Date());
};

describe.each([
  ["an authorization code", approvedCode],
  ["a device", approvedDevice],
])("%s that a developer approved", (_, approved) => {
  test.each([
    ["all tokens are revoked", (ada: Developer) => ada.token().then(() => revokeAll(ada))],
    ["all tokens are revoked, of which there are none", revokeAll],
    ["the account is suspended, also when that is lifted", suspend],
  ])("gets no token once %s; what is approved afterwards does", async (_, end) => {
    const ada = await actors.developer();
    for (const _ of ["first", "second"]) {
      const grant = await approved(ada);
      await end(ada);
      expect(await exchange(grant)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
      expect(await exchange(await approved(ada))).toMatchObject({ status: 200 });
    }
  });
});

test("what is stored of a grant and of guesses says, in epoch seconds, when it ends", async () => {
  const ada = await actors.developer();
  const begunAt = Math.floor(Date.now() / 1_000);
  const code = grantKey((await approvedCode(ada)).code);
  const { device_code, user_code } = (await postForm("/oauth/device_authorization", { client_id })).body;
  await ada.get(`/oauth/device/${user_code}`);
  const lifetimeOf = async (key: { PK: string; SK: string }) =>
    Number((await storedItem(service, key))?.["ttl"]) - begunAt;
  const lookups = (period: number) => keys.codeLookups(accountKey(service.issuer, ada.uid), period);
  const atBeginning = Math.floor(begunAt / 600);
  // Ten minutes may have ended since then.
  const period = (await storedItem(service, lookups(atBeginning))) ? atBeginning : atBeginning + 1;
  const lifetimes = [
    [120, await lifetimeOf(keys.authorizationCode(code))],
    [600, await lifetimeOf(keys.deviceRequest(device_code.slice(0, 22)))],
    [(period + 2) * 600 - begunAt, await lifetimeOf(lookups(period))],
  ] as const;
  for (const [expected, stored] of lifetimes) expect(stored - expected).toBeLessThan(10);
  for (const [expected, stored] of lifetimes) expect(stored).toBeGreaterThanOrEqual(expected);
});

test("user codes use all their letters at every place", async () => {
  const userCodes: string[] = [];
  // One after the other: a busy machine refuses all at once.
  for (let count = 0; count < 100; count += 1) {
    const { status, body } = await postForm("/oauth/device_authorization", { client_id });
    expect(status).toBe(200);
    userCodes.push(body.user_code.replace("-", ""));
  }
  expect(new Set(userCodes).size).toBe(100);
  // With 20 letters, 100 codes miss five of them at a place once in 10^7 runs.
  for (let place = 0; place < 8; place += 1)
    expect(new Set(userCodes.map((code) => code[place])).size).toBeGreaterThan(15);
});

test("a token response is kept by no cache", async () => {
  const { status, headers } = await exchange(await approvedCode(await actors.developer()));
  expect(status).toBe(200);
  expect([headers.get("cache-control"), headers.get("pragma")]).toEqual(["no-store", "no-cache"]);
});

test.each([
  ["an authorization code", approvedCode, "revoked"],
  ["a device", approvedDevice, "active"],
])("%s that another exchange spends, while an exchange is retried, gives one token", async (_, approved, status) => {
  const ada = await actors.developer();
  const grant = await approved(ada);
  const account = keys.account(accountKey(service.issuer, ada.uid));
  await setAttribute(service, account, "activeTokens", { expired: "2020-01-01T00:00:00.000Z" });
  const changes = [
    { before: "TransactWriteItems", change: () => setAttribute(service, account, "activeTokens", {}) },
    { before: "BatchGetItem", change: async () => expect(await exchange(grant)).toMatchObject({ status: 200 }) },
  ];
  service.recorder.plan(({ operation }) => {
    if (operation !== changes[0]?.before) return undefined;
    return { kind: "overtaken", by: Promise.resolve(changes.shift()?.change()).then(() => undefined) };
  });
  const response = await exchange(grant);
  service.recorder.plan(undefined);
  expect(changes).toEqual([]);
  expect(response).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  expect((await ada.get("/tokens")).body.tokens).toMatchObject([{ status }]);
});

test("a device code that gave a token is refused after one read", async () => {
  const grant = await approvedDevice(await actors.developer());
  expect(await exchange(grant)).toMatchObject({ status: 200 });
  const calls = await service.recorder.during(async () => {
    expect(await exchange(grant)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
  expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem"]);
});

test("a device that polls too early must wait five seconds longer each time", async () => {
  const { device_code } = (await postForm("/oauth/device_authorization", { client_id })).body;
  const poll = () => exchange({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code });
  const errors = [(await poll()).body.error, (await poll()).body.error, (await poll()).body.error];
  expect(errors).toEqual(["authorization_pending", "slow_down", "slow_down"]);
  const stored = await storedItem(service, keys.deviceRequest(device_code.slice(0, 22)));
  expect(stored).toMatchObject({ intervalSeconds: 15 });
});

test("what a machine waits for is not stored again if it is deleted while the machine asks", async () => {
  const { device_code } = (await postForm("/oauth/device_authorization", { client_id })).body;
  const key = keys.deviceRequest(device_code.slice(0, 22));
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const response = await overtakenBy(service)(
    () => exchange({ grant_type, device_code }),
    () => removeItem(service, key),
  );
  expect(response).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
  expect(await storedItem(service, key)).toBeUndefined();
});

test("the same user code is given to one machine at a time, and to another when it has expired", async () => {
  Object.assign(process.env, functionEnvironment(service));
  const key = grantKey(randomUUID());
  const now = new Date();
  const ttl = Math.floor(now.getTime() / 1_000) + 600;
  const request = (tokenName: string): DeviceRequest => ({
    hash: createHash("sha256").update(tokenName).digest("base64"),
    tokenName,
    scopes: ["publish"],
    createdAt: now.toISOString(),
    intervalSeconds: 5,
    ttl,
  });
  await insertDeviceRequest(key, request("first"), now);
  await expect(insertDeviceRequest(key, request("second"), now)).rejects.toThrow(ConflictError);
  expect(await storedItem(service, keys.deviceRequest(key))).toMatchObject({ tokenName: "first" });
  await insertDeviceRequest(key, request("third"), new Date(ttl * 1_000));
  expect(await storedItem(service, keys.deviceRequest(key))).toMatchObject({ tokenName: "third" });
});
