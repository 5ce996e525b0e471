import { describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { waitingNotices } from "../../../test/support/table/outbox.ts";
import { removeItem, storeItems } from "../../../test/support/table/stored.ts";
import { deliverNotices } from "../functions/delivery.ts";
import { type Owner, useDeliveries } from "./support/deliveries.ts";
import { documentedNotice } from "./support/documented-notice.ts";

const { service, bus, deliver, developerWithTokens, takenOf, dueNotices } = useDeliveries();

describe("a due notice", () => {
  test("is sent to the stage's bus once, signed, in the form of the schema, and deleted", async () => {
    const owner = await developerWithTokens(1);
    await owner.ada.delete(`/tokens/${owner.ids[0]}`);
    await deliver();
    await deliver();
    const [entry] = bus.requests[0]?.entries ?? [];
    expect(entry).toMatchObject({ EventBusName: "svc-test", Source: "svc", DetailType: "token_created" });
    expect(bus.requests[0]?.headers).toMatchObject({
      "x-amz-target": "AWSEvents.PutEvents",
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=.*\/eu-central-1\/events\/aws4_request/),
    });
    const { body } = await owner.ada.get("/me/events");
    const told = body.events.filter(({ type }: { type: string }) => type.startsWith("token_")).toReversed();
    const hint = (await owner.ada.get(`/tokens/${owner.ids[0]}`)).body.hint;
    expect(takenOf(owner)).toEqual(
      told.map(({ id, type, at }: Record<string, string>) => ({
        version: 1,
        id,
        type,
        at,
        account: { uid: owner.ada.uid },
        token: { id: owner.ids[0], hint },
      })),
    );
    for (const notice of takenOf(owner)) documentedNotice.parse(notice);
    expect(await dueNotices(owner)).toEqual([]);
  });

  test("says where a token is used from, and no name, email address or secret", async () => {
    const owner = await developerWithTokens(1);
    const token = await owner.ada.token({ name: "Ada's laptop" });
    await token.get("/me");
    await deliver();
    expect(takenOf(owner).at(-1)).toMatchObject({ type: "token_first_used", network: "127.0.0.0/24" });
    const sent = JSON.stringify(bus.requests.map(({ entries }) => entries));
    for (const secret of [token.credential, owner.ada.email, "laptop", "Lovelace"]) expect(sent).not.toContain(secret);
  });
});

test("a run says how many were delivered, refused, and moved to the dead letters because they are older than a day", async () => {
  const [refused] = [await developerWithTokens(1), await developerWithTokens(1)];
  const [{ at, id }] = (await dueNotices(refused)) as [{ at: string; id: string }];
  const runAfter = (milliseconds: number) =>
    deliverNotices({
      send: async (notices) => new Set(notices.filter((notice) => notice.id === id).map((notice) => notice.id)),
      now: new Date(Date.parse(at) + milliseconds),
      hasTime: () => true,
    });
  const none = { delivered: 0, refused: 0, deadLettered: 0, unreadable: [] };
  expect(await runAfter(60_000)).toEqual({ ...none, delivered: 1, refused: 1 });
  expect(await runAfter(86_400_000)).toEqual({ ...none, refused: 1 });
  expect(await runAfter(86_400_001)).toEqual({ ...none, refused: 1, deadLettered: 1 });
  expect(await runAfter(86_400_001)).toEqual(none);
});

describe("the expiry of a token", () => {
  /** Lets a notice about an expiry be due now, with the token's own end or another. */
  async function dueExpiry(owner: Owner, expiresAt: string) {
    const [id = ""] = (await owner.ada.get("/tokens")).body.tokens.map((token: { id: string }) => token.id);
    const at = new Date().toISOString();
    const item = {
      id: `expiry-${id}`,
      type: "token_expiring",
      at,
      accountKey: owner.accountKey,
      tokenId: id,
      expiresAt,
    };
    await storeItems(service, [{ ...keys.notice(owner.accountKey, at, item.id), ...item }]);
    return id;
  }
  const expiryOf = async ({ ada }: Owner) => (await ada.get("/tokens")).body.tokens[0].expires_at;
  const told = (owner: Owner) => takenOf(owner).filter(({ type }) => type === "token_expiring");

  test("is sent once, a week before", async () => {
    const owner = await developerWithTokens(1);
    await deliver();
    expect(told(owner)).toEqual([]);
    const expiresAt = await expiryOf(owner);
    await dueExpiry(owner, expiresAt);
    await deliver();
    await deliver();
    expect(told(owner)).toEqual([expect.objectContaining({ expires_at: expiresAt })]);
    documentedNotice.parse(told(owner)[0]);
  });

  test.each([
    ["is revoked", async ({ ada }: Owner, id: string) => ada.delete(`/tokens/${id}`)],
    ["has another end by now", async ({ ada }: Owner, id: string) => ada.post(`/tokens/${id}/replacement`, {})],
    ["is gone", async ({ accountKey }: Owner, id: string) => removeItem(service, keys.token(accountKey, id))],
  ])("is not sent for a token that %s", async (_, change) => {
    const owner = await developerWithTokens(1);
    const id = await dueExpiry(owner, await expiryOf(owner));
    await change(owner, id);
    await deliver();
    expect(told(owner)).toEqual([]);
    expect((await waitingNotices(service, owner.accountKey)).filter((item) => item["id"] === `expiry-${id}`)).toEqual(
      [],
    );
  });
});
