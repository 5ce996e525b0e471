import { brotliCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { manifestOf, openRelease, publish, sha256, upload } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { opening, visitsOf } from "../../support/service/visits.ts";

const service = useService();
const ada = useOwner(service);
const { get, goLive } = visitsOf(service, ada);

describe("how files are sent:", () => {
  const script = "let score = 0;".repeat(100);
  const compressed = brotliCompressSync(script);
  const br = { size: compressed.length, sha256: sha256(compressed) };
  const folder = { "index.html": "<p>", "assets/game-B4x.js": script, "game.js": script, "404.html": "<p>lost" };

  /** Publishes the folder with variants of its scripts and these settings. */
  async function publishWith(settings: { isolation?: boolean; immutable?: string[] }) {
    const files = manifestOf(folder).map((file) => (file.path.endsWith(".js") ? { ...file, br } : file));
    const opened = await ada.post(`/projects/${ada.slug}/releases`, { files, settings });
    expect(opened.status).toBe(201);
    const path = `/projects/${ada.slug}/releases/${opened.body.release.id}`;
    if (opened.body.missing.length > 0) {
      const { body } = await ada.post(`${path}/uploads`, { sha256: opened.body.missing });
      const contents = new Map([...Object.values(folder), compressed].map((bytes) => [sha256(bytes), bytes]));
      for (const url of body.uploads) expect(await upload(url, contents.get(url.sha256) ?? "")).toBe(200);
    }
    const published = await ada.post(`${path}/publish`);
    expect(published.status).toBe(200);
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
    // An engine that seeks asks for the length of what it gets ranges of.
    const head = { method: "HEAD", path: "/game.js", headers: { "accept-encoding": "br" } };
    const described = (await play(service, ada.slug, head)).headers;
    expect(described).toMatchObject({ "content-length": String(script.length), etag: `"${sha256(script)}"` });
    expect(described).not.toHaveProperty("content-encoding");
    const kept = await get("/game.js", { "accept-encoding": "br", "if-none-match": `"${br.sha256}.br"` });
    expect({ status: kept.status, vary: kept.headers["vary"] }).toEqual({ status: 304, vary: "Accept-Encoding" });
    expect((await get("/index.html", { "accept-encoding": "br" })).headers).not.toHaveProperty("vary");
  });

  test("isolation is in the headers of everything, and changes the ETags", async () => {
    await publishWith({ isolation: true });
    const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
    const page = await get("/", opening);
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
      expect(lost.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "public, max-age=5",
      });
    }
  });

  test("a dry run shows which settings change, and other settings make another release", async () => {
    await publishWith({});
    const files = manifestOf(folder).map((file) => (file.path.endsWith(".js") ? { ...file, br } : file));
    const settings = { isolation: true, immutable: ["b/*", "assets/**", "b/*"] };
    const dry = await ada.post(`/projects/${ada.slug}/releases`, { files, settings, dry_run: true });
    expect(dry.body).toMatchObject({
      release: null,
      settings: { isolation: true, immutable: ["assets/**", "b/*"] },
      changed_settings: ["isolation", "immutable"],
      added: { count: 0 },
      changed: { count: 0 },
      missing: [],
    });
    const same = await ada.post(`/projects/${ada.slug}/releases`, {
      files,
      settings: { isolation: false },
      dry_run: true,
    });
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
    const lost = await get("/none", opening);
    expect(lost.status).toBe(404);
    for (const [{ headers, body }, cacheControl] of [
      [unpublished, "no-store"],
      // No function of the edge changes the headers of an error.
      [lost, "public, max-age=5"],
    ] as const) {
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'/);
      expect(headers["cache-control"]).toBe(cacheControl);
      expect(body.toString()).not.toMatch(/https?:|\/\//);
      expect(body.length).toBeLessThan(1_000);
    }
    expect(lost.body.toString()).toContain("Not found");
    // Only a game that is there can be reported.
    const report = `<a href="mailto:abuse@localhost?subject=Report%20of%20${ada.slug}">`;
    expect([unpublished, lost].map(({ body }) => body.includes(report))).toEqual([false, true]);
  });

  test("gets no file of an open release", async () => {
    await openRelease(ada, ada.slug, { "index.html": "secret" });
    expect((await get("/")).status).toBe(404);
  });
});

test("the API says where a game is played, and gives a release's URL while it is live", async () => {
  const url = `http://${ada.slug}.${service.gamesDomain}/`;
  expect((await actorsOf(service).anonymous.get(`/projects/${ada.slug}`)).body.play_url).toBe(url);
  const first = await publish(ada, ada.slug, { "index.html": "1" });
  expect((await ada.get(`/projects/${ada.slug}/releases/${first}`)).body.play_url).toBe(url);
  await publish(ada, ada.slug, { "index.html": "2" });
  expect((await ada.get(`/projects/${ada.slug}/releases/${first}`)).body.play_url).toBeNull();
});
