import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { newProject } from "../../support/service/steps.ts";
import { useEmptiedService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, itemsOf } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const actors = actorsOf(service);
const epochSeconds = () => Math.floor(Date.now() / 1_000);
let ada: Developer;

beforeEach(async () => {
  ada = await actors.developer();
});

const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
const itemsOfAccount = (person: Person) => itemsOf(service, keys.account(keyOf(person)).PK);
const deleteMe = () => ada.delete("/me");

describe("DELETE /me", () => {
  test("erases every item of an account but the time of the deletion, and its uid and email address everywhere", async () => {
    const email = `${randomUUID()}@example.test`;
    ada = await actors.developer({ email, name: `Ada ${randomUUID()}`, picture: "https://example.test/ada.png" });
    const token = await ada.token();
    await ada.delete(`/tokens/${(await ada.token()).id}`);
    await token.get("/me");
    await ada.patch("/me", { display_name: "Ada L.", bio: "counts" });
    const slug = await newProject(ada);
    await ada.delete(`/projects/${slug}`);
    await ada.get("/oauth/device/BCDF-GHJK");
    expect((await itemsOfAccount(ada)).length).toBeGreaterThan(8);

    expect(await deleteMe()).toMatchObject({ status: 204 });
    const ttl = expect.any(Number);
    expect(await itemsOfAccount(ada)).toEqual([{ ...keys.tombstone(keyOf(ada)), deletedAt: time, ttl }]);
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_invalid" } });
    expect(await ada.get("/me")).toMatchObject({ status: 403, body: { code: "account_required" } });
    expect(await actors.anonymous.get(`/users/${ada.uid}`)).toMatchObject({ status: 404 });
    const everything = JSON.stringify(await everyItem(service));
    for (const text of [email, ada.uid, "Ada L."]) expect(everything).not.toContain(text);
    expect(await deleteMe()).toMatchObject({ status: 403, body: { code: "account_required" } });
  });

  test("needs a sign-in of the last ten minutes, if the provider gives its time", async () => {
    const late = await actors.developer({ auth_time: epochSeconds() - 610 });
    expect(await late.delete("/me")).toMatchObject({ status: 401, body: { code: "recent_sign_in_required" } });
    expect(await late.get("/me")).toMatchObject({ status: 200 });
    const fresh = await actors.developer({ auth_time: epochSeconds() - 590 });
    expect(await fresh.delete("/me")).toMatchObject({ status: 204 });
    const unknown = await actors.developer({ auth_time: null });
    expect(await unknown.delete("/me")).toMatchObject({ status: 204 });
  });

  test("refuses with the names of the remaining projects, and changes nothing", async () => {
    const slugs = [await newProject(ada), await newProject(ada)].sort();
    const before = await itemsOfAccount(ada);
    const { status, body } = await deleteMe();
    expect({ status, code: body.code }).toEqual({ status: 409, code: "projects_left" });
    expect(body.detail).toContain(slugs.join(", "));
    expect(await itemsOfAccount(ada)).toEqual(before);
  });

  test("lets the person sign up again with a new account", async () => {
    const token = await ada.token();
    await ada.patch("/me", { bio: "counts" });
    await deleteMe();
    expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 201,
      body: { developer: { bio: null } },
    });
    expect(await token.get("/me")).toMatchObject({ status: 401 });
    expect((await ada.get("/tokens")).body.tokens).toEqual([]);
    expect((await ada.get("/me/events")).body.events).toHaveLength(2);
  });
});

test("a project that an account deleted before itself can be restored by the same person", async () => {
  const slug = await newProject(ada);
  await ada.delete(`/projects/${slug}`);
  await deleteMe();
  expect(await ada.post(`/projects/${slug}/restore`)).toMatchObject({ status: 403 });
  await ada.post("/auth/session", { role: "dev" });
  expect(await ada.post(`/projects/${slug}/restore`)).toMatchObject({ status: 200 });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
