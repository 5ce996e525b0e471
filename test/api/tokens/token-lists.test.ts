import { expect, test } from "@jest/globals";
import { newId } from "../../../functions/table/ids.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useRecordedService } from "../../support/service/suite.ts";
import { removeItem, setAttribute, storedItem, storeItems } from "../../support/table/stored.ts";

const service = useRecordedService();
const actors = actorsOf(service);

const keyOf = ({ uid }: Developer) => accountKey(service.issuer, uid);

/** The ids that a list has, page by page. */
async function listed(person: Developer, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const { status, body } = await person.get(`/tokens?${query}${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    ids.push(...body.tokens.map(({ id }: { id: string }) => id));
    if (body.next_cursor === null) return ids;
    cursor = body.next_cursor;
  }
}

/** A developer with two active tokens, a revoked one, and one that has expired but still takes a place among the active ones. */
async function withTokens() {
  const ada = await actors.developer();
  const [first, second, revoked, expired] = [
    await ada.token(),
    await ada.token(),
    await ada.token(),
    await ada.token(),
  ];
  await ada.delete(`/tokens/${revoked.id}`);
  const past = new Date(Date.now() - 1_000).toISOString();
  const { activeTokens } = (await storedItem(service, keys.account(keyOf(ada)))) as { activeTokens: object };
  await setAttribute(service, keys.account(keyOf(ada)), "activeTokens", { ...activeTokens, [expired.id]: past });
  await setAttribute(service, keys.token(keyOf(ada), expired.id), "expiresAt", past);
  return { ada, active: [second.id, first.id], inactive: [expired.id, revoked.id] };
}

test("?status=active lists the active tokens, the newest first, and ?status=inactive the others", async () => {
  const { ada, active, inactive } = await withTokens();
  expect(await listed(ada, "status=active")).toEqual(active);
  expect(await listed(ada, "status=inactive")).toEqual(inactive);
  for (const [status, ids] of [["active", active] as const, ["inactive", inactive] as const])
    expect((await listed(ada, `status=${status}&limit=1`)).toSorted()).toEqual(ids.toSorted());
  expect(await ada.get("/tokens?status=revoked")).toMatchObject({ status: 400, body: { code: "invalid_parameters" } });
});

test("an account with the role user has an empty list", async () => {
  const user = await actors.user();
  for (const query of ["", "?status=active", "?status=inactive", "?limit=1"])
    expect(await user.get(`/tokens${query}`)).toMatchObject({ status: 200, body: { tokens: [], next_cursor: null } });
});

test("a thousand revoked tokens do not hide the active ones, which need one read", async () => {
  const { ada, active } = await withTokens();
  const token = await storedItem(service, keys.token(keyOf(ada), active[0] ?? ""));
  const at = new Date().toISOString();
  const revoked = Array.from({ length: 1_000 }, () => {
    const id = newId(new Date(0));
    return { ...token, ...keys.token(keyOf(ada), id), id, revokedAt: at };
  });
  await storeItems(service, revoked);
  const calls = await service.recorder.during(async () => {
    expect(await listed(ada, "status=active")).toEqual(active);
  });
  expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem", "BatchGetItem"]);
  expect(await listed(ada, "status=inactive")).toHaveLength(1_002);
});

test("a token that is revoked or erased while the active ones are read is not among them", async () => {
  const { ada, active } = await withTokens();
  const [gone, kept] = active;
  await setAttribute(service, keys.token(keyOf(ada), gone ?? ""), "revokedAt", new Date().toISOString());
  expect(await listed(ada, "status=active")).toEqual([kept]);
  await removeItem(service, keys.token(keyOf(ada), kept ?? ""));
  expect(await listed(ada, "status=active")).toEqual([]);
});

test("the cursor of one list is refused by the others", async () => {
  const { ada } = await withTokens();
  const lists = ["status=active", "status=inactive", ""];
  for (const from of lists) {
    const { next_cursor: cursor } = (await ada.get(`/tokens?limit=1&${from}`)).body;
    for (const to of lists)
      expect((await ada.get(`/tokens?cursor=${cursor}&${to}`)).status).toBe(to === from ? 200 : 400);
  }
});
