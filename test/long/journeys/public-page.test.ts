import { beforeEach, describe, expect, test } from "@jest/globals";
import { readPublicPage } from "../../../functions/domain/projects/published-facts.ts";
import { keys } from "../../../functions/table/keys.ts";
import { pngOf } from "../../support/edge/png.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { handOver, makeLive, manifestOf, publish, sha256, upload } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

/* The page about a game that everybody may read, at /.well-known/svc/about of its own origin. */

const path = "/.well-known/svc/about";
const opened = { "sec-fetch-dest": "document", accept: "text/html" };
const service = useService();
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ GAMES_DOMAIN: service.gamesDomain }));
let url: string;

beforeEach(() => {
  url = `http://${ada.slug}.${service.gamesDomain}/`;
});

/** Publishes a release that says this of itself; the picture is a file of each. */
async function goLive(message: string | undefined, settings: object = {}) {
  const folder = { "index.html": `<p>${message}`, "my cover.png": pngOf(1280, 720) };
  const body = { files: manifestOf(folder), picture: "my cover.png", settings, ...(message && { message }) };
  const { body: created } = await ada.post(`/projects/${ada.slug}/releases`, body);
  for (const target of created.first_uploads?.uploads ?? [])
    expect(await upload(target, Object.values(folder).find((bytes) => sha256(bytes) === target.sha256) ?? "")).toBe(
      200,
    );
  expect((await makeLive(ada, ada.slug, created.release.id)).status).toBe(200);
  return created.release.id as string;
}

async function page(slug = ada.slug) {
  const { status, headers, body } = await play(service, slug, { path, headers: opened });
  return { status, headers, text: body.toString() };
}

const evil = `<img src=x onerror=alert(1)>"'&</title>`;
const escapedEvil = `&lt;img src=x onerror=alert(1)&gt;&quot;'&amp;&lt;/title&gt;`;

test("it has name, description, picture, news, embed code, and the cards of other sites", async () => {
  await ada.patch(`/projects/${ada.slug}`, { name: "Star Hopper", description: "Hop.\nFrom star to star." });
  await goLive("First world");
  await goLive(undefined);
  await goLive("Second world");
  const { status, headers, text } = await page();
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "public, max-age=60",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    ),
  });
  expect(headers).not.toHaveProperty("cache-tag");
  for (const part of [
    "<title>Star Hopper</title>",
    '<meta property="og:title" content="Star Hopper">',
    `<meta property="og:url" content="${url}.well-known/svc/about">`,
    '<meta property="og:description" content="Hop. From star to star.">',
    `<meta property="og:image" content="${url}my%20cover.png">`,
    '<meta property="og:image:width" content="1280">',
    '<meta property="og:image:height" content="720">',
    '<meta property="og:image:alt" content="Star Hopper">',
    `<link rel="canonical" href="${url}.well-known/svc/about">`,
    '<meta name="twitter:card" content="summary_large_image">',
    '<a class="hero" href="/" target="_blank" rel="noopener" data-play><img src="/my%20cover.png" width="1280" height="720" alt="" fetchpriority="high"><span class="play">Play</span></a>',
    '<h1 dir="auto">Star Hopper</h1>',
    '<p class="text" dir="auto">Hop.\nFrom star to star.</p>',
    "<details>\n<summary>Show it on a page of yours</summary>",
    `&lt;iframe src=&quot;${url}&quot; title=&quot;Star Hopper&quot; width=&quot;960&quot; height=&quot;540&quot; style=&quot;border:0;width:100%;height:auto;aspect-ratio:16/9&quot; loading=&quot;lazy&quot; allow=&quot;autoplay; fullscreen; gamepad; cross-origin-isolated&quot;&gt;`,
  ])
    expect(text).toContain(part);
  expect(
    [...text.matchAll(/<b>(#\d+)<\/b> <time datetime="[^"]+">[^<]+<\/time>\n<p[^>]*>([^<]*)/g)].map(
      ([, number, news]) => `${number} ${news}`,
    ),
  ).toEqual(["#3 Second world", "#1 First world"]);
  expect(text).not.toContain("Where it comes from");
});

test("all that a developer wrote is text", async () => {
  await ada.patch("/me", { display_name: evil });
  await ada.patch(`/projects/${ada.slug}`, { name: evil, description: evil, how_to_play: evil });
  await goLive(evil);
  const { text } = await page();
  expect(text).not.toContain("<img src=x");
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).toContain(`<title>${escapedEvil}</title>`);
  expect(text).toContain(`content="${escapedEvil}"`);
  expect(text.split(escapedEvil).length - 1).toBe(10);
});

