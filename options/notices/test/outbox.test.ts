import { describe, expect, test } from "@jest/globals";
import { oauthClientId } from "../../../contract/api/login/authorization-request.ts";
import { accountKeyOf } from "../../../contract/api/tokens/token-format.ts";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type TokenActor } from "../../../test/support/service/actors.ts";
import { newProject } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { waitingNotices } from "../../../test/support/table/outbox.ts";
import { copyToken, setAttribute, storedItem } from "../../../test/support/table/stored.ts";
import { time } from "../../../test/support/wire-time.ts";

/* The transaction of a change writes the notices about it. */

const service = useService();
const actors = actorsOf(service);

async function developerWithToken(): Promise<{ ada: Developer; token: TokenActor; accountKey: string }> {
  const ada = await actors.developer();
  const token = await ada.token();
  return { ada, token, accountKey: accountKeyOf(token.credential) };
}

/** The types of the notices of an account that wait, without those about an expiry. */
async function waiting(accountKey: string): Promise<string[]> {
  const notices = await waitingNotices(service, accountKey);
  return notices.map(({ type }) => String(type)).filter((type) => type !== "token_expiring");
}

async function expiries(accountKey: string) {
  return (await waitingNotices(service, accountKey)).filter(({ type }) => type === "token_expiring");
}

function tokenKey({ credential, id }: TokenActor) {
  return keys.token(accountKeyOf(credential), id);
}

async function setNetworks(token: TokenActor, networks: readonly string[]): Promise<void> {
  await setAttribute(service, tokenKey(token), "networks", networks);
}

