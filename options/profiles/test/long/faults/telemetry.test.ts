import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, type Key, keys } from "../../../../../functions/table/keys.ts";
import { actorsOf, type TokenActor } from "../../../../../test/support/service/actors.ts";
import { addMember } from "../../../../../test/support/service/operations.ts";
import { overtakenBy } from "../../../../../test/support/service/overtaken.ts";
import { publish } from "../../../../../test/support/service/steps.ts";
import { useOwner, useRecordedService } from "../../../../../test/support/service/suite.ts";
import { removeItem, setAttribute, storedItem } from "../../../../../test/support/table/stored.ts";
import { profileKeys } from "../../../functions/keys.ts";
import { marks, openPage, pageOf, type TelemetryPage } from "../../support/telemetry-page.ts";

/*
 * Changes of a grant's release or project between the read and the write of a request: the request is refused, as it would be a moment
 * later, and nothing is added.
 */
const service = useRecordedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service, ({ operation }) => operation === "TransactWriteItems");
afterEach(() => service.recorder.plan(undefined));

let token: TokenActor;
let page: TelemetryPage;
beforeEach(async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  token = await ada.token();
  await token.get("/me");
  page = await openPage(service, token, ada.slug);
});

const account = () => keys.account(accountKey(service.issuer, ada.uid));
const tokenKey = () => keys.token(accountKey(service.issuer, ada.uid), token.id);
const profile = () => profileKeys.profile(ada.slug, page.id);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };
const set = (key: Key, name: string, value: unknown) => setAttribute(service, key, name, value);
const records = async () => (await ada.get(`/projects/${ada.slug}/profiles/${page.id}`)).body.records;

const endings: [string, () => Promise<unknown>, (() => Promise<unknown>)?][] = [
  ["it is ended", () => ada.delete(`/projects/${ada.slug}/telemetry-grants/${page.id}`)],
  ["its token is revoked", () => ada.delete(`/tokens/${token.id}`)],
  ["its token expires", () => set(tokenKey(), "expiresAt", "2020-01-01T00:00:00.000Z")],
  ["all tokens are revoked", () => ada.delete("/tokens")],
  ["the account is suspended", () => set(account(), "suspension", suspension)],
  ["an epoch of the account changes", () => set(account(), "approvalEpoch", 7)],
  ["the project is suspended", () => set(keys.project(ada.slug), "suspension", suspension)],
  ["the project is deleted", () => set(keys.project(ada.slug), "deletedAt", suspension.at)],
  ["the project has another owner", () => set(keys.project(ada.slug), "ownerKey", "another")],
  ["the project was handed over and came back", () => set(keys.project(ada.slug), "publisherEpoch", 7)],
  ["the project was offline and is published again", () => set(keys.project(ada.slug), "offlineEpoch", 7)],
];

test.each(endings)("a grant takes nothing if meanwhile %s", async (_, end) => {
  const response = await overtaken(() => page.send(0, marks(2)), end);
  expect(response).toMatchObject({ status: 401, body: { code: "telemetry_grant_invalid" } });
  const stored = await storedItem(service, profile());
  expect(stored).toMatchObject({ bytes: 0, records: 0, pages: [] });
  expect(await storedItem(service, profileKeys.telemetry(ada.slug, page.id, 0))).toBeUndefined();
});

test("a grant whose item goes meanwhile takes nothing", async () => {
  const { grantKey } = (await storedItem(service, profile())) as { grantKey: string };
  const end = () => removeItem(service, profileKeys.telemetryGrant(grantKey));
  expect(await overtaken(() => page.send(0, marks(1)), end)).toMatchObject({ status: 401 });
  expect(await records()).toEqual([]);
});

test("the account that goes meanwhile takes its grants with it", async () => {
  expect(
    await overtaken(
      () => page.send(0, marks(1)),
      () => removeItem(service, account()),
    ),
  ).toMatchObject({ status: 401 });
  expect(await storedItem(service, profile())).toMatchObject({ records: 0 });
});

test("a profile that goes meanwhile takes nothing, and nothing of it is left", async () => {
  const gone = () => removeItem(service, profile());
  expect(await overtaken(() => page.send(0, marks(1)), gone)).toMatchObject({ status: 401 });
  expect(await storedItem(service, profile())).toBeUndefined();
});

