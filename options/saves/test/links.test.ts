import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Key } from "../../../functions/table/keys.ts";
import { readItems } from "../../../functions/table/read.ts";
import { newProject, openRelease, publish } from "../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../test/support/service/suite.ts";
import { itemsOf, setAttribute } from "../../../test/support/table/stored.ts";
import { linkDigest, savesLinkKey } from "../functions/keys.ts";
import { spendLink } from "../functions/saves-link-items.ts";
import { makeLink, takeLink } from "../functions/saves-links.ts";
import { sealedBody, sealedBytes } from "./support/operations.ts";

/*
 * Saved games that a player sends by a link, from the bytes in the store to the one who takes them.
 */

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);
let slug: string;
beforeEach(async () => {
  slug = ada.slug;
  await publish(ada, slug, { "index.html": "1" });
});

const pathOf = (site: string) => `/.well-known/svc/saves/${site}`;
const anybody = (path: string, body: unknown) =>
  ada.send("POST", path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const make = (site = slug, bytes = sealedBytes) => anybody(pathOf(site), sealedBody(bytes));
const take = (id: string, site = slug) => anybody(`${pathOf(site)}/take`, { id });

/** Uploads bytes as the page of the game's origin does. */
async function upload({ url, headers }: { url: string; headers: Record<string, string> }, bytes = sealedBytes) {
  const origin = `http://${slug}.${service.gamesDomain}`;
  // A page cannot set the length.
  const { "content-length": _, ...sent } = headers;
  return (await fetch(url, { method: "PUT", headers: { ...sent, origin }, body: new Uint8Array(bytes) })).status;
}

async function sent(site = slug): Promise<string> {
  const { body } = await make(site);
  expect(await upload(body.upload)).toBe(200);
  return body.id;
}

/** The code with which a call is refused; undefined if it is not. */
async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    return void (await call);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const notFound = { status: 404, body: { code: "saves_link_not_found" } };
const unavailable = { status: 404, body: { code: "saves_unavailable" } };
const itemsThat = async (beginning: string, site: string) =>
  (await itemsOf(service, `SAVES#${site}`)).filter((item) => String(item["SK"]).startsWith(beginning));
const links = (site = slug) => itemsThat("LINK#", site);
const hours = () => itemsThat("HOUR#", slug);

describe("sealed saved games", () => {
  test("are given to the one who has their id, as bytes that no browser shows, and then to nobody", async () => {
    const id = await sent();
    const { status, body } = await take(id);
    expect(status).toBe(200);
    const response = await fetch(body.url, { headers: { origin: `http://${slug}.${service.gamesDomain}` } });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(sealedBytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "cache-control": "no-store",
      "access-control-allow-origin": "*",
    });
    // At the store's own host.
    expect(new URL(body.url).host).toBe(new URL(service.s3Endpoint).host);
    expect(await take(id)).toMatchObject(notFound);
    expect(await links()).toEqual([]);
  });

  test("are given to one of ten who ask at the same time", async () => {
    const id = await sent();
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await take(id)).status));
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(404)]);
  });

  test("are given to one of two who have both found them", async () => {
    const now = new Date("2026-11-25T13:30:00Z");
    const { id } = await makeLink(slug, { sizeBytes: 6, sha256: sealedBody().sha256 }, now);
    const [link] = await readItems([savesLinkKey(slug, linkDigest(id))]);
    if (link === undefined) throw new Error("There is no link");
    const spend = () => spendLink({ slug, site: slug, digest: linkDigest(id) }, link, now);
    expect([await spend(), await spend()]).toEqual([true, false]);
  });

  test("are kept under a digest of their id, with length and end, and nothing else is", async () => {
    const now = new Date("2026-11-25T13:59:59.500Z");
    const { id, expiresAt } = await makeLink(slug, { sizeBytes: 6, sha256: sealedBody().sha256 }, now);
    expect(expiresAt.toISOString()).toBe("2026-11-25T14:59:59.000Z");
    const all = await itemsOf(service, `SAVES#${slug}`);
    expect(all).toEqual([
      expect.objectContaining({ SK: "HOUR#2026-11-25T13", links: 1, sizeBytes: 6 }),
      {
        PK: `SAVES#${slug}`,
        SK: expect.stringMatching(/^LINK#[0-9a-f]{64}$/),
        sizeBytes: 6,
        ttl: Date.parse("2026-11-25T14:59:59Z") / 1_000,
      },
    ]);
    expect(JSON.stringify(all)).not.toContain(id);
  });

  test("are given for an hour, to the second", async () => {
    const now = new Date("2026-11-25T13:00:00Z");
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const sealed = { sizeBytes: 6, sha256: sealedBody().sha256 };
    const [first, second] = [await makeLink(slug, sealed, now), await makeLink(slug, sealed, now)];
    // DynamoDB deletes an item some days after its time.
    for (const seconds of [3_600, 86_400])
      expect(await codeOf(takeLink(slug, first.id, later(seconds)))).toBe("saves_link_not_found");
    expect(await takeLink(slug, second.id, later(3_599))).toContain("X-Amz-Expires=60");
  });

  test("are given at the host that they were sent at: to no other game, and not at a preview of the same", async () => {
    const id = await sent();
    const { body } = await openRelease(ada, slug, { "index.html": "preview" });
    const preview = await ada.post(`/projects/${slug}/releases/${body.release.id}/preview`);
    const [label = ""] = new URL(preview.body.preview.url).hostname.split(".");
    const other = await newProject(ada);
    await publish(ada, other, { "index.html": "1" });
    for (const site of [other, label]) expect(await take(id, site)).toMatchObject(notFound);
    const ofPreview = await sent(label);
    expect(await take(ofPreview)).toMatchObject(notFound);
    expect((await take(ofPreview, label)).status).toBe(200);
    expect((await take(id)).status).toBe(200);
    // A preview takes no room of its own.
    expect(await hours()).toMatchObject([{ links: 2 }]);
  });

  test("are neither taken nor given while nobody can play the game", async () => {
    const id = await sent();
    await ada.post(`/projects/${slug}/unpublish`);
    expect(await make()).toMatchObject(unavailable);
    expect(await take(id)).toMatchObject(unavailable);
    expect(await make("nobodys-game")).toMatchObject(unavailable);
    expect(await make(`${slug}--${"0".repeat(20)}`)).toMatchObject(unavailable);
    expect(await itemsOf(service, "SAVES#nobodys-game")).toEqual([]);
    expect(await links()).toHaveLength(1);
  });

  test("count as bytes that players of the game got, once they are taken", async () => {
    const id = await sent();
    const counted = async () => (await itemsOf(service, `STATISTICS#${slug}`)).map(({ sentBytes }) => sentBytes);
    expect(await counted()).toEqual([]);
    await take(id);
    await take(id);
    expect(await counted()).toEqual([6]);
    await take(await sent());
    expect(await counted()).toEqual([12]);
  });

  test("are written once, with the length and the digest that were told, and nothing else is", async () => {
    const bytes = randomBytes(1_000);
    const { body } = await make(slug, bytes);
    expect(await upload(body.upload, randomBytes(1_000))).toBe(400);
    expect(await upload(body.upload, bytes.subarray(1))).not.toBe(200);
    expect(await upload(body.upload, bytes)).toBe(200);
    expect(await upload(body.upload, bytes)).toBe(412);
  });
});

