import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { addMember } from "../../../test/support/service/operations.ts";
import { gameUrl } from "../../../test/support/service/play.ts";
import { openRelease, publish } from "../../../test/support/service/steps.ts";
import { useOwner, useService } from "../../../test/support/service/suite.ts";
import { everyItem, removeItem, setAttribute, storedItem } from "../../../test/support/table/stored.ts";
import { profileKeys } from "../functions/keys.ts";
import { marks, openPage } from "./support/telemetry-page.ts";

const service = useService();
const actors = actorsOf(service);
const ada = useOwner(service);
let path: string;
let live: string;
beforeEach(async () => {
  path = `/projects/${ada.slug}/telemetry-grants`;
  live = await publish(ada, ada.slug, { "index.html": "1" });
});

const profiles = async () => (await ada.get(`/projects/${ada.slug}/profiles`)).body.profiles;
const accountOf = ({ uid }: { uid: string }) => keys.account(accountKey(service.issuer, uid));

describe("creating a telemetry grant", () => {
  test("responds with an empty profile of the live release, and once with the URL that has the grant", async () => {
    const before = Date.now();
    const { status, headers, body } = await ada.post(path);
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/projects/${ada.slug}/profiles/${body.profile.id}`);
    const { id, release, device, bytes, grant_ends_at, expires_at } = body.profile;
    expect({ release, device, bytes }).toEqual({ release: live, device: null, bytes: 0 });
    expect(Date.parse(grant_ends_at) - before).toBeGreaterThan(3_598_000);
    expect(Date.parse(grant_ends_at) - before).toBeLessThan(3_605_000);
    expect(Math.round((Date.parse(expires_at) - before) / 86_400_000)).toBe(30);
    const digest = (await storedItem(service, keys.release(ada.slug, live)))?.["manifest"];
    const name = Buffer.from(String(digest), "hex").toString("base64url");
    expect(body.url).toMatch(
      new RegExp(`^${gameUrl(service, ada.slug)}\\.well-known/svc/profile#tgr_[0-9A-Za-z]{32}\\.${name}$`),
    );
    expect(await profiles()).toEqual([body.profile]);
    expect((await ada.get(`/projects/${ada.slug}/profiles/${id}`)).body).toEqual({
      profile: body.profile,
      records: [],
    });
  });

  test("stores its hash and nothing of the grant itself", async () => {
    const { grant } = await openPage(service, ada, ada.slug);
    const stored = JSON.stringify(await everyItem(service));
    expect(stored).not.toContain(grant);
    expect(stored).not.toContain(grant.slice(4));
    expect(stored).toContain(createHash("sha256").update(grant).digest("base64"));
  });

  test("of a release with a preview, open or earlier, is for the preview's origin; of another one it is refused", async () => {
    const { body } = await openRelease(ada, ada.slug, { "index.html": "2" });
    const { id } = body.release;
    expect(await ada.post(path, { release: id })).toMatchObject({ status: 404, body: { code: "preview_not_found" } });
    const shown = await ada.post(`/projects/${ada.slug}/releases/${id}/preview`);
    const preview = await ada.post(path, { release: id });
    expect(preview.body.profile.release).toBe(id);
    expect(new URL(preview.body.url).origin).toBe(new URL(shown.body.preview.url).origin);
    expect(await ada.post(path, { release: "none" })).toMatchObject({ body: { code: "preview_not_found" } });
  });

  test("needs a live release, if none is named", async () => {
    await ada.post(`/projects/${ada.slug}/unpublish`);
    expect(await ada.post(path)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  });

  test("is for the uid that owns the game, and not for an admin", async () => {
    const grace = await actors.otherDeveloper();
    await addMember(ada, ada.slug, grace, "admin");
    expect(await grace.post(path)).toMatchObject({ status: 403, body: { code: "project_role_required" } });
    expect(await profiles()).toEqual([]);
  });

  test("by the owner makes a profile that a publisher sees and may end, by a token too", async () => {
    const grace = await actors.otherDeveloper();
    await addMember(ada, ada.slug, grace, "publisher");
    for (const member of [grace, await grace.token()]) {
      const page = await openPage(service, ada, ada.slug);
      expect((await page.send(0, marks(1))).status).toBe(200);
      expect((await member.get(`/projects/${ada.slug}/profiles/${page.id}`)).body.records).toEqual(marks(1));
      expect((await member.delete(`${path}/${page.id}`)).status).toBe(204);
      expect((await page.send(1, marks(1))).status).toBe(401);
    }
  });

  test("is refused beyond ten of an account, in all projects; one that ended or expired makes room", async () => {
    const { body: second } = await ada.post("/projects", { slug: `${ada.slug.slice(0, 20)}-2` });
    await publish(ada, second.slug, { "index.html": "1" });
    const ids: string[] = [];
    for (let made = 0; made < 10; made += 1) {
      const slug = made % 2 === 0 ? ada.slug : second.slug;
      ids.push((await ada.post(`/projects/${slug}/telemetry-grants`)).body.profile.id);
    }
    const refusal = { status: 409, body: { code: "telemetry_grant_limit_reached" } };
    expect(await ada.post(path)).toMatchObject(refusal);
    await ada.delete(`${path}/${ids[0]}`);
    expect((await ada.post(path)).status).toBe(201);
    expect(await ada.post(path)).toMatchObject(refusal);
    const stored = (await storedItem(service, accountOf(ada)))?.["telemetryGrants"] as Record<string, string>;
    await setAttribute(service, accountOf(ada), "telemetryGrants", {
      ...stored,
      [`${ids[1]}`]: new Date().toISOString(),
    });
    expect((await ada.post(path)).status).toBe(201);
    const kept = (await storedItem(service, accountOf(ada)))?.["telemetryGrants"] as Record<string, string>;
    expect(Object.keys(kept)).toHaveLength(10);
    expect(kept).not.toHaveProperty(`${ids[1]}`);
  });

  test("counts 2 MiB and an object of the quota, and is refused if there is no room", async () => {
    const used = async () => (await ada.get("/me")).body.storage;
    const before = await used();
    await ada.post(path);
    const after = await used();
    expect({ bytes: after.bytes - before.bytes, objects: after.objects - before.objects }).toEqual({
      bytes: 2_097_152,
      objects: 1,
    });
    const { usedBytes } = (await storedItem(service, keys.project(ada.slug))) as { usedBytes: number };
    await setAttribute(service, keys.project(ada.slug), "usedBytes", after.project_limit.bytes - 2_097_151);
    expect(await ada.post(path)).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
    await setAttribute(service, keys.project(ada.slug), "usedBytes", usedBytes);
    const ledger = keys.ledger(accountKey(service.issuer, ada.uid));
    await setAttribute(service, ledger, "usedBytes", after.limit.bytes - 2_097_151);
    expect(await ada.post(path)).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
  });
});

