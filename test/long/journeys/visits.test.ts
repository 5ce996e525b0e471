import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Manifest } from "../../../functions/files/manifests.ts";
import { type Actors, actorsOf, type Developer } from "../../support/service/actors.ts";
import { type Played, play, pointerMilliseconds } from "../../support/service/play.ts";
import { manifestOf, newProject, openRelease, publish, sha256, upload } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";

const service = useService();
let actors: Actors;
let ada: Developer;
let slug: string;

beforeAll(async () => {
  actors = actorsOf(service);
  ada = await actors.developer();
});

beforeEach(async () => {
  slug = await newProject(ada);
});

const document = { "sec-fetch-dest": "document", "sec-fetch-site": "none" };
const fetched = { "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" };

/** The latest time at which the game host may have read a project's pointer. */
const readAt = new Map<string, number>();

async function get(path: string, headers: Record<string, string> = {}): Promise<Played> {
  const played = await play(service, slug, { path, headers });
  readAt.set(slug, Date.now());
  return played;
}

async function textOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await get(path, headers);
  return status === 200 ? body.toString() : String(status);
}

function cookieOf({ headers }: Played): string | undefined {
  return headers["set-cookie"]?.[0]?.split(";")[0];
}

/** Waits until the game host reads the project's pointer again with the next request. */
async function nextPointer(): Promise<void> {
  await delay(Math.max(0, (readAt.get(slug) ?? 0) + pointerMilliseconds - Date.now()));
}

/** Publishes, so that the next request sees it. */
async function goLive(folder: Readonly<Record<string, string>>): Promise<string> {
  const id = await publish(ada, slug, folder);
  await nextPointer();
  return id;
}

describe("one release for one visit:", () => {
  const first = { "index.html": "page 1", "level.json": "level 1", "only-1.js": "1" };
  const second = { "index.html": "page 2", "level.json": "level 2", "only-2.js": "2" };

  test("a page that loads its second level after a new release went live gets it from its own release; a reload gets the new one", async () => {
    await goLive(first);
    const opened = await get("/", document);
    expect(opened.body.toString()).toBe("page 1");
    expect(opened.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-svc-release=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=None; Partitioned$/),
    ]);
    const cookie = `other=1; ${cookieOf(opened)}`;
    await goLive(second);
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 1");
    // A path that its release lacks is looked for in the live one.
    expect(await textOf("/only-2.js", { ...fetched, cookie })).toBe("2");
    expect(await textOf("/only-1.js", { ...fetched, cookie })).toBe("1");
    expect(await textOf("/none.js", { ...fetched, cookie })).toBe("404");

    const reloaded = await get("/", { ...document, cookie });
    expect(reloaded.body.toString()).toBe("page 2");
    const next = cookieOf(reloaded) ?? "";
    expect(next).not.toBe(cookieOf(opened));
    expect(await textOf("/level.json", { ...fetched, cookie: next })).toBe("level 2");
  });

  test("the same is true for a rollback", async () => {
    const before = await goLive(first);
    await goLive(second);
    const cookie = cookieOf(await get("/", document)) ?? "";
    await ada.post(`/projects/${slug}/releases/${before}/publish`);
    await nextPointer();
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 2");
    expect(await textOf("/", { ...document, cookie })).toBe("page 1");
  });

  test("a rollback takes a file off for everybody whose visit did not begin with it", async () => {
    const before = await goLive(first);
    await goLive({ ...second, "secret.txt": "secret" });
    const cookie = cookieOf(await get("/", document)) ?? "";
    await ada.post(`/projects/${slug}/releases/${before}/publish`);
    await nextPointer();
    const other = cookieOf(await get("/", document)) ?? "";
    for (const headers of [fetched, { ...fetched, cookie: other }, document])
      expect(await textOf("/secret.txt", headers)).toBe("404");
    expect(await textOf("/secret.txt", { ...fetched, cookie })).toBe("secret");
  });

  test("a visit continues with its release while five others go live", async () => {
    await goLive(first);
    const cookie = cookieOf(await get("/", document)) ?? "";
    for (let number = 2; number <= 6; number += 1) await publish(ada, slug, { ...second, number: String(number) });
    await nextPointer();
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 1");
    await goLive({ ...second, number: "7" });
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 2");
  });

  test("a cookie that names an open release gets nothing of it", async () => {
    await goLive(first);
    const secret = { ...first, "secret.txt": "secret" };
    await openRelease(ada, slug, secret);
    const { digest } = Manifest.of(manifestOf(secret));
    expect(await textOf("/secret.txt", { ...fetched, cookie: `__Host-svc-release=${digest}` })).toBe("404");
  });

  test("a service worker's script moves the visit to the live release, and the page still finds what only its own has", async () => {
    await goLive({ ...first, "sw.js": "sw 1" });
    const cookie = cookieOf(await get("/", document)) ?? "";
    await goLive({ ...second, "sw.js": "sw 2" });
    const script = await get("/sw.js", { cookie, "service-worker": "script", "sec-fetch-dest": "serviceworker" });
    expect(script.body.toString()).toBe("sw 2");
    const next = cookieOf(script) ?? "";
    expect(await textOf("/level.json", { ...fetched, cookie: next })).toBe("level 2");
    expect(await textOf("/only-1.js", { ...fetched, cookie: next })).toBe("1");
  });

  test("documents and a service worker's script come only from the live release", async () => {
    await goLive({ ...first, "sw.js": "sw 1", "old.html": "old" });
    const cookie = cookieOf(await get("/", document)) ?? "";
    await goLive({ ...second, "sw.js": "sw 2" });
    expect(await textOf("/sw.js", { ...fetched, cookie })).toBe("sw 1");
    expect(await textOf("/sw.js", { cookie, "service-worker": "script", "sec-fetch-dest": "serviceworker" })).toBe(
      "sw 2",
    );
    expect(await textOf("/old.html", { ...document, cookie })).toBe("404");
    expect(await textOf("/old.html", { ...fetched, cookie })).toBe("old");
  });

  test("a frame of the game belongs to the visit, one on another site begins it", async () => {
    await goLive(first);
    const cookie = cookieOf(await get("/", document)) ?? "";
    await goLive(second);
    const frame = { cookie, "sec-fetch-dest": "iframe" };
    expect(await textOf("/index.html", { ...frame, "sec-fetch-site": "same-origin" })).toBe("page 1");
    expect(await textOf("/index.html", { ...frame, "sec-fetch-site": "cross-site" })).toBe("page 2");
  });

  test("without Sec-Fetch headers a document is recognised by Accept", async () => {
    await goLive(first);
    const opened = await get("/", { accept: "text/html,*/*;q=0.8" });
    expect(cookieOf(opened)).toBeDefined();
    expect(cookieOf(await get("/level.json", { accept: "*/*" }))).toBeUndefined();
  });

  test("a browser that has the page gets no bytes, but the release of its visit", async () => {
    await goLive(first);
    const cookie = cookieOf(await get("/", document)) ?? "";
    await goLive({ ...second, "index.html": "page 1" });
    const again = await get("/", { ...document, cookie, "if-none-match": `"${sha256("page 1")}"` });
    expect(again.status).toBe(304);
    expect(await textOf("/level.json", { ...fetched, cookie: cookieOf(again) ?? "" })).toBe("level 2");
    expect(cookieOf(await get("/", { ...document, cookie: cookieOf(again) ?? "" }))).toBeUndefined();
  });

  test.each(["a".repeat(64), "../../other/manifests/x", "A".repeat(64), ""])(
    "a cookie with %j, which is not a release, is ignored",
    async (value) => {
      await goLive(first);
      expect(await textOf("/level.json", { ...fetched, cookie: `__Host-svc-release=${value}` })).toBe("level 1");
    },
  );
});

