import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";
import { useEmptiedService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, itemsOf, setAttribute, storeItems } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

/*
 * Changes between the read and the write of DELETE /me, and failures in it.
 */
const service = useEmptiedService();
const actors = actorsOf(service);
const overtaken = overtakenBy(service);
let ada: Developer;

beforeEach(async () => {
  ada = await actors.developer();
});

const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
const itemsOfAccount = (person: Person) => itemsOf(service, keys.account(keyOf(person)).PK);
const deleteMe = () => ada.delete("/me");

describe("DELETE /me", () => {
  test.each([
    ["a project is created", () => newProject(ada), { status: 409, body: { code: "projects_left" } }],
    [
      "the operator suspends it",
      () =>
        setAttribute(service, keys.account(keyOf(ada)), "suspension", {
          at: "2026-01-01T00:00:00.000Z",
          reason: "phishing",
        }),
      { status: 403, body: { code: "account_suspended" } },
    ],
  ])("keeps the account if meanwhile %s", async (_, meanwhile, refusal) => {
    const token = await ada.token();
    expect(await overtaken(deleteMe, meanwhile)).toMatchObject(refusal);
    expect(await token.get("/me")).toMatchObject({ status: 200 });
  });

  test.each([
    ["token", () => ada.post("/tokens", { name: "CI", scopes: ["publish"] })],
    ["project", () => ada.post("/projects", { slug: newSlug() })],
  ])("gives no %s of an earlier request to the next account of the same person, who is a user", async (_, request) => {
    const meanwhile = async () => {
      await deleteMe();
      await ada.post("/auth/session", {});
    };
    expect(await overtaken(request, meanwhile)).toMatchObject({ status: 403, body: { code: "developer_required" } });
    expect(await itemsOfAccount(ada)).toHaveLength(3);
  });

  test("also ends tokens that are created or revoked meanwhile", async () => {
    const tokens = [await ada.token(), await ada.token()];
    const meanwhile = async () => {
      tokens.push(await ada.token());
      await ada.delete(`/tokens/${tokens[0]?.id}`);
    };
    expect(await overtaken(deleteMe, meanwhile)).toMatchObject({ status: 204 });
    for (const token of tokens) expect(await token.get("/me")).toMatchObject({ status: 401 });
    expect(await itemsOfAccount(ada)).toHaveLength(1);
  });

  test("happens once for two simultaneous requests", async () => {
    expect(await overtaken(deleteMe, deleteMe)).toMatchObject({ status: 204 });
    expect(await itemsOfAccount(ada)).toMatchObject([{ deletedAt: time }]);
  });

  test("erases more events than one page of a read", async () => {
    const { PK } = keys.account(keyOf(ada));
    const ids = Array.from({ length: 1_100 }, (_, index) => String(index).padStart(22, "0"));
    await storeItems(
      service,
      ids.map((id) => ({ PK, SK: `EVENT#${id}` })),
    );
    expect(await deleteMe()).toMatchObject({ status: 204 });
    expect(await itemsOfAccount(ada)).toHaveLength(1);
  });

  test("continues after deletions that were unprocessed; the person cannot sign up before it has ended", async () => {
    const token = await ada.token();
    service.recorder.plan(({ operation }) => (operation === "BatchWriteItem" ? { kind: "unprocessed" } : undefined));
    expect(await deleteMe()).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
    service.recorder.plan(undefined);
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_invalid" } });
    expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 409,
      body: { code: "account_erasure_unfinished" },
    });
    expect(await deleteMe()).toMatchObject({ status: 204 });
    expect(await itemsOfAccount(ada)).toMatchObject([{ deletedAt: time }]);
    expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject({ status: 201 });
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
