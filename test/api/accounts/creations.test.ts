import { expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { assertMayCreate } from "../../../functions/domain/accounts/creations.ts";
import type { Account } from "../../../functions/entities/account.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { newSlug } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

/* Limit of creations in a day: remains of ended tokens and projects are kept for long. */

const service = useService();
const actors = actorsOf(service);
const most = limits.creationsPerAccountAndDay;
const keyOf = ({ uid }: Developer) => keys.account(accountKey(service.issuer, uid));
const countOf = async (ada: Developer) =>
  ((await storedItem(service, keyOf(ada))) as Partial<Account> | undefined)?.creations?.count;
/** A day that no midnight ends during the test; a later one counts as today. */
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const today = () => new Date().toISOString().slice(0, 10);
const newToken = { name: "laptop", scopes: ["publish"] };

async function afterCreations(count: number, day = tomorrow()): Promise<Developer> {
  const ada = await actors.developer();
  await setAttribute(service, keyOf(ada), "creations", { day, count });
  return ada;
}

test("tokens, replacements and projects count, ended ones too", async () => {
  const ada = await actors.developer();
  const { body } = await ada.post("/tokens", newToken);
  expect(await countOf(ada)).toBe(1);
  await ada.post(`/tokens/${body.id}/replacement`, {});
  const slug = newSlug();
  await ada.post("/projects", { slug });
  await ada.delete("/tokens");
  await ada.delete(`/projects/${slug}`);
  expect(await countOf(ada)).toBe(3);
  expect(await storedItem(service, keyOf(ada))).toMatchObject({ creations: { day: today() } });
});

test.each<[string, (ada: Developer) => ReturnType<Developer["post"]>]>([
  ["a token", (ada) => ada.post("/tokens", newToken)],
  ["a project", (ada) => ada.post("/projects", { slug: newSlug() })],
])("%s can be the last one of a day, and then none is created until the next", async (_, create) => {
  const ada = await afterCreations(most - 1);
  expect((await create(ada)).status).toBe(201);
  const { status, headers, body } = await create(ada);
  expect({ status, code: body.code }).toEqual({ status: 429, code: "too_many_creations" });
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(86_000);
  expect(await countOf(ada)).toBe(most);
});

test("a replacement is refused too, and the token goes on working", async () => {
  const ada = await actors.developer();
  const token = await ada.token();
  await setAttribute(service, keyOf(ada), "creations", { day: tomorrow(), count: most });
  expect((await ada.post(`/tokens/${token.id}/replacement`, {})).body.code).toBe("too_many_creations");
  expect((await token.get("/me")).status).toBe(200);
});

test("the limit is exact for simultaneous creations", async () => {
  const ada = await afterCreations(most - 3);
  const responses = await Promise.all(Array.from({ length: 8 }, () => ada.post("/tokens", newToken)));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(await countOf(ada)).toBe(most);
});

test("a new day begins at none", async () => {
  const ada = await afterCreations(most, "2026-01-01");
  expect((await ada.post("/tokens", newToken)).status).toBe(201);
  expect(await countOf(ada)).toBe(1);
});

test.each([
  ["2026-11-22T23:59:59.001Z", 1],
  ["2026-11-22T00:00:00.000Z", 86_400],
])("at %s the next day begins in %i seconds", (now, seconds) => {
  const account = { creations: { day: "2026-11-22", count: most } } as Account;
  expect(() => assertMayCreate(account, new Date(now))).toThrow(
    expect.objectContaining({ code: "too_many_creations", retryAfterSeconds: seconds }),
  );
  expect(() => assertMayCreate(account, new Date("2026-11-23T00:00:00.000Z"))).not.toThrow();
});
