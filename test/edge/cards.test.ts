import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { suspendProject } from "../../functions/domain/accounts/suspensions.ts";
import { viewerFunctionCode } from "../../infra/bundles/viewer-functions.ts";
import { cardAgents, readers } from "../support/edge/agents.ts";
import { runInNjs } from "../support/edge/njs.ts";
import { pngOf } from "../support/edge/png.ts";
import { actorsOf, type Developer } from "../support/service/actors.ts";
import { gameUrl, play } from "../support/service/play.ts";
import { type Folder, makeLive, manifestOf, newProject, openRelease, publish } from "../support/service/steps.ts";
import { useFunctionEnvironment, useService } from "../support/service/suite.ts";

/*
 * Real agents' requests for seven kinds of games' first pages, at the local edge; which key their requests have also in the engine of CloudFront's
 * functions.
 */

const service = useService();
useFunctionEnvironment(service);
let ada: Developer;

type Meta = Readonly<Record<string, string>>;

interface Game {
  readonly page: string;
  readonly picture?: readonly [path: string, bytes: string | Buffer];
  readonly settings?: object;
  /** What the card says; undefined: the page has its own. */
  readonly card: Meta | undefined;
}

const large = pngOf(1280, 720);
const ofLarge = { "og:image:width": "1280", "og:image:height": "720", "twitter:card": "summary_large_image" };
const small = { "twitter:card": "summary" };

const games: Readonly<Record<string, Game>> = {
  "an engine's export": {
    page: "<!doctype html><html lang=en><head><title>Godot</title></head><canvas id=canvas></canvas>",
    picture: ["cover 1.png", large],
    card: { ...ofLarge, "og:image": "cover%201.png" },
  },
  "a page with its own card": {
    page: '<!doctype html><meta property="og:title" content="Mine"><meta property="og:image" content="/own.png"><p>1',
    picture: ["own.png", large],
    card: undefined,
  },
  "a page with title and description alone": {
    page: '<!doctype html><title>Bounce</title><meta name="description" content="of the page"><p>1',
    picture: ["art/cover.png", large],
    card: { ...ofLarge, "og:image": "art/cover.png" },
  },
  "a page that speaks of cards in a script": {
    page: `<!doctype html><script>const tag = '<meta property="og:title" content="x">';</script><!-- <meta property="og:title"> -->`,
    card: small,
  },
  "a game without a picture": { page: "<!doctype html><p>1", card: small },
  "a game with an icon": {
    page: "<!doctype html><p>icon",
    picture: ["icon.png", pngOf(128, 128)],
    card: { ...small, "og:image": "icon.png", "og:image:width": "128", "og:image:height": "128" },
  },
  "an isolated application with a drawing": {
    page: "<!doctype html><p>application",
    picture: ["logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    settings: { isolation: true, spa: true },
    card: small,
  },
};
const slugs = new Map<string, string>();
const slugOf = (name: string) => slugs.get(name) ?? "";

const name = 'Tom & "Jerry" <3';
const description = "Hop.\n\nFrom star to star.";

beforeAll(async () => {
  ada = await actorsOf(service).developer();
  for (const [title, { page, picture, settings }] of Object.entries(games)) {
    const slug = await newProject(ada);
    slugs.set(title, slug);
    await ada.patch(`/projects/${slug}`, { name, description });
    const folder: Folder = { "index.html": page, ...(picture && { [picture[0]]: picture[1] }) };
    const body = { files: manifestOf(folder), ...(picture && { picture: picture[0] }), ...(settings && { settings }) };
    const { body: opened } = await openRelease(ada, slug, folder, body.files, settings);
    await ada.post(`/projects/${slug}/releases`, body);
    expect((await makeLive(ada, slug, opened.release.id)).status).toBe(200);
  }
});

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

/** What a page's head says to cards. */
function metaOf(html: string): Meta {
  const tags = html.matchAll(/<(?:meta (?:property|name)|link rel)="([\w:]+)" (?:content|href)="([^"]*)">/g);
  return Object.fromEntries(
    [...tags].map(([, key = "", value = ""]) => [key, value.replace(/&\w+;/g, (entity) => entities[entity] ?? "?")]),
  );
}