test("a notice has only its event's id, type, time and token", async () => {
  const { ada, token, accountKey } = await developerWithToken();
  const { body } = await ada.get("/me/events");
  const [{ id, at }] = body.events.filter(({ type }: { type: string }) => type === "token_created");
  const [notice] = await waitingNotices(service, accountKey);
  expect(notice).toEqual({
    PK: expect.stringMatching(/^OUTBOX#[0-7]$/),
    SK: `${at}#${id}`,
    id,
    type: "token_created",
    at,
    accountKey,
    tokenId: token.id,
  });
});

test("events that need no immediate attention have no notice", async () => {
  const { ada, accountKey } = await developerWithToken();
  await newProject(ada);
  expect(await waiting(accountKey)).toEqual(["token_created"]);
});

test("a deleted project has a notice that names it", async () => {
  const { ada, accountKey } = await developerWithToken();
  const slug = await newProject(ada);
  await ada.delete(`/projects/${slug}`);
  expect(await waiting(accountKey)).toEqual(["token_created", "project_deleted"]);
  expect((await waitingNotices(service, accountKey))[1]).toMatchObject({ project: slug });
});

test("a revoked token has one notice, however often it is revoked; a disclosed one has two", async () => {
  const { ada, token, accountKey } = await developerWithToken();
  for (const _ of [1, 2]) await ada.delete(`/tokens/${token.id}`);
  expect(await waiting(accountKey)).toEqual(["token_created", "token_revoked"]);
  const leaked = await developerWithToken();
  for (const _ of [1, 2])
    await actors.anonymous.post("/tokens/disclosures", { tokens: [{ token: leaked.token.credential }] });
  expect((await waiting(leaked.accountKey)).toSorted()).toEqual(["token_created", "token_disclosed", "token_revoked"]);
});

describe("the expiry of a token", () => {
  test("has a notice from the token's creation on, due a week before", async () => {
    const { token, accountKey } = await developerWithToken();
    const { expiresAt } = (await storedItem(service, tokenKey(token))) as { expiresAt: string };
    const at = new Date(Date.parse(expiresAt) - 7 * 86_400_000).toISOString();
    expect(await expiries(accountKey)).toEqual([
      expect.objectContaining({ at, expiresAt, tokenId: token.id, SK: expect.stringMatching(`^${at}#`) }),
    ]);
  });

  test("has no notice for a token of at most a week, and one for a token of a day more", async () => {
    const ada = await actors.developer();
    const token = await ada.token({ expires_in_days: 7 });
    expect(await expiries(accountKeyOf(token.credential))).toEqual([]);
    await ada.token({ expires_in_days: 8 });
    expect(await expiries(accountKeyOf(token.credential))).toHaveLength(1);
  });

  test("of a replacement has a notice in place of the old token's", async () => {
    const { ada, token, accountKey } = await developerWithToken();
    const { body } = await ada.post(`/tokens/${token.id}/replacement`, {});
    expect((await expiries(accountKey)).map(({ tokenId }) => tokenId)).toEqual([body.id]);
    expect((await waiting(accountKey)).filter((type) => type === "token_created")).toHaveLength(2);
  });
});

describe("the notice of a token's expiry goes with the token that ends by", () => {
  const form = (body: Record<string, string>) => ({
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(body).toString(),
  });
  const endings: Record<string, (ada: Developer, token: TokenActor) => Promise<unknown>> = {
    "DELETE /tokens/:id": (ada, { id }) => ada.delete(`/tokens/${id}`),
    "DELETE /tokens": (ada) => ada.delete("/tokens"),
    "DELETE /tokens/current": (_, token) => token.delete("/tokens/current"),
    "POST /tokens/disclosures": (_, { credential }) =>
      actors.anonymous.post("/tokens/disclosures", { tokens: [{ token: credential }] }),
    "POST /oauth/revoke": (_, { credential }) =>
      actors.anonymous.send("POST", "/oauth/revoke", form({ client_id: oauthClientId, token: credential })),
    "DELETE /me": (ada) => ada.delete("/me"),
  };

  test.each(Object.entries(endings))("%s", async (_, end) => {
    const { ada, token, accountKey } = await developerWithToken();
    expect(await expiries(accountKey)).toHaveLength(1);
    await end(ada, token);
    expect(await expiries(accountKey)).toEqual([]);
  });

  test("DELETE /tokens, also for fifty, each with a notice of its revocation", async () => {
    const { ada, token, accountKey } = await developerWithToken();
    await copyToken(service, accountKey, token.id, 50);
    expect((await ada.delete("/tokens")).body).toEqual({ revoked: 50, publishers: [] });
    expect(await expiries(accountKey)).toEqual([]);
    expect((await waiting(accountKey)).filter((type) => type === "token_revoked")).toHaveLength(50);
  });
});

describe("the network that a token is used from", () => {
  test("is stored with the first use, and is in its event's notice", async () => {
    const { ada, token, accountKey } = await developerWithToken();
    await token.get("/me");
    const item = await storedItem(service, tokenKey(token));
    expect(item).toMatchObject({ networks: ["127.0.0.0/24"] });
    expect(await waitingNotices(service, accountKey)).toContainEqual(
      expect.objectContaining({ type: "token_first_used", network: "127.0.0.0/24" }),
    );
    const { body } = await ada.get("/me/events");
    expect(body.events[0]).toEqual({
      id: expect.any(String),
      type: "token_first_used",
      at: time,
      token_id: token.id,
      network: "127.0.0.0/24",
    });
  });

  test("has one notice if it is new, also within the hour in which uses are not recorded", async () => {
    const { ada, token, accountKey } = await developerWithToken();
    await token.get("/me");
    await setNetworks(token, ["192.0.2.0/24"]);
    for (const _ of [1, 2]) await token.get("/me");
    expect(await waiting(accountKey)).toEqual(["token_created", "token_first_used", "token_used_from_new_network"]);
    expect(await storedItem(service, tokenKey(token))).toMatchObject({ networks: ["192.0.2.0/24", "127.0.0.0/24"] });
    expect((await ada.get("/me/events")).body.events[0]).toMatchObject({ type: "token_used_from_new_network" });
  });

  test("has a notice up to the 20th, and later ones have none", async () => {
    const { token, accountKey } = await developerWithToken();
    await token.get("/me");
    const networks = (count: number) => Array.from({ length: count }, (_, index) => `192.0.${index}.0/24`);
    await setNetworks(token, networks(20));
    await token.get("/me");
    expect(await waiting(accountKey)).not.toContain("token_used_from_new_network");
    await setNetworks(token, networks(19));
    await token.get("/me");
    expect(await waiting(accountKey)).toContain("token_used_from_new_network");
  });
});
