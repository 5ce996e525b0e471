import { describe, expect, test } from "@jest/globals";
import { accountKey, type Key, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import type { CheckedResponse } from "../../support/service/checked-request.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { manifestOf, newSlug, openRelease } from "../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../support/service/suite.ts";
import { endLife, removeItem, setAttribute, storedItem } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";

/*
 * Contention that two requests cannot bring about reliably: the table changes between a request's read and its write. Then the conditions
 * of the writes decide, not the data that was read.
 */
const service = useRecordedService();
const _actors = actorsOf(service);
const ada = useOwner(service);
const overtaken = overtakenBy(service);

function accountOf({ uid }: { uid: string }): string {
  return accountKey(service.issuer, uid);
}

function set(key: Key, attribute: string, value: unknown): Promise<void> {
  return setAttribute(service, key, attribute, value);
}

describe("between the read and the write of a request", () => {
  test("another release goes live: none is opened that expects the one before it", async () => {
    const request = { files: manifestOf({ "index.html": "next" }), expect_current: null };
    const winner = { id: "winner", publishedAt: new Date().toISOString(), manifest: "0".repeat(64), previous: null };
    const response = await overtaken(
      () => ada.post(`/projects/${ada.slug}/releases`, request),
      () => set(keys.project(ada.slug), "currentRelease", winner),
    );
    expect(response).toMatchObject({ status: 412, body: { code: "current_release_changed" } });
    expect(response.body.detail).toContain("Release winner is live");
    expect(Object.keys((await storedProject(service, ada.slug)).items)).toEqual(["PROJECT"]);
  });

  test("an open release is given up: it does not go live", async () => {
    const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
    const { id } = body.release;
    const response = await overtaken(
      () => ada.post(`/projects/${ada.slug}/releases/${id}/publish`),
      () => removeItem(service, keys.release(ada.slug, id)),
    );
    expect(response).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    const { items } = await storedProject(service, ada.slug);
    expect(items["PROJECT"]).not.toHaveProperty("currentRelease");
    expect(items).not.toHaveProperty([`RELEASE#${id}`]);
  });

  test("an open release that is found again goes live: it does not expire any more", async () => {
    const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
    const { id } = body.release;
    const { items } = await storedProject(service, ada.slug);
    for (const key of Object.keys(items).filter((name) => name !== "PROJECT"))
      await endLife(service, { PK: keys.project(ada.slug).PK, SK: key }, 86_400);
    const found = await overtaken(
      () => ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": "1" }) }),
      () => ada.post(`/projects/${ada.slug}/releases/${id}/publish`),
    );
    expect(found).toMatchObject({
      status: 200,
      body: { release: { id, status: "live" }, current_release: id, missing: [] },
    });
    expect((await ada.get(`/projects/${ada.slug}/releases/${id}`)).body).toMatchObject({
      status: "live",
      expires_at: null,
    });
  });

  test.each<[string, (token: string) => Promise<CheckedResponse>]>([
    ["token", () => ada.post("/tokens", { name: "CI", scopes: ["publish"] })],
    ["project", () => ada.post("/projects", { slug: newSlug() })],
    ["profile", () => ada.patch("/me", { name: "Ada" })],
    ["revocation of a token", (token) => ada.delete(`/tokens/${token}`)],
    ["revocation of all", () => ada.delete("/tokens")],
  ])("an account is deleted: no %s creates it again", async (_, request) => {
    const { id } = await ada.token();
    const key = keys.account(accountOf(ada));
    const response = await overtaken(
      () => request(id),
      () => removeItem(service, key),
    );
    expect(response).toMatchObject({
      status: 403,
      body: { code: "account_required" },
    });
    expect(await storedItem(service, key)).toBeUndefined();
  });

  test("a token is revoked: it gets no replacement", async () => {
    const token = await ada.token();
    const response = await overtaken(
      () => ada.post(`/tokens/${token.id}/replacement`),
      () => ada.delete(`/tokens/${token.id}`),
    );
    expect(response).toMatchObject({ status: 409, body: { code: "token_not_active" } });
    expect((await ada.get("/tokens")).body.tokens).toMatchObject([{ id: token.id, status: "revoked" }]);
  });

  test("a token is created: revoking all revokes it too", async () => {
    await ada.token();
    const response = await overtaken(
      () => ada.delete("/tokens"),
      () => ada.token(),
    );
    expect(response).toMatchObject({ status: 200, body: { revoked: 2 } });
  });

  test.each([
    ["first use", false],
    ["use an hour later", true],
  ])("a token is deleted: its %s does not create it again", async (_, isLater) => {
    const token = await ada.token();
    const key = keys.token(accountOf(ada), token.id);
    if (isLater) {
      await token.get("/me");
      await set(key, "lastUsedAt", new Date(Date.now() - 3_600_000).toISOString());
    }
    expect(
      await overtaken(
        () => token.get("/me"),
        () => removeItem(service, key),
      ),
    ).toMatchObject({ status: 200 });
    expect(await storedItem(service, key)).toBeUndefined();
  });
});
