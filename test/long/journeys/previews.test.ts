import { beforeEach, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { keys } from "../../../functions/table/keys.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { play } from "../../support/service/play.ts";
import { handOver, manifestOf, openRelease, publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";
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

/* Previews with names. test/api/releases/named-previews.test.ts has the API's part. */

const document = { "sec-fetch-dest": "document", accept: "text/html" };

/** Shows a release with these files at the preview's URL, and returns the first label of its host. */
async function push(files: Readonly<Record<string, string>>, body: object = {}): Promise<string> {
  const { body: opened } = await openRelease(ada, ada.slug, files);
  const { status, body: shown } = await ada.post(`/projects/${ada.slug}/releases/${opened.release.id}/preview`, {
    name: "pr-12",
    ...body,
  });
  expect({ status, edge: shown.edge }).toEqual({ status: 200, edge: "updated" });
  return new URL(shown.preview.url).hostname.split(".")[0] ?? "";
}

/** A page, and the cookie of the visit that it begins. */
async function open(label: string, cookie?: string) {
  const { body, headers } = await play(service, label, { headers: { ...document, ...(cookie && { cookie }) } });
  const set = ([headers["set-cookie"]].flat()[0] ?? cookie ?? "").split(";")[0] ?? "";
  return { text: body.toString(), cookie: set, robots: headers["x-robots-tag"] };
}

const file = async (label: string, path: string, cookie?: string) => {
  const { status, body } = await play(service, label, {
    path,
    headers: { "sec-fetch-dest": "empty", ...(cookie && { cookie }) },
  });
  return { status, text: body.toString() };
};

test("a visit on a preview goes on with its release when a push replaces it, and a new page gets the new one", async () => {
  const label = await push({ "index.html": "one", "level.json": "1", "only-one.json": "1" });
  const visit = await open(label);
  expect(visit).toMatchObject({ text: "one", robots: "noindex", cookie: expect.stringContaining("svc-release=") });
  expect(await push({ "index.html": "two", "level.json": "2" })).toBe(label);
  expect(await file(label, "/level.json", visit.cookie)).toEqual({ status: 200, text: "1" });
  expect(await file(label, "/level.json")).toEqual({ status: 200, text: "2" });
  // Browsers that keep no cookies get from the release before what this one lacks.
  expect(await file(label, "/only-one.json")).toEqual({ status: 200, text: "1" });
  const next = await open(label, visit.cookie);
  expect(next.text).toBe("two");
  expect(await file(label, "/level.json", next.cookie)).toEqual({ status: 200, text: "2" });
  // The page that is open behind it still finds its files.
  expect(await file(label, "/only-one.json", next.cookie)).toEqual({ status: 200, text: "1" });
});

test.each([
  ["was never live", false],
  ["was live", true],
])("a deleted release that %s gives its files to nobody at a preview that showed it before", async (_, wasLive) => {
  const bad = { "index.html": "one", "key.txt": "secret" };
  if (wasLive) for (const files of [bad, { "index.html": "live" }]) await publish(ada, ada.slug, files);
  const label = await push(bad);
  const visit = await open(label);
  await push({ "index.html": "two" });
  expect(await file(label, "/key.txt")).toEqual({ status: 200, text: "secret" });
  const releases = (await ada.get(`/projects/${ada.slug}/releases`)).body.releases.filter(
    ({ files, status }: { files: number; status: string }) => files === 2 && status !== "withdrawn",
  );
  for (const { id } of releases)
    expect((await ada.post(`/projects/${ada.slug}/releases/${id}/withdraw`)).body.edge).toBe("updated");
  for (const cookie of [undefined, visit.cookie, `${visit.cookie}.${visit.cookie.split("=")[1]}`])
    expect((await file(label, "/key.txt", cookie)).status).toBe(404);
  // A file that another release has too stays.
  expect((await open(label, visit.cookie)).text).toBe("two");
});

test("a preview that gets another URL is gone from the one that it had, and from both when it ends", async () => {
  const before = await push({ "index.html": "one" });
  const label = await push({ "index.html": "two" }, { new_url: true });
  expect([stored(before), stored(label)]).toEqual([undefined, expect.stringMatching(/^p\.[\w-]{43}\.\d+$/)]);
  expect((await play(service, before)).status).toBe(404);
  expect((await open(label)).text).toBe("two");
  expect((await ada.delete(`/projects/${ada.slug}/previews/pr-12`)).body).toEqual({ edge: "updated" });
  expect(stored(label)).toBeUndefined();
});

test("a game that is handed over has none of its previews, and one that is restored has all", async () => {
  const label = await push({ "index.html": "one" });
  await ada.delete(`/projects/${ada.slug}`);
  expect(stored(label)).toBeUndefined();
  await ada.post(`/projects/${ada.slug}/restore`);
  expect(stored(label)).toBeDefined();
  const grace = await ada.otherDeveloper();
  expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
  expect(stored(label)).toBeUndefined();
});

test("a preview that is kept is in the store for as long, and leaves it then", async () => {
  const label = await push({ "index.html": "one" });
  const { body } = await ada.patch(`/projects/${ada.slug}/previews/pr-12`, { kept: true });
  expect(stored(label)).toMatch(new RegExp(`\\.${Date.parse(body.preview.expires_at) / 1_000}$`));
});