describe.each(Object.entries(games))("of %s", (title, { page, picture, card }) => {
  test.each(Object.entries(cardAgents))("%s gets the card", async (_, headers) => {
    const response = await play(service, slugOf(title), { headers });
    const text = response.body.toString();
    expect(response.status).toBe(response.headers["content-range"] === undefined ? 200 : 206);
    if (card === undefined) {
      expect(text).toBe(page);
      return;
    }
    const url = gameUrl(service, slugOf(title));
    const { "og:image": image, ...others } = card;
    expect(metaOf(text)).toEqual({
      viewport: "width=device-width",
      "og:type": "website",
      "og:title": name,
      "og:site_name": new URL(url).hostname.replace(/^[^.]*\./, ""),
      "og:url": url,
      canonical: url,
      "og:description": "Hop. From star to star.",
      description: "Hop. From star to star.",
      ...(image && { "og:image": url + image, "og:image:alt": name }),
      ...others,
    });
    expect(response.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=0, must-revalidate",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect(response.headers).not.toHaveProperty("set-cookie");
    if (image === undefined) return;
    const shown = await play(service, slugOf(title), { path: new URL(url + image).pathname, headers });
    expect(shown.body.equals(Buffer.from(picture?.[1] ?? ""))).toBe(
      headers["range"] === undefined || shown.body.length < 32_769,
    );
  });

  test.each(Object.entries(readers))("%s gets the game, also after the agents", async (_, headers) => {
    const { status, body } = await play(service, slugOf(title), { headers });
    expect({ status, text: body.toString() }).toEqual({ status: 200, text: page });
  });
});

const discord = cardAgents["Discord"] ?? {};
const game = "an engine's export";

test("another path of a game is the same for everybody", async () => {
  const icon = "a game with an icon";
  const { body } = await play(service, slugOf(icon), { path: "/index.html", headers: discord });
  expect(body.toString()).toBe(games[icon]?.page);
});

test("HEAD has the card's headers", async () => {
  const { status, headers, body } = await play(service, slugOf(game), { method: "HEAD", headers: discord });
  expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
});

describe("there is no card", () => {
  const textFor = async (host: string) => {
    const { status, body } = await play(service, host, { headers: discord });
    return { status, text: body.toString() };
  };
  let slug: string;
  const goLive = async () => {
    slug = await newProject(ada);
    await ada.patch(`/projects/${slug}`, { name: "Secret" });
    await publish(ada, slug, { "index.html": "<p>secret" });
    expect((await textFor(slug)).text).toContain("Secret");
  };

  test("of a game that was taken offline, although the edge had one", async () => {
    await goLive();
    await ada.post(`/projects/${slug}/unpublish`);
    expect(await textFor(slug)).toMatchObject({ status: 404, text: expect.not.stringContaining("Secret") });
  });

  test("of a game that is suspended", async () => {
    await goLive();
    await suspendProject(slug, "malware", new Date());
    const { status, text } = await textFor(slug);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain("Secret");
  });

  test("of a game that was never live, nor of none", async () => {
    expect(await textFor(await newProject(ada))).toMatchObject({ status: 404 });
    expect(await textFor("nobodys-game")).toMatchObject({ status: 404 });
  });

  test("of a preview, which is the game alone", async () => {
    slug = await newProject(ada);
    const { body } = await openRelease(ada, slug, { "index.html": "<p>preview" });
    const { body: opened } = await ada.post(`/projects/${slug}/releases/${body.release.id}/preview`);
    const [host = ""] = new URL(opened.preview.url).hostname.split(".");
    expect(await textFor(host)).toEqual({ status: 200, text: "<p>preview" });
  });
});

describe("made-up agents", () => {
  const code = viewerFunctionCode("viewer-request", {
    gamesDomain: "games.example.net",
    reportUrl: "",
    optionPages: [],
    documentHeaders: {},
  });
  const live = "a".repeat(43);
  const values = new Map([["my-game", `l.${live}.${"b".repeat(43)}..1`]]);
  const eventOf = (headers: Meta, uri = "/") => ({
    request: {
      ...{ method: "GET", uri, querystring: {}, cookies: { "__Host-svc-release": { value: "b".repeat(43) } } },
      headers: Object.fromEntries(
        Object.entries({ host: "my-game.games.example.net", ...headers }).map(([key, value]) => [key, { value }]),
      ),
    },
  });
  const njs = spawnSync("njs", ["-v"]).error === undefined ? test : test.skip;
  /** The keys in njs, of whose family CloudFront's engine is. */
  const keysOf = (all: readonly ReturnType<typeof eventOf>[]): string[] => {
    const calls = `Promise.all(${JSON.stringify(all)}.map(handler)).then((made) => made.forEach((each) => console.log(each.uri)));`;
    return runInNjs(code, calls, values).stdout.trim().split("\n");
  };

  njs("have a key of the card, which no player has, and choose nothing else of it", () => {
    const madeUp = Array.from({ length: 50 }, (_, index) => ({
      "user-agent": `Discordbot/${index}.${"x".repeat(index)} Slackbot whatsapp/2`,
      accept: `text/x-${index}, */*`,
      "accept-encoding": index % 2 === 0 ? "br, dcz" : `x-${index}`,
      "available-dictionary": `:${Buffer.alloc(32, index).toString("base64")}:`,
      "x-forwarded-for": String(index),
    }));
    const keys = new Set(keysOf([...Object.values(cardAgents), ...madeUp].map((headers) => eventOf(headers))));
    expect([...keys].toSorted()).toEqual(
      ["bf", "bp", "if", "ip"].map((how) => `/my-game/${live}/${how}/.well-known/svc/card`),
    );
  });

  njs("have the players' keys for each other path, and players theirs for all", () => {
    const keys = keysOf([
      eventOf(discord, "/index.html"),
      eventOf(discord, "/a.js"),
      ...Object.values(readers).map((headers) => eventOf(headers)),
    ]);
    for (const key of keys) expect(key).not.toContain("/.well-known/");
    expect(keys).toHaveLength(2 + Object.keys(readers).length);
  });
});
