import { randomUUID } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Person } from "../../support/actors.ts";
import { useService } from "../../support/suite.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
const actors = actorsOf(service);

async function storedAccount(uid: string) {
  const Key = keys.account(accountKey(service.issuer, uid));
  const { Item } = await service.table.send(
    new GetCommand({ TableName: service.tableName, Key, ConsistentRead: true }),
  );
  return Item;
}

/** The same person with another ID token, as after signing in again. */
async function again(person: Person, claims: Record<string, unknown>) {
  return await actors.stranger({ sub: person.uid, ...claims });
}

async function eventTypes(person: Person): Promise<string[]> {
  const { body } = await person.get("/me/events");
  return body.events.map(({ type }: { type: string }) => type);
}

describe("POST /auth/session", () => {
  test("creates an account from the ID token at the first sign-in", async () => {
    const picture = "https://pictures.example/ada.png";
    const ada = await actors.stranger({ name: "Ada", picture });
    const { status, body } = await ada.post("/auth/session");
    expect(status).toBe(201);
    expect(body).toEqual({
      user: {
        uid: ada.uid,
        name: "Ada",
        avatar: picture,
        email: ada.email,
        email_verified: true,
        role: "user",
        created_at: time,
      },
      developer: null,
    });
    expect(await storedAccount(ada.uid)).toMatchObject({ uid: ada.uid, name: "Ada", email: ada.email, role: "user" });
    expect(await eventTypes(ada)).toEqual(["account_created"]);
  });

  test("creates a developer at once where that is asked for", async () => {
    const ada = await actors.stranger();
    const { status, body } = await ada.post("/auth/session", { role: "dev" });
    expect(status).toBe(201);
    expect(body.user.role).toBe("dev");
    expect(body.developer).toEqual({ display_name: null, bio: null, created_at: time });
    expect((await eventTypes(ada)).sort()).toEqual(["account_created", "role_upgraded"]);
  });

  test("upgrades a user to a developer, once", async () => {
    const ada = await actors.user();
    const first = await ada.post("/auth/session", { role: "dev" });
    const second = await ada.post("/auth/session", { role: "dev" });
    expect(first.status).toBe(200);
    expect(first.body.user.role).toBe("dev");
    expect(second.body).toEqual(first.body);
    expect(await eventTypes(ada)).toEqual(["role_upgraded", "account_created"]);
  });

  test.each([{}, { role: "user" }, undefined])("never downgrades a developer: %j", async (body) => {
    const ada = await actors.developer();
    const response = await ada.post("/auth/session", body);
    expect(response).toMatchObject({ status: 200, body: { user: { role: "dev" } } });
    expect(await storedAccount(ada.uid)).toMatchObject({ role: "dev" });
  });

  test("refreshes the email address and leaves what the person edited", async () => {
    const ada = await actors.user({ name: "Ada" });
    await ada.patch("/me", { name: "Countess" });
    const email = `${randomUUID()}@example.test`;
    const { body } = await (await again(ada, { name: "Somebody else", email })).post("/auth/session");
    expect(body.user).toMatchObject({ name: "Countess", email });
    expect(await storedAccount(ada.uid)).toMatchObject({ name: "Countess", email });
  });

  test("keeps the email address where the ID token has none", async () => {
    const ada = await actors.user();
    const { body } = await (await again(ada, { email: null, email_verified: null })).post("/auth/session");
    expect(body.user).toMatchObject({ email: ada.email, email_verified: true });
  });

  test("follows the provider's word on the email address", async () => {
    const ada = await actors.user({ email_verified: false });
    expect((await ada.get("/me")).body.user.email_verified).toBe(false);
    await (await again(ada, { email: ada.email })).post("/auth/session");
    expect((await ada.get("/me")).body.user.email_verified).toBe(true);
  });

  test("takes the name from the provider until the person edits it", async () => {
    const ada = await actors.user({ name: null });
    const names = async (claims: Record<string, unknown>, body: object = {}) =>
      (await (await again(ada, claims)).post("/auth/session", body)).body.user.name;
    expect((await ada.get("/me")).body.user.name).toBe(ada.uid);
    expect(await names({ name: "Ada" })).toBe("Ada");
    expect(await names({ name: null })).toBe("Ada");
    expect(await names({ name: "Ada of Ockham" }, { role: "dev" })).toBe("Ada of Ockham");
    await ada.patch("/me", { bio: "Numbers." });
    expect(await names({ name: "Ada King" })).toBe("Ada King");
    await ada.patch("/me", { name: "Ada King" });
    expect(await names({ name: "Somebody else" })).toBe("Ada King");
  });

  test("leaves the name of an older account alone, unless it has none but its uid", async () => {
    const [named, nameless] = [await actors.user({ name: "Ada" }), await actors.user({ name: null })];
    for (const { uid } of [named, nameless]) {
      const Key = keys.account(accountKey(service.issuer, uid));
      const UpdateExpression = "REMOVE nameFollowsProvider, emailVerified";
      await service.table.send(new UpdateCommand({ TableName: service.tableName, Key, UpdateExpression }));
    }
    expect((await named.get("/me")).body.user).toMatchObject({ name: "Ada", email_verified: false });
    expect((await (await again(named, { name: "Grace" })).post("/auth/session")).body.user.name).toBe("Ada");
    expect((await (await again(nameless, { name: "Grace" })).post("/auth/session")).body.user.name).toBe("Grace");
  });

  test("never undoes an edit of the name that happens at the same time", async () => {
    for (let trial = 0; trial < 20; trial += 1) {
      const ada = await actors.user();
      const renamed = await again(ada, { name: "Another" });
      await Promise.all([renamed.post("/auth/session"), ada.patch("/me", { name: "Mine" })]);
      expect((await ada.get("/me")).body.user.name).toBe("Mine");
    }
  });

  test("makes no email address public, which some providers put into the name", async () => {
    const ada = await actors.stranger({ name: "ada@example.test" });
    await ada.post("/auth/session", { role: "dev" });
    const { body } = await actors.anonymous.get(`/users/${ada.uid}`);
    expect(JSON.stringify(body)).not.toContain("example.test");
    for (const edit of [{ name: "ada@example.test" }, { display_name: "Ada <ada@example.test>" }]) {
      const response = await ada.patch("/me", edit);
      expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer: `/${Object.keys(edit)[0]}` }] } });
    }
  });

  test("is not reached without a credential, or with a personal access token", async () => {
    expect(await actors.anonymous.post("/auth/session")).toMatchObject({
      status: 401,
      body: { code: "credential_missing" },
    });
    const token = await actors.token("publish", "projects");
    expect(await token.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 403,
      body: { code: "session_required" },
    });
  });

  test.each([
    [{ role: "admin" }, "/role"],
    [{ email: "other@example.test" }, "/email"],
    [{ uid: "other" }, "/uid"],
    [{ role: null }, "/role"],
  ])("refuses the body %j and creates nothing", async (body, pointer) => {
    const ada = await actors.stranger();
    const response = await ada.post("/auth/session", body);
    expect(response).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(response.body.errors).toEqual([{ pointer, detail: expect.any(String) }]);
    expect(await storedAccount(ada.uid)).toBeUndefined();
  });
});

