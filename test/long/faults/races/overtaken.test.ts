import { afterEach, describe, expect, test } from "@jest/globals";
import { accountKey, type Key, keys } from "../../../../functions/table/keys.ts";
import { actorsOf } from "../../../support/service/actors.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { manifestOf, openRelease, publish } from "../../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { itemsOf, removeItem, setAttribute, storedItem } from "../../../support/table/stored.ts";

/*
 * Changes between the read and the write of a request, and failures meanwhile.
 */
const service = useRecordedService();
const actors = actorsOf(service);
const ada = useOwner(service);

afterEach(() => service.recorder.plan(undefined));

const set = (key: Key, attribute: string, value: unknown) => setAttribute(service, key, attribute, value);

const overtaken = overtakenBy(service);

test("the sweep ends a release: a rollback to it is refused, and the release is not stored again", async () => {
  const first = await publish(ada, ada.slug, { "index.html": "1" });
  const second = await publish(ada, ada.slug, { "index.html": "2" });
  const response = await overtaken(
    () => ada.post(`/projects/${ada.slug}/releases/${first}/publish`),
    () => removeItem(service, keys.release(ada.slug, first)),
  );
  expect(response).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  expect(await storedItem(service, keys.release(ada.slug, first))).toBeUndefined();
  expect(await storedItem(service, keys.project(ada.slug))).toMatchObject({ currentRelease: { id: second } });
});

test("a release goes live: another open release keeps its manifest", async () => {
  const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
  const items = await itemsOf(service, keys.project(ada.slug).PK);
  const { PK, SK } = items.find((item) => String(item["SK"]).startsWith("MANIFEST#")) as { PK: string; SK: string };
  await set({ PK, SK }, "releaseId", "another");
  const response = await ada.post(`/projects/${ada.slug}/releases/${body.release.id}/publish`);
  expect(response).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
  expect(await storedItem(service, { PK, SK })).toMatchObject({ releaseId: "another" });
  expect((await ada.get(`/projects/${ada.slug}`)).body.current_release).toBeNull();
});

test("a deletion intent is written and a release goes live: a release that is opened is compared with that one", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  let live = "";
  const response = await overtaken(
    () => ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": "3" }) }),
    async () => {
      live = await publish(ada, ada.slug, { "index.html": "2", "more.txt": "2" });
      await set(keys.project(ada.slug), "epoch", 1);
    },
  );
  expect(response).toMatchObject({
    status: 201,
    body: { current_release: live, changed: { paths: ["index.html"] }, removed: { paths: ["more.txt"] } },
  });
});

describe("DELETE /tokens", () => {
  test("counts what it has revoked itself, if one of the tokens is revoked meanwhile", async () => {
    const bob = await actors.developer();
    const [{ id }] = [await bob.token(), await bob.token(), await bob.token()];
    const response = await overtaken(
      () => bob.delete("/tokens"),
      () => bob.delete(`/tokens/${id}`),
    );
    expect(response).toMatchObject({ status: 200, body: { revoked: 2 } });
  });

  test("gives up if the tokens change before each of ten attempts", async () => {
    const bob = await actors.developer();
    const account = keys.account(accountKey(service.issuer, bob.uid));
    let attempts = 0;
    service.recorder.plan(({ operation }) => {
      if (operation !== "TransactWriteItems") return undefined;
      attempts += 1;
      const tokens = Array.from({ length: attempts }, (_, index) => [`t${index}`, "2999-01-01T00:00:00.000Z"]);
      return { kind: "overtaken", by: set(account, "activeTokens", Object.fromEntries(tokens)) };
    });
    expect(await bob.delete("/tokens")).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
    expect(attempts).toBe(10);
  });
});

test("the same person signs in for the first time: both sign-ins find one account", async () => {
  const carol = await actors.stranger();
  const signIn = () => carol.post("/auth/session");
  const responses: unknown[] = [];
  responses.push((await overtaken(signIn, async () => responses.push((await signIn()).status))).status);
  expect(responses).toEqual([201, 200]);
  const items = await itemsOf(service, keys.account(accountKey(service.issuer, carol.uid)).PK);
  expect(items.filter(({ type }) => type === "account_created")).toHaveLength(1);
});

test("two requests use a token for the first time: its first use is recorded once", async () => {
  const token = await ada.token();
  const response = await overtaken(
    () => token.get("/me"),
    () => token.get("/me"),
  );
  expect(response.status).toBe(200);
  const events = (await itemsOf(service, keys.account(accountKey(service.issuer, ada.uid)).PK)).filter(
    ({ type }) => type === "token_first_used",
  );
  expect(events).toMatchObject([{ tokenId: token.id }]);
});

test("two requests use a token from the same new network: it is recorded once", async () => {
  const token = await ada.token();
  await token.get("/me");
  const key = keys.token(accountKey(service.issuer, ada.uid), token.id);
  await set(key, "networks", ["192.0.2.0/24"]);
  const response = await overtaken(
    () => token.get("/me"),
    () => token.get("/me"),
  );
  expect(response.status).toBe(200);
  expect(await storedItem(service, key)).toMatchObject({ networks: ["192.0.2.0/24", "127.0.0.0/24"] });
  const { body } = await ada.get("/me/events");
  const types = body.events.map(({ type }: { type: string }) => type);
  expect(types.filter((type: string) => type === "token_used_from_new_network")).toHaveLength(1);
});

describe("a token is erased with its account:", () => {
  test("what it was about to change stays as it is", async () => {
    const token = await ada.token();
    await token.get("/me");
    const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
    const response = await overtaken(
      () => token.post(`/projects/${ada.slug}/releases/${body.release.id}/publish`),
      () => removeItem(service, keys.token(accountKey(service.issuer, ada.uid), token.id)),
    );
    expect(response).toMatchObject({ status: 401, body: { code: "token_invalid" } });
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release).toBeNull();
  });

  test("it gets no upload URL, if that was after its request had found the release", async () => {
    const token = await ada.token();
    await token.get("/me");
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": "1" }) });
    let erasure: Promise<void> | undefined;
    service.recorder.plan(({ operation, input }) => {
      const read = operation === "BatchGetItem" ? keysOf(input) : [];
      // The read of the caller has the account too.
      if (erasure !== undefined || !read[0]?.startsWith("TOKEN#") || read.includes("ACCOUNT")) return undefined;
      erasure = eraseAccount();
      return { kind: "overtaken", by: erasure };
    });
    const path = `/projects/${ada.slug}/releases/${body.release.id}/uploads`;
    const response = await token.post(path, { sha256: body.missing });
    expect(erasure).toBeDefined();
    expect(response).toMatchObject({ status: 401, body: { code: "token_invalid" } });
  });

  /** The sort keys that a BatchGetItem reads. */
  function keysOf(input: { RequestItems: Record<string, { Keys: { SK: { S: string } }[] }> }): string[] {
    return Object.values(input.RequestItems).flatMap(({ Keys }) => Keys.map(({ SK }) => SK.S));
  }

  async function eraseAccount(): Promise<void> {
    expect((await ada.delete(`/projects/${ada.slug}`)).status).toBe(200);
    expect((await ada.delete("/me")).status).toBe(204);
  }
});