describe("how files are sent:", () => {
  const script = "let score = 0;".repeat(100);
  const compressed = brotliCompressSync(script);
  const br = { size: compressed.length, sha256: sha256(compressed) };
  const folder = { "index.html": "<p>", "assets/game-B4x.js": script, "game.js": script, "404.html": "<p>lost" };

  /** Publishes the folder with variants of its scripts and these settings. */
  async function publishWith(settings: { isolation?: boolean; immutable?: string[] }) {
    const files = manifestOf(folder).map((file) => (file.path.endsWith(".js") ? { ...file, br } : file));
    const opened = await ada.post(`/projects/${slug}/releases`, { files, settings });
    expect(opened.status).toBe(201);
    const path = `/projects/${slug}/releases/${opened.body.release.id}`;
    if (opened.body.missing.length > 0) {
      const { body } = await ada.post(`${path}/uploads`, { sha256: opened.body.missing });
      const contents = new Map([...Object.values(folder), compressed].map((bytes) => [sha256(bytes), bytes]));
      for (const url of body.uploads) expect(await upload(url, contents.get(url.sha256) ?? "")).toBe(200);
    }
    const published = await ada.post(`${path}/publish`);
    expect(published.status).toBe(200);
    await nextPointer();
    return opened.body;
  }

  test("a browser that accepts Brotli gets the variant, with its own ETag", async () => {
    const { missing } = await publishWith({});
    expect(missing).toContain(br.sha256);
    const encoded = await get("/game.js", { "accept-encoding": "gzip, br" });
    expect(encoded.headers).toMatchObject({
      "content-encoding": "br",
      "content-type": "text/javascript; charset=utf-8",
      "content-length": String(compressed.length),
      vary: "Accept-Encoding",
      etag: `"${br.sha256}.br"`,
    });
    expect(encoded.body.equals(compressed)).toBe(true);
    const plain = await get("/game.js", { "accept-encoding": "gzip" });
    expect(plain.headers).toMatchObject({ vary: "Accept-Encoding", etag: `"${sha256(script)}"` });
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.body.toString()).toBe(script);
    const part = await get("/game.js", { "accept-encoding": "br", range: "bytes=4-8" });
    expect({ status: part.status, text: part.body.toString() }).toEqual({ status: 206, text: "score" });
    // Only GET has ranges, so the headers are those of the whole file.
    const head = { method: "HEAD", path: "/game.js", headers: { "accept-encoding": "br", range: "bytes=4-8" } };
    expect((await play(service, slug, head)).headers).toMatchObject({
      "content-encoding": "br",
      etag: `"${br.sha256}.br"`,
    });
    const kept = await get("/game.js", { "accept-encoding": "br", "if-none-match": `"${br.sha256}.br"` });
    expect({ status: kept.status, vary: kept.headers["vary"] }).toEqual({ status: 304, vary: "Accept-Encoding" });
    expect((await get("/index.html", { "accept-encoding": "br" })).headers).not.toHaveProperty("vary");
  });

  test("isolation is in the headers of everything, and changes the ETags", async () => {
    await publishWith({ isolation: true });
    const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
    const page = await get("/", document);
    for (const response of [page, await get("/game.js"), await get("/none"), await get("/", { "if-none-match": "*" })])
      expect(response.headers).toMatchObject(isolated);
    const opened = await publishWith({});
    expect(opened.changed_settings).toEqual(["isolation"]);
    const now = await get("/", { "if-none-match": String(page.headers["etag"]) });
    expect(now.status).toBe(200);
    expect(now.headers).not.toHaveProperty("cross-origin-opener-policy");
  });

  test("files that the release calls immutable are cached for a year, but never a page", async () => {
    await publishWith({ immutable: ["assets/**", "*.html"] });
    expect((await get("/assets/game-B4x.js")).headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    for (const path of ["/game.js", "/index.html"])
      expect((await get(path)).headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
  });

  test("a missing file gets the release's own 404.html, whole, also with a range", async () => {
    await publishWith({});
    for (const headers of [{}, { range: "bytes=0-1" }, { "if-none-match": "*" }]) {
      const lost = await get("/none.png", headers);
      expect({ status: lost.status, text: lost.body.toString() }).toEqual({ status: 404, text: "<p>lost" });
      expect(lost.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
    }
  });

  test("a dry run shows which settings change, and other settings make another release", async () => {
    await publishWith({});
    const files = manifestOf(folder).map((file) => (file.path.endsWith(".js") ? { ...file, br } : file));
    const settings = { isolation: true, immutable: ["b/*", "assets/**", "b/*"] };
    const dry = await ada.post(`/projects/${slug}/releases`, { files, settings, dry_run: true });
    expect(dry.body).toMatchObject({
      release: null,
      settings: { isolation: true, immutable: ["assets/**", "b/*"] },
      changed_settings: ["isolation", "immutable"],
      added: { count: 0 },
      changed: { count: 0 },
      missing: [],
    });
    const same = await ada.post(`/projects/${slug}/releases`, { files, settings: { isolation: false }, dry_run: true });
    expect(same.body).toMatchObject({ release: { status: "live" }, changed_settings: [] });
  });
});

describe("a visitor of a host", () => {
  test.each([
    ["no-such-game", "There is no game here"],
    ["xn--80ak6aa92e", "There is no game here"],
    ["a", "There is no game here"],
  ])("%s reads %s", async (name, title) => {
    const page = await play(service, name);
    expect({ status: page.status, title: /<title>(.*)<\/title>/.exec(page.body.toString())?.[1] }).toEqual({
      status: 404,
      title,
    });
  });

  test("reads that nothing is published yet, or that a file is missing; the page loads nothing from other origins", async () => {
    const unpublished = await get("/");
    expect({ status: unpublished.status, text: unpublished.body.toString() }).toMatchObject({
      status: 404,
      text: expect.stringContaining("Nothing to play now"),
    });
    await goLive({ "index.html": "page" });
    const lost = await get("/none", document);
    expect(lost.status).toBe(404);
    for (const { headers, body } of [unpublished, lost]) {
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'/);
      expect(headers["cache-control"]).toBe("no-store");
      expect(body.toString()).not.toMatch(/https?:|\/\//);
      expect(body.toString()).toContain(`<a href="mailto:abuse@localhost?subject=Report%20of%20${slug}">`);
      expect(body.length).toBeLessThan(1_000);
    }
    expect(lost.body.toString()).toContain("Not found");
  });

  test("gets no file of an open release", async () => {
    await openRelease(ada, slug, { "index.html": "secret" });
    expect((await get("/")).status).toBe(404);
  });
});

test("the API says where a game is played, and gives a release's URL while it is live", async () => {
  const url = `http://${slug}.${service.gamesDomain}/`;
  expect((await actors.anonymous.get(`/projects/${slug}`)).body.play_url).toBe(url);
  const first = await publish(ada, slug, { "index.html": "1" });
  expect((await ada.get(`/projects/${slug}/releases/${first}`)).body.play_url).toBe(url);
  await publish(ada, slug, { "index.html": "2" });
  expect((await ada.get(`/projects/${slug}/releases/${first}`)).body.play_url).toBeNull();
});