describe("GET /me", () => {
  test("shows a user that a session authenticated the request", async () => {
    const ada = await actors.user({ name: "Ada" });
    const { status, headers, body } = await ada.get("/me");
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        uid: ada.uid,
        name: "Ada",
        avatar: null,
        email: ada.email,
        email_verified: true,
        role: "user",
        created_at: time,
      },
      developer: null,
      auth: { kind: "session" },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("svc-version")).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("shows a token's bearer which token authenticated the request", async () => {
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

  test("tells a stranger with a good ID token to create an account", async () => {
    const response = await (await actors.stranger()).get("/me");
    expect(response).toMatchObject({ status: 403, body: { code: "account_required" } });
    expect(response.body.detail).toContain("POST /auth/session");
  });

  test("is not for anybody without a credential", async () => {
    const { status, headers, body } = await actors.anonymous.get("/me");
    expect({ status, code: body.code }).toEqual({ status: 401, code: "credential_missing" });
    expect(headers.get("www-authenticate")).toBe("Bearer");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.request_id).toBe(headers.get("svc-request-id"));
  });
});

describe("PATCH /me", () => {
  test("changes what is named and nothing else", async () => {
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

  test("lets a user who is no developer edit name and avatar alone", async () => {
    const ada = await actors.user();
    expect((await ada.patch("/me", { name: "Countess", avatar: null })).status).toBe(200);
    const before = await storedAccount(ada.uid);
    for (const body of [{ display_name: "x" }, { bio: "x" }, { name: "y", bio: null }])
      expect(await ada.patch("/me", body)).toMatchObject({ status: 403, body: { code: "developer_required" } });
    expect(await storedAccount(ada.uid)).toEqual(before);
  });

  test("with nothing to change answers with the account as it is", async () => {
    const ada = await actors.user({ name: "Ada" });
    expect(await ada.patch("/me", {})).toMatchObject({ status: 200, body: { user: { name: "Ada" } } });
  });

  test("is refused to a personal access token, without a credential and without an account", async () => {
    const token = await actors.token("publish", "projects");
    const stranger = await actors.stranger();
    const body = { name: "x" };
    expect(await token.patch("/me", body)).toMatchObject({ status: 403, body: { code: "session_required" } });
    expect(await actors.anonymous.patch("/me", body)).toMatchObject({ status: 401 });
    expect(await stranger.patch("/me", body)).toMatchObject({ status: 403, body: { code: "account_required" } });
    expect(await storedAccount(stranger.uid)).toBeUndefined();
  });

  test.each([
    [{ role: "dev" }, "/role"],
    [{ email: "x@example.test" }, "/email"],
    [{ uid: "x" }, "/uid"],
    [{ name: "" }, "/name"],
    [{ name: "   " }, "/name"],
    [{ name: null }, "/name"],
    [{ name: "x".repeat(81) }, "/name"],
    [{ name: "a\nb" }, "/name"],
    [{ name: "half a pair: \ud83d" }, "/name"],
    [{ bio: "half a pair: \ude00" }, "/bio"],
    [{ avatar: "http://pictures.example/a.png" }, "/avatar"],
    [{ avatar: "javascript:alert(1)" }, "/avatar"],
    [{ avatar: "https://pictures.example/half-a-pair-\ud83d" }, "/avatar"],
    [{ avatar: "https://pictures.example/\u0000" }, "/avatar"],
    [{ bio: "x".repeat(1_001) }, "/bio"],
    [{ bio: 1 }, "/bio"],
  ])("refuses %j and changes nothing", async (body, pointer) => {
    const ada = await actors.developer();
    const before = await storedAccount(ada.uid);
    const response = await ada.patch("/me", body);
    expect(response).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(response.body.errors).toEqual([{ pointer, detail: expect.any(String) }]);
    expect(await storedAccount(ada.uid)).toEqual(before);
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

  test("does not tell a developer who has written nothing from a user", async () => {
    const [user, developer] = [await actors.user(), await actors.developer()];
    const [a, b] = [
      await actors.anonymous.get(`/users/${user.uid}`),
      await actors.anonymous.get(`/users/${developer.uid}`),
    ];
    expect({ ...a.body, uid: "" }).toEqual({ ...b.body, uid: "" });
  });

  test("finds a uid with characters that addresses escape", async () => {
    const uid = `auth0|${randomUUID()} ü #&+`;
    await actors.user({ sub: uid, email: "ada@example.test" });
    const { body } = await actors.anonymous.get(`/users/${encodeURIComponent(uid)}`);
    expect(body.uid).toBe(uid);
  });

  test.each(["a/b", "100%", "what?", "a%2Fb", "a+b c", "a,b", "a&uid=c", "ü #"])(
    "finds the uid %j where it stands in the query",
    async (part) => {
      const uid = `${part} ${randomUUID()}`;
      await actors.user({ sub: uid, email: "ada@example.test" });
      const found = await actors.anonymous.get(`/users?uid=${encodeURIComponent(uid)}`);
      expect(found).toMatchObject({ status: 200, body: { uid, name: "Ada Lovelace" } });
    },
  );

  test.each(["", "?uid=", `?uid=${"x".repeat(256)}`, "?uid=a&name=b"])("refuses the query %j", async (query) => {
    const { status, body } = await actors.anonymous.get(`/users${query}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_parameters" });
  });

  test("knows nobody by the query who has not signed in", async () => {
    const response = await actors.anonymous.get(`/users?uid=${randomUUID()}`);
    expect(response).toMatchObject({ status: 404, body: { code: "user_not_found" } });
  });

  test("knows nobody who has not signed in", async () => {
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

describe("GET /me/events", () => {
  test("lists what happened to the account, newest first, page by page", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    await token.get("/me");
    await ada.delete(`/tokens/${token.id}`);
    const { body } = await ada.get("/me/events");
    expect(body.next_cursor).toBeNull();
    expect(body.events.slice(0, 3)).toEqual([
      { id: expect.any(String), type: "token_revoked", at: time, token_id: token.id },
      { id: expect.any(String), type: "token_first_used", at: time, token_id: token.id },
      { id: expect.any(String), type: "token_created", at: time, token_id: token.id },
    ]);
    const pages = [];
    for (let cursor = ""; cursor !== null; ) {
      const page = await ada.get(`/me/events?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.body.events);
      cursor = page.body.next_cursor;
    }
    expect(pages).toEqual(body.events);
  });

  test("is for the account itself, with a session", async () => {
    const token = await actors.token("publish");
    expect(await token.get("/me/events")).toMatchObject({ status: 403, body: { code: "session_required" } });
    expect(await actors.anonymous.get("/me/events")).toMatchObject({ status: 401 });
    expect(await (await actors.stranger()).get("/me/events")).toMatchObject({ body: { code: "account_required" } });
  });

  test.each([
    ["limit=0", "/limit"],
    ["limit=101", "/limit"],
    ["limit=x", "/limit"],
    ["page=2", "/page"],
  ])("refuses ?%s", async (query, pointer) => {
    const response = await (await actors.user()).get(`/me/events?${query}`);
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_parameters", errors: [{ pointer }] } });
  });

  test("refuses a cursor that it did not give out", async () => {
    const response = await (await actors.user()).get("/me/events?cursor=QUNDT1VOVCN4");
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });
});
