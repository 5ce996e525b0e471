import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../../functions/table/keys.ts";
import { routes } from "../../../../../test/support/routes.ts";
import { actorsOf } from "../../../../../test/support/service/actors.ts";
import { addMember, perform } from "../../../../../test/support/service/operations.ts";
import { handOver, openRelease, publish } from "../../../../../test/support/service/steps.ts";
import { useOwner, useService } from "../../../../../test/support/service/suite.ts";
import { removeItem, setAttribute, storedItem } from "../../../../../test/support/table/stored.ts";
import { profileKeys } from "../../../functions/keys.ts";
import { grantOf } from "../../support/grant.ts";
import { marks, openPage, pageOf, type TelemetryPage } from "../../support/telemetry-page.ts";

/*
 * Attacks with telemetry grants, and what ends one. That only the uid that owns a game gets one: options/profiles/test/grants.test.ts.
 */
const service = useService();
const actors = actorsOf(service);
const ada = useOwner(service);
let page: TelemetryPage;
beforeEach(async () => {
  page = await openPage(service, ada, ada.slug);
});

const records = async () => (await ada.get(`/projects/${ada.slug}/profiles/${page.id}`)).body.records;

const invalid = { status: 401, body: { code: "telemetry_grant_invalid" } };

describe("a grant", () => {
  test("is taken from its game's origin alone", async () => {
    for (const origin of ["null", page.origin.replace("//", "//x"), page.origin.replace(ada.slug, `${ada.slug}--1`)])
      expect(await page.send(0, marks(1), { origin })).toMatchObject({
        status: 403,
        body: { code: "origin_not_allowed" },
      });
    const { grant } = page;
    const body = JSON.stringify({ page: "0123456789abcdef", first: 0, records: [] });
    const headers = { "content-type": "application/json" };
    expect(await actors.bearer(grant).send("POST", "/telemetry", { headers, body })).toMatchObject({ status: 403 });
    expect(await records()).toEqual([]);
  });

  test("that is forged, changed or none is refused, and the response says how to authenticate", async () => {
    const last = page.grant.endsWith("A") ? "B" : "A";
    for (const forged of [
      page.grant.slice(0, -1) + last,
      `tgr_${"0".repeat(32)}`,
      page.grant.toUpperCase(),
      "tgr_",
      "x",
    ]) {
      const response = await page.send(0, [], { authorization: `Bearer ${forged}` });
      expect(response).toMatchObject(invalid);
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
    expect(await page.send(0, [], { authorization: "" })).toMatchObject({ body: { code: "credential_missing" } });
    for (const credential of [ada.credential, (await ada.token()).credential])
      expect(await page.send(0, [], { authorization: `Bearer ${credential}` })).toMatchObject(invalid);
  });

  test("of one profile adds nothing to another", async () => {
    const other = await openPage(service, ada, ada.slug);
    await page.send(0, marks(1));
    expect((await ada.get(`/projects/${ada.slug}/profiles/${other.id}`)).body.records).toEqual([]);
  });

  test("that has expired is refused, though DynamoDB has not deleted it yet", async () => {
    await setAttribute(service, profileKeys.profile(ada.slug, page.id), "grantExpiresAt", new Date().toISOString());
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
  });

  test("whose item DynamoDB has deleted is refused", async () => {
    const { grantKey } = (await storedItem(service, profileKeys.profile(ada.slug, page.id))) as { grantKey: string };
    await removeItem(service, profileKeys.telemetryGrant(grantKey));
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
  });

  test("opens no other route", async () => {
    for (const [name, { method, path, credential }] of Object.entries(routes)) {
      if (credential === "none" || name === "sendTelemetry") continue;
      const filled = path
        .replace(/:slug/, ada.slug)
        .replace(/:id/, page.id)
        .replace(/[:*]\w+/g, "x");
      const operation = { method, path: filled, ...(method === "GET" ? {} : { body: {} }) };
      const { status, body } = await perform(actors.bearer(page.grant), operation);
      expect({ name, status, code: body.code }).toEqual({ name, status: 401, code: "id_token_invalid" });
    }
  });
});

describe("a grant is refused with the next request after", () => {
  const expectNextOneTaken = async () =>
    expect((await (await openPage(service, ada, ada.slug)).send(0, marks(1))).status).toBe(200);
  const account = () => accountKey(service.issuer, ada.uid);

  test("its token is revoked, and one that an ID token made goes on", async () => {
    const token = await ada.token();
    const ofToken = await openPage(service, token, ada.slug);
    expect((await ofToken.send(0, marks(1))).status).toBe(200);
    await ada.delete(`/tokens/${token.id}`);
    expect(await ofToken.send(1, marks(1))).toMatchObject(invalid);
    expect((await page.send(0, marks(1))).status).toBe(200);
  });

  test("its token expires", async () => {
    const token = await ada.token();
    const ofToken = await openPage(service, token, ada.slug);
    await setAttribute(service, keys.token(account(), token.id), "expiresAt", new Date().toISOString());
    expect(await ofToken.send(0, marks(1))).toMatchObject(invalid);
  });

  test("all tokens of its account are revoked", async () => {
    expect((await ada.delete("/tokens")).status).toBe(200);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
    await expectNextOneTaken();
  });

  test("its project is deleted, also when it comes back", async () => {
    await ada.delete(`/projects/${ada.slug}`);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
    expect((await ada.post(`/projects/${ada.slug}/restore`)).status).toBe(200);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
    await expectNextOneTaken();
  });

  test("its project is handed over, also when it comes back", async () => {
    const eve = await ada.otherDeveloper();
    expect((await handOver(ada, ada.slug, eve)).status).toBe(200);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
    expect((await handOver(eve, ada.slug, ada)).status).toBe(200);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
    await expectNextOneTaken();
  });

  test("its maker owns the game no more and stays its admin", async () => {
    const grace = await ada.otherDeveloper();
    await addMember(ada, ada.slug, grace, "admin");
    const owner = keys.project(ada.slug);
    const { members } = (await storedItem(service, owner)) as { members: Record<string, object> };
    const [[graceKey, member] = ["", {}]] = Object.entries(members);
    await setAttribute(service, owner, "ownerKey", graceKey);
    await setAttribute(service, owner, "members", { [account()]: member });
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
  });

  test("it was made by a member, as a version stored it that gave them one", async () => {
    const grace = await ada.otherDeveloper();
    await addMember(ada, ada.slug, grace, "admin");
    const { grantKey } = (await storedItem(service, profileKeys.profile(ada.slug, page.id))) as { grantKey: string };
    const member = accountKey(service.issuer, grace.uid);
    await setAttribute(service, profileKeys.telemetryGrant(grantKey), "accountKey", member);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
  });

  test("its project is taken offline, also when it is published again, and not after another release went live", async () => {
    await publish(ada, ada.slug, { "index.html": "another release" });
    expect((await page.send(0, marks(1))).status).toBe(200);
    for (let turn = 0; turn < 2; turn += 1) {
      const ofTurn = turn === 0 ? page : await openPage(service, ada, ada.slug);
      expect((await ada.post(`/projects/${ada.slug}/unpublish`)).status).toBe(200);
      expect(await ofTurn.send(1 - turn, marks(1))).toMatchObject(invalid);
      await publish(ada, ada.slug, { "index.html": "another release" });
      expect(await ofTurn.send(1 - turn, marks(1))).toMatchObject(invalid);
    }
    await expectNextOneTaken();
  });

  test("its preview ends, also when it is opened again, and one for the live release goes on", async () => {
    const body = { name: "pr-12" };
    const { id } = (await openRelease(ada, ada.slug, { "index.html": "a draft" })).body.release;
    const preview = `/projects/${ada.slug}/releases/${id}/preview`;
    expect((await ada.post(preview, body)).status).toBeLessThan(300);
    const ofPreview = pageOf(service, await grantOf(ada, ada.slug, id));
    expect((await ofPreview.send(0, marks(1))).status).toBe(200);
    expect((await ada.post(preview, body)).status).toBeLessThan(300);
    expect((await ofPreview.send(1, marks(1))).status).toBe(200);
    expect((await ada.delete(preview)).status).toBe(200);
    expect(await ofPreview.send(2, marks(1))).toMatchObject(invalid);
    expect((await ada.post(preview, body)).status).toBeLessThan(300);
    expect(await ofPreview.send(2, marks(1))).toMatchObject(invalid);
    expect((await pageOf(service, await grantOf(ada, ada.slug, id)).send(0, marks(1))).status).toBe(200);
    expect((await page.send(0, marks(1))).status).toBe(200);
  });

  const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };

  test("its project is suspended", async () => {
    await setAttribute(service, keys.project(ada.slug), "suspension", suspension);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
  });

  test("its account is suspended or gone", async () => {
    await setAttribute(service, keys.account(account()), "suspension", suspension);
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
    await removeItem(service, keys.account(account()));
    expect(await page.send(0, marks(1))).toMatchObject(invalid);
  });
});
