import { describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";
import { useEmptiedService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import {
  copyToken,
  everyItem,
  removeItem,
  type StoredItem,
  setAttribute,
  storedItem,
  storeItems,
} from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const actors = actorsOf(service);

const hour = 3_600_000;

async function eventsOf(person: Developer, type: string): Promise<{ token_id: string }[]> {
  const { body } = await person.get("/me/events");
  return body.events.filter((event: { type: string }) => event.type === type);
}

function endToken({ uid }: Developer, id: string): Promise<void> {
  const past = new Date(Date.now() - 1_000).toISOString();
  return setAttribute(service, keys.token(accountKey(service.issuer, uid), id), "expiresAt", past);
}

describe("DELETE /tokens/current", () => {
  test("revokes the token that it is sent with, and no other", async () => {
    const ada = await actors.developer();
    const [token, other] = [await ada.token(), await ada.token()];
    expect(await token.delete("/tokens/current")).toMatchObject({ status: 204, body: undefined });
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect((await other.get("/me")).status).toBe(200);
    expect(await eventsOf(ada, "token_revoked")).toMatchObject([{ token_id: token.id }]);
  });

  test("needs no scope, and no project of a narrowed token", async () => {
    const ada = await actors.developer();
    const slug = newSlug();
    await ada.post("/projects", { slug });
    const narrowed = await ada.token({ scopes: ["projects"], projects: [slug] });
    expect((await narrowed.delete("/tokens/current")).status).toBe(204);
  });
});

describe("DELETE /tokens", () => {
  test("revokes all 50 of the caller, with an event each, and nobody else's", async () => {
    const [ada, bob] = [await actors.developer(), await actors.otherDeveloper()];
    const token = await ada.token();
    await copyToken(service, accountKey(service.issuer, ada.uid), token.id, 50);
    const others = await bob.token();
    expect(await ada.delete("/tokens")).toMatchObject({ status: 200, body: { revoked: 50 } });
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    const { body } = await ada.get("/tokens");
    expect(new Set(body.tokens.map(({ status }: { status: string }) => status))).toEqual(new Set(["revoked"]));
    expect((await others.get("/me")).status).toBe(200);
    expect((await ada.token()).id).toBeDefined();
  });

  test("may be sent twice", async () => {
    const ada = await actors.developer();
    await ada.token();
    expect((await ada.delete("/tokens")).body).toEqual({ revoked: 1, publishers: [] });
    expect((await ada.delete("/tokens")).body).toEqual({ revoked: 0, publishers: [] });
    expect(await eventsOf(ada, "token_revoked")).toHaveLength(1);
  });

  test("names the CI jobs that can still publish, of projects and of slugs without one", async () => {
    const ada = await actors.developer();
    const jobs = (repository_id: string) => ({
      ...{ provider: "github", repository_id, repository_owner_id: "1" },
      workflow: ".github/workflows/publish.yml",
    });
    const [slug, pending] = [await newProject(ada), newSlug()];
    await ada.post(`/projects/${slug}/publishers`, jobs("7"));
    await ada.post("/publishers", { project: pending, publisher: jobs("8") });
    const { body } = await ada.delete("/tokens");
    expect(body).toMatchObject({
      revoked: 0,
      publishers: [
        { project: slug, pending: false, publisher: { repository_id: "7" } },
        { project: pending, pending: true, publisher: { repository_id: "8" } },
      ],
    });
    // A project that was handed over between two reads: what its new owner trusts is not the caller's to know.
    const grace = await actors.otherDeveloper();
    await storeItems(service, [{ ...keys.ownership(accountKey(service.issuer, grace.uid), slug), slug }]);
    expect((await grace.delete("/tokens")).body).toEqual({ revoked: 0, publishers: [] });
    await removeItem(service, keys.ownership(accountKey(service.issuer, grace.uid), slug));
    await ada.delete(`/projects/${slug}/publishers/${body.publishers[0].publisher.id}`);
    await ada.delete(`/publishers/${pending}`);
    expect((await ada.delete("/tokens")).body).toEqual({ revoked: 0, publishers: [] });
  });

  test("leaves out an expired token, of which DynamoDB may have deleted the item", async () => {
    const ada = await actors.developer();
    const [expired, active] = [await ada.token(), await ada.token()];
    const account = keys.account(accountKey(service.issuer, ada.uid));
    const { activeTokens } = (await storedItem(service, account)) as { activeTokens: Record<string, string> };
    await setAttribute(service, account, "activeTokens", { ...activeTokens, [expired.id]: "2020-01-01T00:00:00.000Z" });
    await endToken(ada, expired.id);
    const key = keys.token(accountKey(service.issuer, ada.uid), expired.id);
    const item = await storedItem(service, key);
    await removeItem(service, key);
    expect(await ada.delete("/tokens")).toMatchObject({ status: 200, body: { revoked: 1 } });
    expect(await active.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    // The invariants want a token for each event.
    await storeItems(service, [item as StoredItem]);
  });
});

describe("POST /tokens/:id/replacement", () => {
  test("gives a token with the same name, scopes and projects, and ends the old one after the overlap", async () => {
    const ada = await actors.developer();
    const slug = newSlug();
    await ada.post("/projects", { slug });
    const old = await ada.token({ name: "CI", scopes: ["publish", "projects"], projects: [slug] });
    const { status, body } = await ada.post(`/tokens/${old.id}/replacement`, { overlap_hours: 2 });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "CI", scopes: ["publish", "projects"], projects: [slug], status: "active" });
    expect(body.replaces).toEqual({ id: old.id, expires_at: time });
    expect(Date.parse(body.replaces.expires_at) - Date.parse(body.created_at)).toBe(2 * hour);
    const replacement = actors.bearer(body.token);
    for (const token of [old, replacement]) expect((await token.get("/me")).status).toBe(200);
    expect((await old.get("/me")).headers.get("svc-token-expires-at")).toBe(body.replaces.expires_at);
    expect(await eventsOf(ada, "token_rotated")).toMatchObject([{ token_id: old.id }]);
    await endToken(ada, old.id);
    expect(await old.get("/me")).toMatchObject({ status: 401, body: { code: "token_expired" } });
    expect((await replacement.get("/me")).status).toBe(200);
  });

  test("gives the old token a day by default, and never longer than it had", async () => {
    const ada = await actors.developer();
    const { body } = await ada.post(`/tokens/${(await ada.token()).id}/replacement`);
    expect(Date.parse(body.replaces.expires_at) - Date.parse(body.created_at)).toBe(24 * hour);
    const brief = await ada.token({ expires_in_days: 1 });
    const { body: tokens } = await ada.get("/tokens");
    const { expires_at } = tokens.tokens.find(({ id }: { id: string }) => id === brief.id);
    const longer = await ada.post(`/tokens/${brief.id}/replacement`, { overlap_hours: 168, expires_in_days: 7 });
    expect(longer.body.replaces.expires_at).toBe(expires_at);
    expect(Date.parse(longer.body.expires_at) - Date.parse(longer.body.created_at)).toBe(7 * 24 * hour);
  });

  test("gives the new token what is left of the old one's lifetime, even if the old one was replaced before", async () => {
    const ada = await actors.developer();
    const { id } = await ada.token({ expires_in_days: 3 });
    const { expires_at } = (await ada.get(`/tokens/${id}`)).body;
    for (const overlap_hours of [24, 1, 2]) {
      const { status, body } = await ada.post(`/tokens/${id}/replacement`, { overlap_hours });
      expect({ status, expires_at: body.expires_at }).toEqual({ status: 201, expires_at });
    }
  });

  test("counts against the limit of 50, until the old token has ended", async () => {
    const ada = await actors.developer();
    const { id } = await ada.token();
    await copyToken(service, accountKey(service.issuer, ada.uid), id, 49);
    expect((await ada.post(`/tokens/${id}/replacement`)).status).toBe(201);
    const refused = await ada.post(`/tokens/${id}/replacement`);
    expect(refused).toMatchObject({ status: 409, body: { code: "token_limit_reached" } });
    const Key = keys.account(accountKey(service.issuer, ada.uid));
    const { activeTokens } = (await everyItem(service)).find(({ PK, SK }) => PK === Key.PK && SK === Key.SK) as {
      activeTokens: Record<string, string>;
    };
    const listed = (await ada.get("/tokens")).body.tokens.find((token: { id: string }) => token.id === id);
    expect(activeTokens[id]).toBe(listed.expires_at);
  });

  test.each([
    ["revoked", async (ada: Developer, id: string) => void (await ada.delete(`/tokens/${id}`))],
    ["expired", endToken],
  ])("is refused for a token that is %s, and creates nothing", async (_, end) => {
    const ada = await actors.developer();
    const { id } = await ada.token();
    await end(ada, id);
    const response = await ada.post(`/tokens/${id}/replacement`);
    expect(response).toMatchObject({ status: 409, body: { code: "token_not_active" } });
    expect((await ada.get("/tokens")).body.tokens).toHaveLength(1);
    // The invariants count an expired token among the active ones until the next one is created.
    await ada.token();
  });

  test("made twice at once gives two replacements, and the old token ends at the earlier of the two times", async () => {
    const ada = await actors.developer();
    for (let round = 0; round < 10; round += 1) {
      const { id } = await ada.token();
      const responses = await Promise.all(
        [1, 168].map((overlap_hours) => ada.post(`/tokens/${id}/replacement`, { overlap_hours })),
      );
      expect(responses.map(({ status }) => status)).toEqual([201, 201]);
      const { body } = await ada.get("/tokens");
      const { expires_at } = body.tokens.find((token: { id: string }) => token.id === id);
      expect(expires_at).toBe(responses[0]?.body.replaces.expires_at);
    }
  });
});

describe("a personal access token", () => {
  test("warns in every response, refusals too, within its last week and not before", async () => {
    const ada = await actors.developer();
    const soon = await ada.token({ expires_in_days: 6 });
    const later = await ada.token({ expires_in_days: 8 });
    const { headers, body } = await soon.get("/me");
    expect(headers.get("svc-token-expires-at")).toBe(body.auth.expires_at);
    expect((await soon.get("/tokens")).headers.get("svc-token-expires-at")).toBe(body.auth.expires_at);
    expect((await later.get("/me")).headers.get("svc-token-expires-at")).toBeNull();
  });

  test("is deleted when the last of its events is: 400 days after its expiry, also an earlier one, or its revocation", async () => {
    const ada = await actors.developer();
    const { id } = await ada.token({ expires_in_days: 10 });
    const stored = () => storedItem(service, keys.token(accountKey(service.issuer, ada.uid), id));
    const after400Days = (time: unknown) => Math.floor(Date.parse(String(time)) / 1_000) + 400 * 86_400;
    const active = await stored();
    expect(active?.["ttl"]).toBe(after400Days(active?.["expiresAt"]));
    const { replaces } = (await ada.post(`/tokens/${id}/replacement`)).body;
    expect(await stored()).toMatchObject({ expiresAt: replaces.expires_at, ttl: after400Days(replaces.expires_at) });
    await ada.delete(`/tokens/${id}`);
    const revoked = await stored();
    expect(revoked?.["ttl"]).toBe(after400Days(revoked?.["revokedAt"]));
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