test("a description has its paragraphs, and links that no search engine counts", async () => {
  const description =
    "Hop.\n\nBy us (https://ada.example/?a=1&b=2). Not javascript:alert(1), http://plain.example, https://";
  await ada.patch(`/projects/${ada.slug}`, { description });
  await goLive("1");
  const { text } = await page();
  const found =
    '<a href="https://ada.example/?a=1&amp;b=2" rel="nofollow ugc noopener">https://ada.example/?a=1&amp;b=2</a>';
  expect(/<div class="about">\n(.*?)\n<\/div>/s.exec(text)?.[1]).toBe(
    `<p class="text" dir="auto">Hop.</p>\n<p class="text" dir="auto">By us (${found}). Not javascript:alert(1), http://plain.example, https://</p>`,
  );
});

describe("the author", () => {
  const shown = async () => /By <b><bdi>(.*?)<\/bdi>/.exec((await page()).text)?.[1];

  test("has the display name that the owner has now, and no other name", async () => {
    await goLive("1");
    expect(await shown()).toBeUndefined();
    for (const name of ["Ada & Co", "Ada's Games", null]) {
      await ada.patch("/me", { display_name: name });
      expect((await readPublicPage(ada.slug))?.author).toBe(name ?? undefined);
    }
  });

  test("is the new owner once the game is handed over", async () => {
    await goLive("1");
    await ada.patch("/me", { display_name: "Ada" });
    const heir = await actorsOf(service).developer();
    await heir.patch("/me", { display_name: "Heir" });
    expect((await handOver(ada, ada.slug, heir)).status).toBe(200);
    expect((await readPublicPage(ada.slug))?.author).toBe("Heir");
  });

  test("leaves no name behind with a deleted account", async () => {
    const key = keys.author(String((await storedItem(service, keys.project(ada.slug)))?.["ownerKey"]));
    await ada.patch("/me", { display_name: "Ada" });
    expect(await storedItem(service, key)).toMatchObject({ displayName: "Ada" });
    await ada.delete(`/projects/${ada.slug}`);
    expect((await ada.delete("/me")).status).toBe(204);
    expect(await storedItem(service, key)).toBeUndefined();
  });
});

describe("its other pictures", () => {
  const shots = Array.from({ length: 8 }, (_, index) => `screenshots/${index + 1}.png`);
  const release = (paths: readonly string[]) =>
    publish(ada, ada.slug, { "index.html": "<p>", ...Object.fromEntries(paths.map((path) => [path, pngOf(64, 36)])) });
  const shown = async () =>
    [...(await page()).text.matchAll(/<li><a href="([^"]+)"><img src="([^"]+)" alt="Picture \d"/g)].map(
      ([, link, image]) => (link === image ? image : "another"),
    );

  test("are the first six that are named as screenshots, without the one that stands for it", async () => {
    await release(["a/screenshot 10.png", "cover.png", ...shots, "art.png"]);
    expect(await shown()).toEqual(["/a/screenshot%2010.png", ...shots.slice(0, 5).map((path) => `/${path}`)]);
  });

  test("are those that its people chose, in their order, as far as the live release has them", async () => {
    await release(["cover.png", "art.png", ...shots]);
    await ada.patch(`/projects/${ada.slug}`, { pictures: ["screenshots/2.png", "art.png", "cover.png", "art.png"] });
    await release(["cover.png", "art.png"]);
    expect(await shown()).toEqual(["/art.png"]);
  });

  test("are none if its people chose none", async () => {
    await release(["cover.png", ...shots]);
    await ada.patch(`/projects/${ada.slug}`, { pictures: [] });
    expect(await shown()).toEqual([]);
  });
});

