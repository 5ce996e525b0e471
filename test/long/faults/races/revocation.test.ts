import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../functions/table/keys.ts";
import type { TokenActor } from "../../../support/service/actors.ts";
import type { CheckedResponse } from "../../../support/service/checked-request.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { startRecordedService } from "../../../support/service/recorded-service.ts";
import { manifestOf, newSlug, openRelease, publish } from "../../../support/service/steps.ts";
import { duringTests, useOwner } from "../../../support/service/suite.ts";
import { startRecordedStore } from "../../../support/store/store-recorder.ts";
import { endLife, everyItem, itemsOf, setAttribute } from "../../../support/table/stored.ts";

/*
 * A token that is revoked or expires while a request with it runs: the change of that request must not happen.
 */
const store = duringTests(startRecordedStore);
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const ada = useOwner(service);
const overtaken = overtakenBy(service);
let token: TokenActor;

beforeEach(async () => {
  token = await ada.token({ scopes: ["publish", "projects"] });
  await token.get("/me");
});

afterEach(() => {
  service.recorder.plan(undefined);
  store.plan(undefined);
});

const revoke = async () => expect((await ada.delete(`/tokens/${token.id}`)).status).toBe(204);

/** Lets the token expire now, which no route does. */
function expire(): Promise<void> {
  const key = keys.token(accountKey(service.issuer, ada.uid), token.id);
  return setAttribute(service, key, "expiresAt", "2020-01-01T00:00:00.000Z");
}

const files = manifestOf({ "index.html": "next" });

/** Every change that a token may make, each ready to be sent. */
const changes: Record<string, () => Promise<() => Promise<CheckedResponse>>> = {
  "creates no project": async () => () => token.post("/projects", { slug: newSlug() }),
  "edits no project": async () => () => token.patch(`/projects/${ada.slug}`, { name: "Theirs" }),
  "opens no release": async () => () => token.post(`/projects/${ada.slug}/releases`, { files }),
  "opens no release that expects no live one": async () => () =>
    token.post(`/projects/${ada.slug}/releases`, { files, expect_current: null }),
  "gives an open release no more time": async () => {
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
    const partition = keys.project(ada.slug).PK;
    for (const { SK } of (await itemsOf(service, partition)).filter(({ ttl }) => ttl !== undefined))
      await endLife(service, { PK: partition, SK: String(SK) }, 86_400);
    expect(body.release.status).toBe("open");
    return () => token.post(`/projects/${ada.slug}/releases`, { files });
  },
  "publishes nothing": async () => {
    const { body } = await openRelease(ada, ada.slug, { "index.html": "next" });
    return () => token.post(`/projects/${ada.slug}/releases/${body.release.id}/publish`);
  },
  "rolls nothing back": async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    await publish(ada, ada.slug, { "index.html": "2" });
    return () => token.post(`/projects/${ada.slug}/releases/${first}/publish`);
  },
};

describe.each([
  ["revoked", revoke],
  ["expired", expire],
])("a token that is %s between the read and the write of its request", (end, by) => {
  test.each(Object.entries(changes))("%s", async (_, prepare) => {
    const request = await prepare();
    let before: unknown;
    const response = await overtaken(request, async () => {
      await by();
      before = await everyItem(service);
    });
    expect(response).toMatchObject({ status: 401, body: { code: `token_${end}` } });
    expect(await everyItem(service)).toEqual(before);
  });
});

test("a token that is revoked while the store is slow publishes nothing, and the revocation does not wait", async () => {
  const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
  const revoked = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<void>();
  store.plan(() => {
    asked.resolve();
    return revoked.promise;
  });
  const publishing = token.post(`/projects/${ada.slug}/releases/${body.release.id}/publish`);
  await asked.promise;
  await revoke();
  revoked.resolve(undefined);
  expect(await publishing).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  expect((await ada.get(`/projects/${ada.slug}`)).body.current_release).toBeNull();
});

test("a change by token is made before the token's use is recorded, and both succeed", async () => {
  const fresh = await ada.token({ scopes: ["publish", "projects"] });
  const calls = await service.recorder.during(() => fresh.patch(`/projects/${ada.slug}`, { name: "Ours" }));
  const writes = calls.filter(({ operation }) => operation === "TransactWriteItems");
  expect(writes).toHaveLength(2);
  const [change, note] = writes;
  expect(note?.startedAt).toBeGreaterThanOrEqual(change?.endedAt ?? Infinity);
  expect((await ada.get(`/projects/${ada.slug}`)).body.name).toBe("Ours");
});
