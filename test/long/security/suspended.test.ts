import { describe, expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { suspendAccount as suspendAccountByOperator } from "../../../functions/domain/accounts/suspensions.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { actorsOf } from "../../support/service/actors.ts";
import type { CheckedResponse } from "../../support/service/checked-request.ts";
import { type Owner, operations, perform } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { newSlug } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../support/service/suite.ts";
import { everyItem, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * Accounts that the operator has suspended: every route with a credential, and every write of a request that is running. Of a suspended or
 * deleted project functions/domain/authorization.test.ts decides, by what contract/api/route-lists.test.ts has of each route.
 */
const service = useRecordedService();
const actors = actorsOf(service);
const ada = useOwner(service);
useFunctionEnvironment(service);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "phishing" };

const accountOf = (owner: Owner) => keys.account(accountKey(service.issuer, owner.uid));
const suspendAccount = (owner: Owner) => setAttribute(service, accountOf(owner), "suspension", suspension);
const overtaken = overtakenBy(service);

const closed = (Object.keys(routes) as RouteName[]).filter((name) => routes[name].credential !== "none");

test.each(closed)("%s by a suspended account is refused and changes nothing, unless it is allowed", async (name) => {
  const operation = await operations[name](ada);
  const token = await ada.token({ scopes: ["publish", "projects"] });
  const caller = routes[name].credential === "token" ? token : ada;
  await suspendAccount(ada);
  const before = await everyItem(service);
  const { status, body } = await perform(caller, operation);
  if ((routes[name] as Route).suspended === "allowed") return expect(status).toBeLessThan(300);
  const { credential } = routes[name] as Route;
  const refusal =
    credential === "grant"
      ? { status: 401, code: "telemetry_grant_invalid" }
      : { status: 403, code: "account_suspended" };
  expect({ status, code: body.code }).toEqual(refusal);
  return expect(await everyItem(service)).toEqual(before);
});

test("a token of a suspended account is refused too, and its public profile is not found", async () => {
  const token = await ada.token({ scopes: ["publish", "projects"] });
  await suspendAccount(ada);
  expect(await token.get("/projects")).toMatchObject({ status: 403, body: { code: "account_suspended" } });
  expect(await token.get("/me")).toMatchObject({ status: 200 });
  expect(await actors.anonymous.get(`/users/${ada.uid}`)).toMatchObject({ status: 404 });
});

describe("an account that is suspended meanwhile", () => {
  test.each([
    ["creates no project", () => ada.post("/projects", { slug: newSlug() })],
    ["creates no token", () => ada.post("/tokens", { name: "CI", scopes: ["publish"] })],
  ])("%s", async (_, request) => {
    const before = await everyItem(service);
    const response = await overtaken(request, () => suspendAccount(ada));
    expect(response).toMatchObject({ status: 403, body: { code: "account_suspended" } });
    expect(await everyItem(service)).toHaveLength(before.length);
  });

  test("gets no replacement of a token", async () => {
    const { id } = await ada.token();
    const request = () => ada.post(`/tokens/${id}/replacement`, {});
    const response = await overtaken(request, () => suspendAccount(ada));
    expect(response).toMatchObject({ status: 403, body: { code: "account_suspended" } });
  });
});

test.each([
  ["that is restored", () => ada.delete(`/projects/${ada.slug}`), () => ada.post(`/projects/${ada.slug}/restore`)],
  ["that is created", async () => undefined, () => ada.post("/projects", { slug: ada.slug.replace("game", "new") })],
])("a project %s while its account is being suspended is suspended with it", async (_, before, meanwhile) => {
  await before();
  let returned: Promise<CheckedResponse> | undefined;
  service.recorder.plan(({ operation }) => {
    if (operation !== "TransactWriteItems" || returned !== undefined) return undefined;
    returned = meanwhile();
    return { kind: "overtaken", by: returned.then(() => undefined) };
  });
  const key = accountKey(service.issuer, ada.uid);
  await suspendAccountByOperator(key, "phishing", new Date());
  service.recorder.plan(undefined);
  const slug = (await returned)?.body.slug;
  expect(await storedItem(service, keys.project(slug))).toMatchObject({
    ownerKey: key,
    suspension: { reason: "phishing", withAccount: true },
  });
});