test("the same request twice at once, and one of another page in between, count once", async () => {
  const again = await overtaken(
    () => page.send(0, marks(3)),
    () => page.send(0, marks(3)),
  );
  expect(again).toMatchObject({ status: 200, body: { received: 3 } });
  expect(await records()).toEqual(marks(3));
  const late = await overtaken(
    () => page.send(3, marks(1)),
    () => page.again().send(0, []),
  );
  expect(late).toMatchObject({ status: 409, body: { code: "profile_conflict" } });
  expect(await records()).toEqual(marks(3));
});

describe("making a grant", () => {
  const path = () => `/projects/${ada.slug}/telemetry-grants`;
  const count = async () => (await ada.get(`/projects/${ada.slug}/profiles`)).body.profiles.length;

  test.each<[string, () => Promise<unknown>, object]>([
    [
      "the account is suspended",
      () => set(account(), "suspension", suspension),
      { status: 403, body: { code: "account_suspended" } },
    ],
    [
      "the account is no developer any more",
      () => set(account(), "role", "user"),
      { status: 403, body: { code: "developer_required" } },
    ],
    [
      "the project has no room",
      () => set(keys.project(ada.slug), "usedBytes", 1e15),
      { status: 409, body: { code: "quota_exceeded" } },
    ],
    [
      "the owner has no room",
      () => set(keys.ledger(accountKey(service.issuer, ada.uid)), "usedBytes", 1e15),
      { status: 409, body: { code: "quota_exceeded" } },
    ],
    [
      "the game goes offline",
      () => ada.post(`/projects/${ada.slug}/unpublish`),
      { status: 404, body: { code: "release_not_found" } },
    ],
  ])("is refused if meanwhile %s", async (_, change, refusal) => {
    expect(await overtaken(() => token.post(path()), change)).toMatchObject(refusal);
    const { telemetryGrants } = (await storedItem(service, account())) as { telemetryGrants: object };
    expect(Object.keys(telemetryGrants)).toEqual([page.id]);
  });

  test("makes one that rests on the account as it is, if meanwhile all tokens are revoked", async () => {
    const { status, body } = await overtaken(
      () => ada.post(path()),
      () => ada.delete("/tokens"),
    );
    expect(status).toBe(201);
    const { origin, hash } = new URL(body.url);
    const [grant = ""] = hash.slice(1).split(".");
    expect((await pageOf(service, { id: body.profile.id, grant, origin }).send(0, marks(1))).status).toBe(200);
  });

  test("of racing calls ten succeed in all", async () => {
    const made = await Promise.all(Array.from({ length: 14 }, () => ada.post(path())));
    const statuses = made.map(({ status }) => status).filter((status) => status !== 503);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(9);
    expect(await count()).toBe(1 + statuses.filter((status) => status === 201).length);
    while ((await ada.post(path())).status === 201);
    expect(await count()).toBe(10);
    expect(await actorsOf(service).bearer(token.credential).post(path())).toMatchObject({ status: 409 });
  });
});

describe("ending a grant", () => {
  const path = () => `/projects/${ada.slug}/telemetry-grants`;

  test("whose profile goes meanwhile leaves nothing of it", async () => {
    const ended = await overtaken(
      () => ada.delete(`${path()}/${page.id}`),
      () => removeItem(service, profile()),
    );
    expect(ended).toMatchObject({ status: 404, body: { code: "profile_not_found" } });
    expect(await storedItem(service, profile())).toBeUndefined();
  });

  test("of two at once leaves no count behind", async () => {
    const other = (await ada.post(path())).body.profile.id;
    const end = (id: string) => ada.delete(`${path()}/${id}`);
    expect(
      (
        await overtaken(
          () => end(page.id),
          () => end(other),
        )
      ).status,
    ).toBe(204);
    expect(await storedItem(service, account())).toMatchObject({ telemetryGrants: {} });
  });

  test("whose maker's account goes meanwhile leaves nothing of it", async () => {
    const grace = await ada.otherDeveloper();
    await addMember(ada, ada.slug, grace, "publisher");
    const ended = await overtaken(
      () => grace.delete(`${path()}/${page.id}`),
      () => removeItem(service, account()),
    );
    expect(ended.status).toBe(204);
    expect(await storedItem(service, account())).toBeUndefined();
  });
});