describe("ending a telemetry grant", () => {
  test("responds with 204, also a second time; the profile stays and takes nothing more", async () => {
    const page = await openPage(service, ada, ada.slug);
    await page.send(0, marks(1));
    const { grantKey } = (await storedItem(service, profileKeys.profile(ada.slug, page.id))) as { grantKey: string };
    for (let time = 0; time < 2; time += 1) expect((await ada.delete(`${path}/${page.id}`)).status).toBe(204);
    expect(await storedItem(service, profileKeys.telemetryGrant(grantKey))).toBeUndefined();
    expect(await page.send(1, marks(1))).toMatchObject({ status: 401, body: { code: "telemetry_grant_invalid" } });
    const { body } = await ada.get(`/projects/${ada.slug}/profiles/${page.id}`);
    expect(body).toMatchObject({ profile: { grant_ends_at: null }, records: marks(1) });
    expect((await storedItem(service, accountOf(ada)))?.["telemetryGrants"]).toEqual({});
  });

  test("by another one of the project's people makes room among the maker's ten", async () => {
    const grace = await actors.otherDeveloper();
    await addMember(ada, ada.slug, grace, "publisher");
    const first = (await ada.post(path)).body.profile.id;
    const stored = (await storedItem(service, accountOf(ada)))?.["telemetryGrants"] as Record<string, string>;
    const others = Array.from({ length: 9 }, (_, index) => [`grant${index}`, stored[first]]);
    await setAttribute(service, accountOf(ada), "telemetryGrants", { ...stored, ...Object.fromEntries(others) });
    expect(await ada.post(path)).toMatchObject({ status: 409 });
    expect((await grace.delete(`${path}/${first}`)).status).toBe(204);
    expect((await ada.post(path)).status).toBe(201);
    expect(await ada.post(path)).toMatchObject({ status: 409, body: { code: "telemetry_grant_limit_reached" } });
  });

  test("whose maker's account is gone responds with 204 too", async () => {
    const grace = await actors.otherDeveloper();
    await addMember(ada, ada.slug, grace, "publisher");
    const { id } = (await ada.post(path)).body.profile;
    await removeItem(service, accountOf(ada));
    expect((await grace.delete(`${path}/${id}`)).status).toBe(204);
  });

  test("of another project, or one that never was, is not found", async () => {
    const eve = await actors.otherDeveloper();
    const { body } = await eve.post("/projects", { slug: `${ada.slug.slice(0, 20)}-e` });
    const page = await openPage(service, eve, body.slug);
    for (const id of [page.id, "none"])
      expect(await ada.delete(`${path}/${id}`)).toMatchObject({ status: 404, body: { code: "profile_not_found" } });
    expect(await eve.delete(`${path}/${page.id}`)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect((await page.send(0, marks(1))).status).toBe(200);
  });
});

describe("profiles", () => {
  test("are listed page by page, the newest first, to their project's owner and to a token that may publish", async () => {
    const ids = [];
    for (let made = 0; made < 3; made += 1) ids.unshift((await ada.post(path)).body.profile.id);
    const token = await ada.token({ scopes: ["publish"] });
    const list = `/projects/${ada.slug}/profiles`;
    const first = await token.get(`${list}?limit=2`);
    const rest = await token.get(`${list}?limit=2&cursor=${first.body.next_cursor}`);
    const found = [...first.body.profiles, ...rest.body.profiles].map(({ id }: { id: string }) => id);
    expect(found).toEqual(ids);
    expect((await token.get(`${list}/${ids[0]}`)).status).toBe(200);
    const eve = await actors.otherDeveloper();
    expect(await eve.get(list)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect(await eve.get(`${list}/${ids[0]}`)).toMatchObject({ status: 404, body: { code: "project_not_found" } });
    expect(await ada.get(`${list}/none`)).toMatchObject({ status: 404, body: { code: "profile_not_found" } });
  });

  test("that have expired are neither listed nor found, though DynamoDB has not deleted them yet", async () => {
    const { id } = (await ada.post(path)).body.profile;
    await setAttribute(service, profileKeys.profile(ada.slug, id), "ttl", Math.floor(Date.now() / 1_000) - 1);
    expect(await profiles()).toEqual([]);
    expect((await ada.get(`/projects/${ada.slug}/profiles/${id}`)).status).toBe(404);
    expect((await ada.delete(`${path}/${id}`)).status).toBe(404);
  });
});
