import { expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { approvalOf, discoverOauthClient } from "../../support/identity/oauth-client.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

/*
 * A stage that limits how long a token lives.
 */
const service = useService({ env: { MAX_TOKEN_DAYS: "30" } });
const actors = actorsOf(service);
const day = 86_400_000;
const request = { name: "CI", scopes: ["publish"] };

const daysLeft = (expiresAt: string) => Math.round((Date.parse(expiresAt) - Date.now()) / day);
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

async function approve(ada: Developer, changes: object) {
  const client = await discoverOauthClient(service.api);
  const { verifier, url } = await client.authorizationRequest();
  const { status, body } = await ada.post("/oauth/approvals", approvalOf(url, changes));
  return { status, body, exchange: async () => await client.exchange(new URL(body.redirect_to), verifier) };
}

test("a token without an expiry gets the stage's longest lifetime, one as long is created", async () => {
  const ada = await actors.developer();
  for (const expiry of [{}, { expires_in_days: 30 }, { expires_at: inDays(29.9) }]) {
    const { status, body } = await ada.post("/tokens", { ...request, ...expiry });
    expect([status, daysLeft(body.expires_at)]).toEqual([201, 30]);
  }
});

const refused = (pointer: string) => ({
  status: 422,
  body: { code: "validation_failed", errors: [{ pointer, detail: expect.stringContaining("at most 30") }] },
});

test.each([
  [
    "a token for 31 days",
    "/expires_in_days",
    (ada: Developer) => ada.post("/tokens", { ...request, expires_in_days: 31 }),
  ],
  [
    "a token until a time in 31 days",
    "/expires_at",
    (ada: Developer) => ada.post("/tokens", { ...request, expires_at: inDays(31) }),
  ],
  [
    "a replacement for 31 days",
    "/expires_in_days",
    async (ada: Developer) => ada.post(`/tokens/${(await ada.token()).id}/replacement`, { expires_in_days: 31 }),
  ],
  [
    "the approval of a command line for 31 days",
    "/expires_in_days",
    (ada: Developer) => approve(ada, { expires_in_days: 31 }),
  ],
  [
    "the approval of a device for 31 days",
    "/expires_in_days",
    async (ada: Developer) => {
      const { body } = await actors.anonymous.send("POST", "/oauth/device_authorization", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "client_id=svc-cli",
      });
      return await ada.post(`/oauth/device/${body.user_code}`, {
        ...request,
        decision: "approve",
        expires_in_days: 31,
      });
    },
  ],
])("%s is refused", async (_, pointer, ask) => {
  expect(await ask(await actors.developer())).toMatchObject(refused(pointer));
});

test("what is approved without a lifetime gets the stage's longest one", async () => {
  const ada = await actors.developer();
  const { expires_in: seconds } = await (await approve(ada, { expires_in_days: undefined })).exchange();
  expect(Math.round((seconds ?? 0) / 86_400)).toBe(30);
});

test("a token from before the limit goes on working, and its replacement has the limit", async () => {
  const ada = await actors.developer();
  const old = await ada.token();
  const account = accountKey(service.issuer, ada.uid);
  await setAttribute(service, keys.token(account, old.id), "expiresAt", inDays(200));
  await setAttribute(service, keys.account(account), "activeTokens", { [old.id]: inDays(200) });
  expect((await old.get("/me")).status).toBe(200);
  const { status, body } = await ada.post(`/tokens/${old.id}/replacement`);
  expect([status, daysLeft(body.expires_at)]).toEqual([201, 30]);
});