test("has ten messages at most, of releases that players have", async () => {
  const ids: string[] = [];
  for (let number = 1; number <= 12; number += 1) ids.push(await goLive(`News ${number}`));
  const listed = async () => [...(await page()).text.matchAll(/News (\d+)/g)].map(([, number]) => Number(number));
  expect(await listed()).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  // A rollback takes away what later releases brought; a deleted release is no news.
  expect((await ada.post(`/projects/${ada.slug}/releases/${ids[9]}/withdraw`)).status).toBe(200);
  expect((await makeLive(ada, ada.slug, ids[10] ?? "")).status).toBe(200);
  expect(await listed()).toEqual([11, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

describe("the embed code", () => {
  test.each([
    [{ frame: "nobody" }, undefined, undefined],
    [{ frame: ["https://a.example"] }, "cross-origin-isolated", "Only these sites may: https://a.example."],
    [{ isolation: true }, "cross-origin-isolated", "Its threads start only on a page that is isolated too"],
  ])("follows from the settings %j", async (settings, allowed, hint) => {
    await goLive("1", settings);
    const { text } = await page();
    expect(/allow=&quot;autoplay; fullscreen; gamepad; (.*?)&quot;/.exec(text)?.[1]).toBe(allowed);
    expect(/(?<=class="hint">)(?:Only these sites may: .*?\.(?=<)|Its threads .*? too)/.exec(text)?.[0]).toBe(hint);
  });
});

test("shows the run of the live release only if its owner does", async () => {
  await goLive("1");
  const { ownerKey, currentRelease } = (await storedItem(service, keys.project(ada.slug))) ?? {};
  const run = {
    repository: "ada/star-hopper",
    commit: "4f2a9c0",
    runUrl: "https://github.com/ada/star-hopper/actions/runs/2",
  };
  const live = { ...(currentRelease as object), run: { ...run, accountKey: ownerKey } };
  await setAttribute(service, keys.project(ada.slug), "currentRelease", live);
  expect((await page()).text).not.toContain("star-hopper");
  await ada.patch(`/projects/${ada.slug}`, { show_provenance: true });
  // The edge keeps it for a minute, for each kind of request.
  const { body: text } = await play(service, ada.slug, { path, headers: { ...opened, "accept-encoding": "br" } });
  for (const part of ['href="https://github.com/ada/star-hopper" ', "<dd>4f2a9c0</dd>", `href="${run.runUrl}" `])
    expect(text.toString()).toContain(part);
});

test("without a picture and a description it has none", async () => {
  await publish(ada, ada.slug, { "index.html": "<p>" });
  const { text } = await page();
  expect(text).not.toMatch(/<img|og:image|og:description/);
  expect(text).toContain('<meta name="twitter:card" content="summary">');
});

test("there is none of a game that is not live, or of a preview", async () => {
  expect((await page()).status).toBe(404);
  await goLive("1");
  const { body } = await ada.post(`/projects/${ada.slug}/releases`, {
    files: manifestOf({ "index.html": "<p>1", "my cover.png": pngOf(1280, 720), "new.js": "1" }),
  });
  for (const target of body.first_uploads?.uploads ?? []) expect(await upload(target, "1")).toBe(200);
  const { body: preview } = await ada.post(`/projects/${ada.slug}/releases/${body.release.id}/preview`);
  const [host = ""] = new URL(preview.preview.url).hostname.split(".");
  expect((await play(service, host, { headers: opened })).status).toBe(200);
  expect((await page(host)).status).toBe(404);
  expect((await page()).status).toBe(200);
});

test.each([
  ["suspension", { at: "2026-11-25T00:00:00.000Z", reason: "spam" }],
  ["deletedAt", "2026-11-25T00:00:00.000Z"],
])("there is none with a %s that the edge has not learnt of yet", async (attribute, value) => {
  await goLive("1");
  expect(await readPublicPage(ada.slug)).toMatchObject({ playUrl: url });
  await setAttribute(service, keys.project(ada.slug), attribute, value);
  expect(await readPublicPage(ada.slug)).toBeUndefined();
});

test("a service worker cannot be made of it", async () => {
  await goLive("1");
  const { headers } = await play(service, ada.slug, { path, headers: { "service-worker": "script" } });
  expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
});

test("HEAD has its headers", async () => {
  await goLive("1");
  const { status, body } = await play(service, ada.slug, { path, method: "HEAD", headers: opened });
  expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
});

test("the page that measures beside it is not indexed, shows its own script and the game alone, isolated as it, and sends to the API", async () => {
  await goLive(undefined, { isolation: true });
  const { status, headers } = await play(service, ada.slug, { path: "/.well-known/svc/profile", headers: opened });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "x-robots-tag": "noindex",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; img-src data:; frame-src 'self'; connect-src 'self' https?:\/\/[^ ]+; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    ),
  });
});
