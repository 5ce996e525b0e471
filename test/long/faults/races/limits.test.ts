import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Person } from "../../../support/service/actors.ts";
import { newSlug } from "../../../support/service/steps.ts";
import { useService } from "../../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../../support/table/stored.ts";

const service = useService();
const actors = actorsOf(service);

function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

test("two racing upgrades leave one developer record", async () => {
  await times(20, async () => {
    const ada = await actors.user();
    const [first, second] = await times(2, () => ada.post("/auth/session", { role: "dev" }));
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect(first?.body.developer).toEqual(second?.body.developer);
    const { body } = await ada.get("/me/events");
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(["role_upgraded", "account_created"]);
  });
});

test("100 simultaneous creations leave exactly 50 active tokens", async () => {
  const ada = await actors.developer();
  const create = () => ada.post("/tokens", { name: "CI", scopes: ["publish"] });
  const responses = await times(100, create);
  let created = responses.filter(({ status }) => status === 201);
  const refused = responses.filter(({ status }) => status !== 201);
  for (const { status, body } of refused)
    expect([`${status} ${body.code}`]).toContainEqual(
      expect.stringMatching(/^(409 token_limit_reached|503 temporarily_unavailable)$/),
    );
  const unavailable = refused.filter(({ status }) => status === 503);
  expect(unavailable.length).toBeLessThanOrEqual(20);
  while (created.length < 50) created = [...created, await create()].filter(({ status }) => status === 201);
  expect(created).toHaveLength(50);
  expect(await create()).toMatchObject({ status: 409, body: { code: "token_limit_reached" } });

  const { body } = await ada.get("/tokens");
  expect(body.tokens.filter(({ status }: { status: string }) => status === "active")).toHaveLength(50);
  await ada.delete(`/tokens/${created[0]?.body.id}`);
  const again = await times(2, create);
  expect(again.map(({ status }) => status).sort()).toEqual([201, 409]);
});

test("expired tokens do not count against the limit, also with simultaneous creations", async () => {
  const ada = await actors.developer();
  const create = () => ada.post("/tokens", { name: "CI", scopes: ["publish"] });
  const ids: string[] = [];
  while (ids.length < 50) ids.push((await ada.token()).id);
  for (const id of ids.slice(0, 3)) await endTime(ada, id);
  const responses = await times(8, create);
  const statuses = responses.map(({ status }) => status);
  while (statuses.includes(503)) statuses.splice(statuses.indexOf(503), 1, (await create()).status);
  expect(statuses.sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  const { body } = await ada.get("/tokens");
  const active = body.tokens.filter(({ status }: { status: string }) => status === "active");
  const account = await storedItem(service, keys.account(accountKey(service.issuer, ada.uid)));
  expect(Object.keys(account?.["activeTokens"] as object).sort()).toEqual(
    active.map(({ id }: { id: string }) => id).sort(),
  );
  expect(active).toHaveLength(50);
});

test("of two racing developers one gets the slug", async () => {
  const developers = await times(2, () => actors.developer());
  const slugs = Array.from({ length: 10 }, newSlug);
  for (const slug of slugs) {
    const responses = await Promise.all(developers.map((developer) => developer.post("/projects", { slug })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  }
  const counts = await times(2, (index) =>
    storedItem(service, keys.account(accountKey(service.issuer, developers[index]?.uid ?? ""))),
  );
  expect(counts.reduce((sum, account) => sum + Number(account?.["projectCount"]), 0)).toBe(slugs.length);
});

test("60 simultaneous creations of projects end at exactly 50 projects", async () => {
  const ada = await actors.developer();
  const create = () => ada.post("/projects", { slug: newSlug() });
  const responses = await times(60, create);
  let created = responses.filter(({ status }) => status === 201).length;
  for (const { status, body } of responses.filter(({ status }) => status !== 201))
    expect([`${status} ${body.code}`]).toContainEqual(
      expect.stringMatching(/^(409 project_limit_reached|503 temporarily_unavailable)$/),
    );
  while (created < 50 && (await create()).status === 201) created += 1;
  expect(created).toBe(50);
  expect(await create()).toMatchObject({ status: 409, body: { code: "project_limit_reached" } });
  const { body } = await ada.get("/projects");
  expect(body.projects).toHaveLength(50);
  expect(await storedItem(service, keys.account(accountKey(service.issuer, ada.uid)))).toMatchObject({
    projectCount: 50,
  });
});

/** Makes a token expire, in its own item and in the account's count. */
async function endTime({ uid }: Person, tokenId: string): Promise<void> {
  const account = accountKey(service.issuer, uid);
  const past = new Date(Date.now() - 1_000).toISOString();
  await setAttribute(service, keys.token(account, tokenId), "expiresAt", past);
  await service.table.send(
    new UpdateCommand({
      TableName: service.tableName,
      Key: keys.account(account),
      UpdateExpression: "SET activeTokens.#id = :past",
      ExpressionAttributeNames: { "#id": tokenId },
      ExpressionAttributeValues: { ":past": past },
    }),
  );
}
