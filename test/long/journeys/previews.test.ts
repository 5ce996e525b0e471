import { beforeEach, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { keys } from "../../../functions/table/keys.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { play } from "../../support/service/play.ts";
import { manifestOf, openRelease, publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";
import { opening } from "../../support/service/visits.ts";
import { itemsOf, setAttribute, storedItem } from "../../support/table/stored.ts";

const service = useEdgeService();
const ada = useOwner(service);
let path: string;

beforeEach(() => {
  path = `/projects/${ada.slug}`;
});

const folder = (text: string) => ({ "index.html": text });

/** Opens a release and its preview. */
async function previewed(text = "next") {
  const { body: opened } = await openRelease(ada, ada.slug, folder(text));
  const { id, expires_at: expiresAt } = opened.release;
  const { status, body } = await ada.post(`${path}/releases/${id}/preview`);
  expect(status).toBe(200);
  const label = new URL(body.preview.url).hostname.split(".")[0] ?? "";
  return { id, expiresAt, label, body };
}

const stored = (label: string) => service.games.store.edge(0).get(label);
const list = async () => (await ada.get(`${path}/previews`)).body.previews;

describe("a preview", () => {
  test("plays an open release at a URL of its own, listed by no search engine, and the live one stays", async () => {
    await publish(ada, ada.slug, folder("live"));
    const { id, expiresAt, label, body } = await previewed();
    expect(body).toMatchObject({
      preview: { release: { id, status: "open" }, expires_at: expiresAt },
      edge: "updated",
    });
    expect(label).toMatch(new RegExp(`^${ada.slug}--[0-9a-f]{20}$`));
    const { status, headers, body: page } = await play(service, label);
    expect({ status, page: page.toString(), robots: headers["x-robots-tag"] }).toEqual({
      status: 200,
      page: "next",
      robots: "noindex",
    });
    const live = await play(service, ada.slug);
    expect(live.body.toString()).toBe("live");
    expect(live.headers).not.toHaveProperty("x-robots-tag");
    expect(stored(label)).toMatch(new RegExp(`^p\\.[\\w-]{43}\\.${Date.parse(expiresAt) / 1_000}$`));
    expect(await list()).toEqual([body.preview]);
  });

  test("is not there before it is opened, nor by other digits", async () => {
    const { body } = await openRelease(ada, ada.slug, folder("next"));
    const { manifest } = (await storedItem(service, keys.release(ada.slug, body.release.id))) as { manifest: string };
    expect((await play(service, `${ada.slug}--${manifest.slice(0, 20)}`)).status).toBe(404);
    service.games.operations.length = 0;
    expect((await ada.delete(`${path}/releases/${body.release.id}/preview`)).status).toBe(200);
    expect(service.games.operations).toEqual([]);
    await ada.post(`${path}/releases/${body.release.id}/preview`);
    expect((await play(service, `${ada.slug}--${"0".repeat(20)}`)).status).toBe(404);
  });

  test("opened twice is one, and expires later if its release does", async () => {
    const { id, label } = await previewed();
    await previewed("other");
    service.games.operations.length = 0;
    const again = await ada.post(`${path}/releases/${id}/preview`);
    expect(again).toMatchObject({ status: 200, body: { edge: "updated" } });
    expect(service.games.operations).toEqual([]);
    expect(await list()).toHaveLength(2);
    const later = Math.floor(Date.now() / 1_000) + 8 * 86_400;
    await setAttribute(service, keys.release(ada.slug, id), "ttl", later);
    await ada.post(`${path}/releases/${id}/preview`);
    const ends = (await list()).map(({ expires_at: at }: { expires_at: string }) => Date.parse(at) / 1_000);
    expect(ends).toEqual([expect.any(Number), later]);
    expect(stored(label)).toMatch(new RegExp(`\\.${later}$`));
  });

  test("that is deleted is gone, its release stays open, and another preview stays", async () => {
    const other = await previewed("other");
    const { id, label } = await previewed();
    const end = () => ada.delete(`${path}/releases/${id}/preview`);
    expect(await end()).toMatchObject({ status: 200, body: { edge: "updated" } });
    service.games.operations.length = 0;
    expect(await end()).toMatchObject({ status: 200, body: { edge: "updated" } });
    expect(service.games.operations).toEqual([]);
    expect(stored(label)).toBeUndefined();
    const { status, body: page } = await play(service, label, { headers: opening });
    expect({ status, page: page.toString() }).toEqual({
      status: 404,
      page: expect.stringMatching(
        `<h1>This preview has ended</h1><p>Ask for a new one.<p><a href="//${ada.slug}\\.${service.gamesDomain}"><b>To the game</b></a></main>`,
      ),
    });
    expect(await list()).toEqual([other.body.preview]);
    expect((await play(service, other.label)).body.toString()).toBe("other");
    expect((await ada.get(`${path}/releases/${id}`)).body.status).toBe("open");
  });

  test("that is promoted is gone: its very bytes are live, and it does not come back with the next release", async () => {
    const other = await previewed("other");
    const { id, label } = await previewed();
    const digest = stored(label)?.split(".")[1];
    await ada.post(`${path}/releases/${id}/publish`, {});
    expect(stored(label)).toBeUndefined();
    expect(stored(ada.slug)).toMatch(new RegExp(`^l\\.${digest}\\.\\.\\.`));
    expect((await play(service, ada.slug)).body.toString()).toBe("next");
    await publish(ada, ada.slug, folder("another"));
    expect(stored(label)).toBeUndefined();
    expect(await list()).toEqual([other.body.preview]);
    expect(stored(other.label)).toBeDefined();
  });

  test("of a suspended or deleted project is gone, and comes back with it", async () => {
    const { label } = await previewed();
    await ada.delete(path);
    expect(stored(label)).toBeUndefined();
    expect((await play(service, label)).status).toBe(404);
    await ada.post(`${path}/restore`);
    expect(stored(label)).toMatch(/^p\./);
    expect((await play(service, label)).status).toBe(200);
  });

  test("that has expired is gone for players, and from the store once its time is looked at", async () => {
    const { id, label } = await previewed();
    const { previews } = (await storedItem(service, keys.project(ada.slug))) as { previews: { expiresAt: number }[] };
    const before = Math.floor(Date.now() / 1_000) - 1;
    await setAttribute(service, keys.project(ada.slug), "previews", [{ ...previews[0], expiresAt: before }]);
    expect((await play(service, label)).status).toBe(404);
    expect(await list()).toEqual([]);
    await setAttribute(service, keys.release(ada.slug, id), "ttl", before);
    await previewed("other");
    expect(stored(label)).toBeUndefined();
  });

  test("leaves an item that takes it from the store when it expires", async () => {
    const { label } = await previewed();
    const [item] = (await waitingItems()).filter(({ previews }) => previews.includes(label));
    expect(Date.parse(item?.from ?? "") - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  });

  test("of a release whose manifest is withdrawn is deleted", async () => {
    const first = await publish(ada, ada.slug, folder("leak"));
    await publish(ada, ada.slug, folder("fixed"));
    const other = await previewed("other");
    const { label } = await previewed("leak");
    expect(stored(label)).toBeDefined();
    expect((await ada.post(`${path}/releases/${first}/withdraw`)).status).toBe(200);
    expect(stored(label)).toBeUndefined();
    expect(await list()).toEqual([other.body.preview]);
    expect(stored(other.label)).toBeDefined();
  });
});

async function waitingItems() {
  await writePointers(AbortSignal.timeout(5_000));
  return (await itemsOf(service, "POINTER#WAITING")) as { from: string; previews: string[] }[];
}

describe("a preview of a release that was live before", () => {
  const day = 86_400_000;

  test("plays its files until it is ended, made live or withdrawn, and what is live stays", async () => {
    const first = await publish(ada, ada.slug, folder("first"));
    const second = await publish(ada, ada.slug, folder("second"));
    await publish(ada, ada.slug, folder("live"));
    const open = async (id: string) => {
      const { status, body } = await ada.post(`${path}/releases/${id}/preview`);
      expect({ status, body }).toMatchObject({ status: 200, body: { preview: { release: { id, expires_at: null } } } });
      return { ...body.preview, label: new URL(body.preview.url).hostname.split(".")[0] ?? "" };
    };
    const [one, two] = [await open(first), await open(second)];
    expect(Date.parse(one.expires_at) - Date.now()).toBeGreaterThan(7 * day);
    expect(Date.parse(one.expires_at) - Date.now()).toBeLessThanOrEqual(8 * day);
    expect(await open(first)).toEqual(one);
    const { headers, body: page } = await play(service, one.label);
    expect({ page: page.toString(), robots: headers["x-robots-tag"] }).toEqual({ page: "first", robots: "noindex" });
    expect((await play(service, ada.slug)).body.toString()).toBe("live");
    expect((await ada.post(`${path}/releases/${second}/withdraw`)).status).toBe(200);
    expect(stored(two.label)).toBeUndefined();
    expect(await ada.post(`${path}/releases/${second}/preview`)).toMatchObject({
      status: 409,
      body: { code: "release_withdrawn" },
    });
    expect((await ada.delete(`${path}/releases/${first}/preview`)).status).toBe(200);
    expect((await play(service, one.label)).status).toBe(404);
    expect((await ada.get(`${path}/releases/${first}`)).body.status).toBe("published");
    await open(first);
    await ada.post(`${path}/releases/${first}/publish`);
    expect(await list()).toEqual([]);
    expect(stored(one.label)).toBeUndefined();
  });

  test("is one with that of an open release that has the same files", async () => {
    const first = await publish(ada, ada.slug, folder("same"));
    await publish(ada, ada.slug, folder("live"));
    const { id, label } = await previewed("same");
    expect(id).not.toBe(first);
    expect((await ada.post(`${path}/releases/${first}/preview`)).status).toBe(200);
    expect(await list()).toMatchObject([{ release: { id: first } }]);
    expect((await play(service, label)).status).toBe(200);
  });

  test("is kept for 30 days, and for no longer than others again", async () => {
    const first = await publish(ada, ada.slug, folder("first"));
    await publish(ada, ada.slug, folder("live"));
    await ada.post(`${path}/releases/${first}/preview`);
    const until = async (kept: boolean) => {
      const { status, body } = await ada.patch(`${path}/previews/${first}`, { kept });
      expect({ status, release: body.preview.release }).toMatchObject({ status: 200, release: { expires_at: null } });
      return (Date.parse(body.preview.expires_at) - Date.now()) / day;
    };
    expect(await until(true)).toBeGreaterThan(30);
    expect(await until(false)).toBeLessThanOrEqual(7);
  });

  test("is not opened by who may only open previews", async () => {
    const preview = await ada.token({ scopes: ["preview"] });
    await openRelease(preview, ada.slug, folder("first"));
    const first = await publish(ada, ada.slug, folder("first"));
    await publish(ada, ada.slug, folder("live"));
    const open = `${path}/releases/${first}/preview`;
    expect(await preview.post(open)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    const another = await ada.token({ scopes: ["preview"] });
    expect(await another.post(open)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await (await ada.token()).post(open)).toMatchObject({ status: 200 });
  });
});

describe("POST …/releases/:id/preview refuses", () => {
  test("a release that is live, and one that lacks a file", async () => {
    const live = await publish(ada, ada.slug, folder("live"));
    expect(await ada.post(`${path}/releases/${live}/preview`)).toMatchObject({
      status: 409,
      body: { code: "release_live" },
    });
    const { body } = await ada.post(`${path}/releases`, { files: manifestOf(folder("missing")) });
    expect(await ada.post(`${path}/releases/${body.release.id}/preview`)).toMatchObject({
      status: 409,
      body: { code: "release_incomplete" },
    });
  });

  test("one more than a project may have, also if they are opened at once", async () => {
    const ids = [];
    for (let index = 0; index <= limits.previewsPerProject; index += 1)
      ids.push((await openRelease(ada, ada.slug, folder(String(index)))).body.release.id);
    // Whoever has met ten changes of others is told to ask again.
    const open = async (id: string): Promise<number> => {
      const { status } = await ada.post(`${path}/releases/${id}/preview`);
      return status === 503 ? await open(id) : status;
    };
    const statuses = await Promise.all(ids.map(open));
    expect(statuses.filter((status) => status === 200)).toHaveLength(limits.previewsPerProject);
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
    expect(await list()).toHaveLength(limits.previewsPerProject);
  });
});
