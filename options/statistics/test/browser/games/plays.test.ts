import { describe, expect, test } from "@jest/globals";
import { type Player, playing, usePlayers } from "../../../../../test/browser/games/players.ts";
import { until } from "../../../../../test/browser/until.ts";
import { oneDay } from "../../../../../test/support/one-day.ts";
import { newProject, publish } from "../../../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../../../test/support/service/suite.ts";
import { query } from "../../../functions/athena.ts";
import { dailyQuery, rowOf } from "../../../functions/daily-query.ts";

/*
 * Plays counted from the requests of a browser. lab/judges/queries.test.ts shows that Athena's form of the log counts the same.
 */
const service = useService();
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({
  ...service.optionEnvironment,
  GAMES_DOMAIN: service.gamesDomain,
}));
const today = await oneDay();

const page = (script: string) => `<!doctype html><title>Played</title><p>A game</p><script>${script}</script>`;
const worker = `addEventListener("install", (event) => event.waitUntil(caches.open("1").then((cache) => cache.addAll(["/", "/story/"]))));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request))));
`;
const files = {
  "index.html": page(""),
  "story/index.html": page(""),
  "framed.html": `<!doctype html><title>Framed</title><iframe src="/"></iframe>`,
  "prefetched.html": page(""),
  "worker.js": worker,
};

/** Plays and requests of a game in the log, of its own host. */
async function counted(slug: string): Promise<{ readonly plays: number; readonly requests: number }> {
  const sums = { plays: 0, requests: 0 };
  for await (const values of query(dailyQuery({ day: today, next: today }))) {
    const { host, path, plays, requests } = rowOf(values);
    if (host !== `${slug}.${service.gamesDomain}` || path !== "") continue;
    sums.plays += plays;
    sums.requests += requests;
  }
  return sums;
}

interface Visit {
  readonly player: Player;
  readonly url: string;
  readonly slug: string;
}

const opened = async ({ player, url }: Visit) => await player.open(url);
const fetched = async ({ player }: Visit, request: string) =>
  expect(await player.evaluate(`fetch(${request}).then(({ ok }) => ok)`)).toBe(true);
const hasController = "navigator.serviceWorker.controller !== null";
const registers = "navigator.serviceWorker.register('/worker.js').then(() => true)";

const kinds: readonly (readonly [kind: string, plays: number, visit: (visit: Visit) => Promise<void>])[] = [
  ["a visit", 1, opened],
  [
    "a reload of it",
    2,
    async (visit) => {
      await opened(visit);
      await visit.player.reload();
    },
  ],
  ["a visit by a link to a page inside the game", 1, async ({ player, url }) => await player.open(`${url}story/`)],
  ["a visit to a page that is missing", 0, async ({ player, url }) => await player.open(`${url}missing.html`)],
  [
    "the page's own fetch of the first page, and a HEAD of it",
    1,
    async (visit) => {
      await opened(visit);
      await fetched(visit, `"/"`);
      await fetched(visit, `"/", { method: "HEAD" }`);
      await fetched(visit, `"/index.html", { cache: "reload" }`);
    },
  ],
  ["a page with a frame of the game's own", 1, async ({ player, url }) => await player.open(`${url}framed.html`)],
  [
    "a page that is prefetched and never opened",
    1,
    async (visit) => {
      await opened(visit);
      const { requests } = await counted(visit.slug);
      await visit.player.evaluate(`void document.head.append(Object.assign(document.createElement("link"),
        { rel: "prefetch", href: "/prefetched.html" }))`);
      while ((await counted(visit.slug)).requests === requests) await visit.player.evaluate("1");
    },
  ],
  [
    "a page that a service worker keeps, and a visit that it answers",
    1,
    async (visit) => {
      await opened(visit);
      await visit.player.evaluate(registers);
      await until(visit.player, hasController);
      await visit.player.open(`${visit.url}story/`);
      await until(visit.player, hasController);
    },
  ],
  [
    "a visit in a frame of another site",
    1,
    async ({ player, url }) => {
      const portal = await newProject(ada);
      await publish(ada, portal, {
        "index.html": `<!doctype html><title>Portal</title><iframe src="${url}"></iframe>`,
      });
      await player.open(`http://${portal}.${service.gamesDomain}/`);
    },
  ],
  [
    "a run of the page that profiles",
    0,
    async ({ player, slug }) => {
      await player.open((await ada.post(`/projects/${slug}/telemetry-grants`)).body.url);
      await until(player, "document.querySelector('iframe')?.contentDocument?.title", "Played");
    },
  ],
];

describe.each(usePlayers().filter(([name]) => name !== "WebKit"))("in %s", (_, come) => {
  test.each(kinds)("%s: %i", async (_kind, plays, visit) => {
    const slug = await newProject(ada);
    await publish(ada, slug, files);
    await playing(come, async (player) => {
      await visit({ player, slug, url: `http://${slug}.${service.gamesDomain}/` });
    });
    expect((await counted(slug)).plays).toBe(plays);
  });
});
