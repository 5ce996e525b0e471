import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { isWellFormedToken } from "../../../contract/api/tokens/token-format.ts";
import { RawToken } from "../../../functions/domain/tokens/raw-token.ts";
import { accountKey, keys, tokenIdOf } from "../../../functions/table/keys.ts";
import { actorsOf, type Person } from "../../support/service/actors.ts";
import { newProject } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { itemsOf, removeItem, setAttribute, storedItem, storeItems } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
const actors = actorsOf(service);

const day = 86_400_000;

/** Every item of a person's partition. */
const storedItems = (person: Person) => itemsOf(service, keys.account(accountKey(service.issuer, person.uid)).PK);

/** Changes an attribute of a stored token. */
const changeToken = (person: Person, tokenId: string, attribute: string, value: string) =>
  setAttribute(service, keys.token(accountKey(service.issuer, person.uid), tokenId), attribute, value);

describe("POST /tokens", () => {
  test("shows the raw token once and stores only its hash", async () => {
    const ada = await actors.developer();
    const { status, headers, body } = await ada.post("/tokens", { name: "CI", scopes: ["publish"] });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(isWellFormedToken(body.token)).toBe(true);
    expect(body).toEqual({
      id: tokenIdOf(createHash("sha256").update(body.token).digest()),
      token: body.token,
      name: "CI",
      scopes: ["publish"],
      projects: null,
      created_at: time,
      expires_at: time,
      revoked_at: null,
      status: "active",
      last_used_at: null,
      hint: body.token.slice(-4),
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(90 * day);

    const items = await storedItems(ada);
    const stored = items.find(({ SK }) => SK === `TOKEN#${body.id}`);
    expect(stored?.["hash"]).toBe(createHash("sha256").update(body.token).digest("base64"));
    const secret = body.token.slice(26, 58);
    expect(JSON.stringify(items)).not.toContain(secret);
    expect(items.filter(({ type }) => type === "token_created")).toMatchObject([{ tokenId: body.id }]);
  });

  test("gives a token that authenticates", async () => {
    const token = await actors.token("publish", "projects");
    const { status, body } = await token.get("/me");
    expect({ status, auth: body.auth }).toMatchObject({
      status: 200,
      auth: { kind: "token", token_id: token.id, scopes: ["publish", "projects"] },
    });
  });

  test("accepts an expiry in days or as a time", async () => {
    const ada = await actors.developer();
    const request = { name: "CI", scopes: ["publish"] };
    const { body: inDays } = await ada.post("/tokens", { ...request, expires_in_days: 365 });
    expect(Date.parse(inDays.expires_at) - Date.parse(inDays.created_at)).toBe(365 * day);
    const expires_at = new Date(Date.now() + day).toISOString().replace("Z", "+00:00");
    const { body: atTime } = await ada.post("/tokens", { ...request, expires_at });
    expect(Date.parse(atTime.expires_at)).toBe(Date.parse(expires_at));
  });

  test("refuses an expiry that is over or too far, and a project that is not the caller's, and stores nothing", async () => {
    const ada = await actors.developer();
    const before = await storedItems(ada);
    for (const [setting, pointer] of [
      [{ expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
      [{ expires_at: "2999-01-01T00:00:00Z" }, "/expires_at"],
      [{ projects: ["nobodys-project"] }, "/projects/0"],
    ] as const) {
      const response = await ada.post("/tokens", { name: "CI", scopes: ["publish"], ...setting });
      expect(response).toMatchObject({ status: 422, body: { code: "validation_failed" } });
      expect(response.body.errors).toEqual([{ pointer, detail: expect.stringMatching(/^\w+ \w/) }]);
    }
    expect(await storedItems(ada)).toEqual(before);
  });
});

describe("GET /tokens", () => {
  test("lists active, revoked and expired tokens without their secret", async () => {
    const ada = await actors.developer();
    const active = await ada.token({ name: "active" });
    const revoked = await ada.token({ name: "revoked" });
    const expired = await ada.token({ name: "expired" });
    await ada.delete(`/tokens/${revoked.id}`);
    await changeToken(ada, expired.id, "expiresAt", new Date(Date.now() - 1_000).toISOString());
    const { status, headers, body } = await ada.get("/tokens");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.next_cursor).toBeNull();
    const states = body.tokens.map(({ name, status, revoked_at }: Record<string, unknown>) => [
      name,
      status,
      revoked_at,
    ]);
    expect(states).toEqual([
      ["expired", "expired", null],
      ["revoked", "revoked", time],
      ["active", "active", null],
    ]);
    for (const { credential } of [active, revoked, expired])
      expect(JSON.stringify(body)).not.toContain(credential.slice(26, 58));
    expect(JSON.stringify(body)).not.toContain("hash");
  });

  test("shows each developer only their own tokens", async () => {
    const [ada, bob] = [await actors.developer(), await actors.otherDeveloper()];
    const token = await ada.token();
    await bob.token();
    expect((await ada.get("/tokens")).body.tokens.map(({ id }: { id: string }) => id)).toEqual([token.id]);
  });

  test("lists each token once, page by page", async () => {
    const ada = await actors.developer();
    const ids = new Set<string>();
    for (let count = 0; count < 5; count += 1) ids.add((await ada.token()).id);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body }: { body: { tokens: { id: string }[]; next_cursor: string | null } } = await ada.get(
        `/tokens?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(body.tokens.length).toBeLessThanOrEqual(2);
      seen.push(...body.tokens.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen)).toEqual(ids);
  });
});

describe("DELETE /tokens/:id", () => {
  test("makes the very next request with the token get 401", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    expect((await token.get("/me")).status).toBe(200);
    expect(await ada.delete(`/tokens/${token.id}`)).toMatchObject({ status: 204, body: undefined });
    const { status, headers, body } = await token.get("/me");
    expect({ status, code: body.code }).toEqual({ status: 401, code: "token_revoked" });
    expect(headers.get("www-authenticate")).toMatch(
      /^Bearer realm="svc", error="invalid_token", resource_metadata="[^"]+"$/,
    );
  });

  test("may be sent twice: the time of the first one stays", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    await ada.delete(`/tokens/${token.id}`);
    const { body: first } = await ada.get("/tokens");
    expect((await ada.delete(`/tokens/${token.id}`)).status).toBe(204);
    expect((await ada.get("/tokens")).body).toEqual(first);
    expect((await storedItems(ada)).filter(({ type }) => type === "token_revoked")).toHaveLength(1);
  });

  test("of what is no token responds with 404", async () => {
    const ada = await actors.developer();
    for (const id of ["0000000000000000000000", "__proto__", "constructor"])
      expect(await ada.delete(`/tokens/${id}`)).toMatchObject({ status: 404, body: { code: "token_not_found" } });
  });
});

describe("a personal access token", () => {
  test("has its own error when it has expired", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    await changeToken(ada, token.id, "expiresAt", new Date().toISOString());
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_expired" } });
  });

  test("of a deleted account is refused like an unknown one", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    await removeItem(service, keys.account(accountKey(service.issuer, ada.uid)));
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_invalid" } });
  });

  test("is refused if the keys match but not the stored hash", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    await changeToken(ada, token.id, "hash", createHash("sha256").update("another").digest("base64"));
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_invalid" } });
  });

  test("is refused if its account belongs to another issuer than the configured one", async () => {
    const ada = await actors.developer();
    const former = accountKey("https://former.example", ada.uid);
    const rawToken = RawToken.generate(former);
    const current = accountKey(service.issuer, ada.uid);
    const account = await storedItem(service, keys.account(current));
    const token = await storedItem(service, keys.token(current, (await ada.token()).id));
    const id = tokenIdOf(rawToken.hash);
    await storeItems(service, [
      { ...account, ...keys.account(former), key: former },
      { ...token, ...keys.token(former, id), id, accountKey: former, hash: rawToken.hash.toString("base64") },
    ]);
    const response = await actors.bearer(rawToken.reveal()).get("/me");
    expect(response).toMatchObject({ status: 401, body: { code: "token_invalid" } });
    expect(response.body.detail).toContain("identity provider that this service no longer uses");
  });

  test("that is narrowed does not learn who owns a slug: every refusal is the same", async () => {
    const ada = await actors.developer();
    const [named, unnamed, others] = [
      await newProject(ada),
      await newProject(ada),
      await newProject(await actors.otherDeveloper()),
    ];
    const token = await ada.token({ scopes: ["publish", "projects"], projects: [named] });
    const refusals = async (slug: string) => {
      const responses = [
        await token.patch(`/projects/${slug}`, { name: "x" }),
        await token.get(`/projects/${slug}/releases`),
        await token.post(`/projects/${slug}/releases`, {}),
        await token.post(`/projects/${slug}/releases/none/uploads`, {}),
        await token.post(`/projects/${slug}/releases/none/publish`),
        await token.post("/projects", { slug }),
      ];
      return responses.map(({ status, body: { request_id, ...body } }) => ({ status, body }));
    };
    const expected = await refusals("nobody-has-this");
    expect(expected.map(({ body }) => body.code)).toEqual(Array(6).fill("project_not_in_token"));
    expect(await refusals(unnamed)).toEqual(expected);
    expect(await refusals(others)).toEqual(expected);
  });
});
