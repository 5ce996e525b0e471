import { describe, expect, test } from "@jest/globals";
import { startHttpServer } from "../../support/network/http-server.ts";
import { type Folder, newProject, publish } from "../../support/service/steps.ts";
import { duringTests, useOwner, useService } from "../../support/service/suite.ts";
import { everything, passedOnGame, passingWorkers, type Visit } from "./passing-workers.ts";
import { type Player, playing, usePlayers } from "./players.ts";

/*
 * Games whose service worker passes requests on, beside a plain static host with the same files: what a player gets in the first two
 * visits after a release.
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

const whole: Visit = { page: 2, script: 2, late: 2 };

describe.each(players)("in %s, a worker that responds with", (_browser, come) => {
  test.each(passingWorkers)("%s", async (way, script, compared = [everything, everything]) => {
    await playing(come, async (player) => {
      const name = `w${passingWorkers.findIndex(([other]) => other === way)}`;
      const { port } = new URL(staticHost.endpoint);
      const theirs = await visits(player, `http://${name}.localhost:${port}/`, async (number) => {
        folders.set(name, passedOnGame(number, script));
      });
      const slug = await newProject(ada);
      const ours = await visits(player, `http://${slug}.${service.gamesDomain}/`, (number) =>
        publish(ada, slug, passedOnGame(number, script)),
      );
      for (const [index, parts] of compared.entries()) {
        const only = (seen?: Visit) => parts.map((part) => [part, seen?.[part]]);
        expect(only(ours[index])).toEqual(only(theirs[index]));
      }
      expect(ours[2]).toEqual(whole);
    });
  });
});
