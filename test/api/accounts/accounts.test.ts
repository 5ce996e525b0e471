import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
const actors = actorsOf(service);

function storedAccount(uid: string) {
  return storedItem(service, keys.account(accountKey(service.issuer, uid)));
}

describe("GET /me", () => {
  test("says for an ID token that it authenticated the request", async () => {
    const ada = await actors.user({ name: "Ada" });
    const { status, headers, body } = await ada.get("/me");
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        uid: ada.uid,
        name: "Ada",
        avatar: null,
        release_mails: true,
        email: ada.email,
        email_verified: true,
        role: "user",
        created_at: time,
      },
      developer: null,
      auth: { kind: "session" },
      suspension: null,
      storage: {
        bytes: 0,
        objects: 0,
        limit: { bytes: limits.bytesPerAccount, objects: limits.objectsPerAccount },
        project_limit: { bytes: limits.bytesPerProject, objects: limits.objectsPerProject },
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("svc-version")).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("says for a token which token authenticated the request", async () => {
    const ada = await actors.developer();
    const token = await ada.token({ name: "laptop", scopes: ["publish"] });
    const { body } = await token.get("/me");
    expect(body.user.uid).toBe(ada.uid);
    expect(body.developer).not.toBeNull();
    expect(body.auth).toEqual({
      kind: "token",
      token_id: token.id,
      name: "laptop",
      scopes: ["publish"],
      projects: null,
      expires_at: time,
    });
  });

  test("tells a person without an account to create one", async () => {
    const response = await (await actors.stranger()).get("/me");
    expect(response).toMatchObject({ status: 403, body: { code: "account_required" } });
    expect(response.body.detail).toContain("POST /auth/session");
  });
});

describe("PATCH /me", () => {
  test("changes only the fields of the request", async () => {
    const ada = await actors.developer({ name: "Ada" });
    const avatar = "https://pictures.example/new.png";
    const changes = { name: "Countess", avatar, display_name: "Ada L.", bio: "First\nprogrammer" };
    const { status, body } = await ada.patch("/me", changes);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ name: "Countess", avatar, email: ada.email, role: "dev" });
    expect(body.developer).toMatchObject({ display_name: "Ada L.", bio: "First\nprogrammer" });
    const { body: after } = await ada.patch("/me", { bio: null });
    expect(after.user).toEqual(body.user);
    expect(after.developer).toEqual({ ...body.developer, bio: null });
    expect(await storedAccount(ada.uid)).toMatchObject({ name: "Countess", displayName: "Ada L.", bio: null });
  });

  test("lets a user who is not a developer edit only name and avatar", async () => {
    const ada = await actors.user();
    expect((await ada.patch("/me", { name: "Countess", avatar: null })).status).toBe(200);
    const before = await storedAccount(ada.uid);
    for (const body of [{ display_name: "x" }, { bio: "x" }, { name: "y", bio: null }])
      expect(await ada.patch("/me", body)).toMatchObject({ status: 403, body: { code: "developer_required" } });
    expect(await storedAccount(ada.uid)).toEqual(before);
  });

  test("without fields responds with the unchanged account", async () => {
    const ada = await actors.user({ name: "Ada" });
    expect(await ada.patch("/me", {})).toMatchObject({ status: 200, body: { user: { name: "Ada" } } });
  });
});

describe("GET /users/:uid", () => {
  test("shows anybody the public profile, without email address and role", async () => {
    const ada = await actors.developer({ name: "Ada" });
    await ada.patch("/me", { display_name: "Ada L.", bio: "First programmer" });
    const { status, body } = await actors.anonymous.get(`/users/${ada.uid}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      uid: ada.uid,
      name: "Ada",
      avatar: null,
      display_name: "Ada L.",
      bio: "First programmer",
    });
  });

  test("looks the same for a user and for a developer without display name and bio", async () => {
    const [user, developer] = [await actors.user(), await actors.developer()];
    const [a, b] = [
      await actors.anonymous.get(`/users/${user.uid}`),
      await actors.anonymous.get(`/users/${developer.uid}`),
    ];
    expect({ ...a.body, uid: "" }).toEqual({ ...b.body, uid: "" });
  });

  test("finds a uid with characters that URLs escape", async () => {
    const uid = `auth0|${randomUUID()} ü #&+`;
    await actors.user({ sub: uid, email: "ada@example.test" });
    const { body } = await actors.anonymous.get(`/users/${encodeURIComponent(uid)}`);
    expect(body.uid).toBe(uid);
  });

  test("finds a uid in the query, whatever URLs escape in it", async () => {
    const uid = `a/b%2F,&uid=c? ü # ${randomUUID()}`;
    await actors.user({ sub: uid, email: "ada@example.test" });
    const found = await actors.anonymous.get(`/users?uid=${encodeURIComponent(uid)}`);
    expect(found).toMatchObject({ status: 200, body: { uid, name: "Ada Lovelace" } });
  });

  test.each(["", "?uid=", `?uid=${"x".repeat(256)}`, "?uid=a&name=b"])("refuses the query %j", async (query) => {
    const { status, body } = await actors.anonymous.get(`/users${query}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_parameters" });
  });

  test("does not find by the query a uid that has not signed in", async () => {
    const response = await actors.anonymous.get(`/users?uid=${randomUUID()}`);
    expect(response).toMatchObject({ status: 404, body: { code: "user_not_found" } });
  });

  test("does not find a uid that has not signed in", async () => {
    const response = await actors.anonymous.get(`/users/${randomUUID()}`);
    expect(response).toMatchObject({ status: 404, body: { code: "user_not_found" } });
  });

  test("refuses a uid that no identity provider could issue", async () => {
    const response = await actors.anonymous.get(`/users/${"x".repeat(256)}`);
    expect(response).toMatchObject({
      status: 400,
      body: { code: "invalid_parameters", errors: [{ pointer: "/uid" }] },
    });
  });
});
