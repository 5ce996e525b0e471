import { expect, test } from "@jest/globals";
import { usePlayers } from "../../../../test/browser/games/players.ts";
import { newProject, publish } from "../../../../test/support/service/steps.ts";
import { useOwner, useService } from "../../../../test/support/service/suite.ts";
import { loadFile, loadLink, madeLink, savedFile } from "../support/moving-player.ts";
import { foundSaves, savingGame } from "../support/saving-game.ts";

/*
 * Saves that were written in one browser are read by the game in each other one.
 */
const service = useService();
const ada = useOwner(service);
const players = usePlayers();

const pairs = players.flatMap(([from, come]) => players.map(([to, comeTo]) => ({ from, to, come, comeTo })));
// WebKit opens games by https (test/browser/webkit.ts), and refuses to send to the store of one machine, which has http.
const isByLink = ({ from, to }: (typeof pairs)[number]) => from === to && from !== "WebKit";
const ways = pairs.flatMap((pair) => [
  { ...pair, way: "a file" },
  ...(isByLink(pair) ? [{ ...pair, way: "a link" }] : []),
]);

test.each(ways)("saves from $from are read by the game in $to, by $way", async ({ from, to, come, comeTo, way }) => {
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": savingGame });
  const game = `http://${slug}.${service.gamesDomain}/`;
  const hasFiles = "hasFiles()";
  const one = await come();
  const other = await comeTo();
  try {
    await other.open(game);
    const canHave = (await other.evaluate(hasFiles)) === true;
    await one.open(game);
    const had = (await one.evaluate(hasFiles)) === true;
    // A browser without files for pages takes none.
    if (had && !canHave) await one.evaluate("delete FileSystemFileHandle.prototype.createWritable");
    await one.evaluate("save('seven').then(() => true)");
    await one.open(`${game}.well-known/svc/saves`);
    const sent = way === "a file" ? await savedFile(one) : await madeLink(one);
    await other.evaluate("save('earlier').then(() => true)");
    await other.open(way === "a file" ? `${game}.well-known/svc/saves` : sent);
    await (way === "a file" ? loadFile(other, sent) : loadLink(other));
    await other.open(game);
    expect(await other.evaluate("load()")).toEqual(foundSaves("seven", had && canHave));
    expect([from, one.complaints, to, other.complaints]).toEqual([from, [], to, []]);
  } finally {
    await Promise.all([one.leave(), other.leave()]);
  }
});