describe("above what a game may send in an hour", () => {
  const mebibyte = 1024 ** 2;
  const now = new Date("2026-11-25T13:30:00Z");
  const makeOf = (sizeBytes: number, at = now) =>
    codeOf(makeLink(slug, { sizeBytes, sha256: sealedBody().sha256 }, at));

  test("a link is refused: of more than 256 MiB together, to the byte", async () => {
    for (let made = 0; made < 3; made += 1) expect(await makeOf(64 * mebibyte)).toBeUndefined();
    expect(await makeOf(63 * mebibyte)).toBeUndefined();
    expect(await makeOf(mebibyte + 1)).toBe("saves_link_limit_reached");
    expect(await makeOf(mebibyte)).toBeUndefined();
    expect(await makeOf(1)).toBe("saves_link_limit_reached");
    expect(await hours()).toMatchObject([{ links: 5, sizeBytes: 256 * mebibyte }]);
    expect(await links()).toHaveLength(5);
    expect(await makeOf(1, new Date("2026-11-25T14:00:00Z"))).toBeUndefined();
  });

  test("the 301st is refused, until the next hour begins", async () => {
    const makeOne = () => makeLink(slug, { sizeBytes: 1, sha256: "0".repeat(64) }, now);
    await makeOne();
    const [{ PK, SK }] = (await hours()) as unknown as [Key];
    await setAttribute(service, { PK, SK }, "links", 299);
    await makeOne();
    await expect(makeOne()).rejects.toMatchObject({ code: "saves_link_limit_reached", retryAfterSeconds: 1_800 });
    expect(await links()).toHaveLength(2);
  });
});

test.each<[string, object, string]>([
  ["of more than 64 MiB", { size_bytes: 64 * 1024 ** 2 + 1 }, "/size_bytes"],
  ["of nothing", { size_bytes: 0 }, "/size_bytes"],
  ["of half a byte", { size_bytes: 0.5 }, "/size_bytes"],
  ["with another digest", { sha256: "x" }, "/sha256"],
  ["with a key", { key: "k" }, ""],
])("a link %s is refused", async (_, changes, pointer) => {
  expect(await anybody(pathOf(slug), { ...sealedBody(), ...changes })).toMatchObject({
    status: 422,
    body: { code: "validation_failed", errors: [{ pointer: expect.stringContaining(pointer) }] },
  });
  expect(await itemsOf(service, `SAVES#${slug}`)).toEqual([]);
});
