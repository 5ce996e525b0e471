import { beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "../../../functions/table/ids.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { type Actors, actorsOf } from "../../support/service/actors.ts";
import { newSlug, publish } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { itemsOf, setAttribute, storeItems } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
let actors: Actors;

beforeAll(async () => {
  actors = actorsOf(service);
});

describe("GET /tokens/:id", () => {
  test("shows what the token did, from where it was used, and its projects", async () => {
    const ada = await actors.developer();
    const token = await ada.token({ scopes: ["publish", "projects"] });
    const other = await ada.token();
    const slug = newSlug();
    await token.post("/projects", { slug });
    const release = await publish(token, slug, { "index.html": "<p>1" });
    await other.get("/me");
    const { status, body } = await ada.get(`/tokens/${token.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: token.id,
      status: "active",
      reach: [slug],
      last_used_by: { client: "other", network: "127.0.0.0/24" },
      activity_complete: true,
    });
    expect(body.activity.map(({ type }: { type: string }) => type).sort()).toEqual(
      ["project_created", "release_published", "token_created", "token_first_used"].sort(),
    );
    expect(body.activity).toContainEqual({
      id: expect.any(String),
      type: "release_published",
      act: "publication",
      at: time,
      token_id: token.id,
      token_name: "a token",
      client: "other",
      project: slug,
      release_id: release,
      release_number: 1,
    });
  });

  test.each([
    ["svc/0.1.0 (linux-x64; node v24.0.0)", "svc"],
    ["Mozilla/5.0 (X11; Linux x86_64)", "browser"],
    ["curl/8.0", "other"],
  ])("%s is recorded as %s, in its own network, not one that its headers name", async (agent, client) => {
    const ada = await actors.developer();
    const token = await ada.token();
    expect((await ada.get(`/tokens/${token.id}`)).body.last_used_by).toBeNull();
    const forged = { "cloudfront-viewer-address": "192.0.2.1:443", "x-forwarded-for": "192.0.2.1" };
    await token.send("GET", "/me", { headers: { "user-agent": agent, ...forged } });
    const { body } = await ada.get(`/tokens/${token.id}`);
    expect(body.last_used_by).toEqual({ client, network: "127.0.0.0/24" });
  });

  test("names only the projects to which a token is narrowed", async () => {
    const ada = await actors.developer();
    const second = newSlug();
    for (const slug of [`${second}x`, second, second.slice(0, -2)]) await ada.post("/projects", { slug });
    const narrowed = await ada.token({ projects: [second] });
    expect((await ada.get(`/tokens/${narrowed.id}`)).body.reach).toEqual([second]);
  });

  test("of a token with more than 100 events says that these are not all", async () => {
    const ada = await actors.developer();
    const token = await ada.token({ scopes: ["publish", "projects"] });
    await token.get("/me");
    const account = accountKey(service.issuer, ada.uid);
    const events = await itemsOf(service, keys.account(account).PK);
    const use = events.find(({ type, tokenId }) => type === "token_first_used" && tokenId === token.id);
    const storeUses = (count: number) =>
      storeItems(
        service,
        Array.from({ length: count }, () => newId(new Date())).map((id) => ({
          ...use,
          ...keys.event(account, id),
          id,
        })),
      );
    // Its creation and its first use are the other two.
    await storeUses(98);
    const complete = (await ada.get(`/tokens/${token.id}`)).body;
    expect([complete.activity.length, complete.activity_complete]).toEqual([100, true]);
    await storeUses(1);
    const { body } = await ada.get(`/tokens/${token.id}`);
    expect([body.activity.length, body.activity_complete]).toEqual([100, false]);
  });
});

describe("a personal access token", () => {
  test("has its use recorded at most once an hour, with an event the first time", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    const lastUsed = async () => (await ada.get("/tokens")).body.tokens[0].last_used_at;
    expect(await lastUsed()).toBeNull();
    await token.get("/me");
    const first = await lastUsed();
    expect(first).toEqual(time);
    await token.get("/me");
    expect(await lastUsed()).toBe(first);
    const setLastUsed = async (secondsAgo: number) => {
      const at = new Date(Date.now() - secondsAgo * 1_000).toISOString();
      await setAttribute(service, keys.token(accountKey(service.issuer, ada.uid), token.id), "lastUsedAt", at);
      await token.get("/me");
      return at;
    };
    // Ten seconds are left of the hour.
    expect(await setLastUsed(3_590)).toBe(await lastUsed());
    await setLastUsed(3_600);
    expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(Date.parse(first));
    const items = await itemsOf(service, keys.account(accountKey(service.issuer, ada.uid)).PK);
    expect(items.flatMap(({ type }) => (/_used/.test(String(type)) ? [type] : []))).toEqual(["token_first_used"]);
  });
});
