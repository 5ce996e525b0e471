import { describe, expect, test } from "@jest/globals";
import { startHttpServer } from "../../support/network/http-server.ts";
import { type Folder, newProject, publish } from "../../support/service/steps.ts";
import { duringTests, useOwner, useService } from "../../support/service/suite.ts";
import { passedOnGame, passingWorkers, type Visit, whole } from "./passing-workers.ts";
import { type Player, playing, usePlayers } from "./players.ts";

/*
 * Games whose service worker passes requests on, beside a plain static host with the same files: what a player gets in the first three
 * visits after a release. Firefox and WebKit play those that a browser's headers make a difference for.
 */

const service = useService({});
const ada = useOwner(service);
const players = usePlayers();

/** A static host that asks browsers to compare each time. */
const folders = new Map<string, Folder>();
const staticHost = duringTests(() =>
  startHttpServer(({ url = "", headers: { host = "" } }, response) => {
    const { pathname } = new URL(url, "http://static.localhost");
    const path = pathname === "/" ? "index.html" : pathname.slice(1);
    const bytes = folders.get(host.split(".")[0] ?? "")?.[path];
    const type = { html: "text/html", js: "text/javascript", json: "application/json" }[path.split(".").at(-1) ?? ""];
    if (bytes === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": type, "cache-control": "no-cache" }).end(bytes);
  }),
);

/** A second visit of the first release, and then three of the second one. */
async function visits(player: Player, url: string, goLive: (number: number) => Promise<unknown>): Promise<Visit[]> {
  const visit = async () => {
    const { page, script } = (await player.done()) as Visit;
    return { page, script, late: await player.evaluate("window.later()") };
  };
  await goLive(1);
  await player.open(url);
  await visit();
  await player.reload();
  await visit();
  await goLive(2);
  const seen: Visit[] = [];
  while (seen.length < 3) {
    await player.reload();
    seen.push(await visit());
  }
  return seen;
}

describe.each(players)("in %s, a worker that responds with", (browser, come) => {
  const workers = passingWorkers.filter(({ differs }) => differs || browser === "Chromium");
  test.each(workers)("$way", async ({ way, script, first = whole, second = [whole] }) => {
    await playing(come, async (player) => {
      const name = `w${passingWorkers.findIndex((worker) => worker.way === way)}`;
      const { port } = new URL(staticHost.endpoint);
      const theirs = await visits(player, `http://${name}.localhost:${port}/`, async (number) => {
        folders.set(name, passedOnGame(number, script));
      });
      const slug = await newProject(ada);
      const ours = await visits(player, `http://${slug}.${service.gamesDomain}/`, (number) =>
        publish(ada, slug, passedOnGame(number, script)),
      );
      expect(theirs).toEqual([first, whole, whole]);
      expect(ours[0]).toEqual(first);
      expect(second).toContainEqual(ours[1]);
      expect(ours[2]).toEqual(whole);
    });
  });
});
