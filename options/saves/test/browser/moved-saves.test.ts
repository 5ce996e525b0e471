import { expect, test } from "@jest/globals";
import { type Player, usePlayers } from "../../../../test/browser/games/players.ts";
import { newProject, publish } from "../../../../test/support/service/steps.ts";
import { useOwner, useService } from "../../../../test/support/service/suite.ts";
import { foundSaves, savingGame } from "../support/saving-game.ts";

/*
 * Saves that were written in one browser are read by the game in each other one.
 */
const service = useService();
const ada = useOwner(service);
const players = usePlayers();

const until = (player: Player, condition: string) =>
  player.evaluate(
    `new Promise((resolve) => { const look = () => (${condition}) ? resolve(true) : setTimeout(look, 20); look(); })`,
  );

/** The file that the page gives, as a data URL. */
async function savedFile(player: Player): Promise<string> {
  await until(player, '!document.querySelector("#save").disabled');
  await player.evaluate("void (URL.createObjectURL = (blob) => { window.made = blob; return '#made'; })");
  await player.evaluate('document.querySelector("#save").click()');
  await until(player, "window.made !== undefined");
  return String(
    await player.evaluate(
      "new Promise((resolve) => { const reader = new FileReader(); reader.onload = () => resolve(reader.result); reader.readAsDataURL(window.made); })",
    ),
  );
}

async function loadFile(player: Player, dataUrl: string): Promise<void> {
  await until(player, '!document.querySelector("#main").hasAttribute("aria-busy")');
  await player.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(dataUrl.replace(/.*,/, ""))}), (letter) => letter.charCodeAt(0));
    const chosen = new DataTransfer();
    chosen.items.add(new File([bytes], "a.saves"));
    const input = document.querySelector("#file");
    input.files = chosen.files;
    input.dispatchEvent(new Event("change"));
    return true;
  })()`);
  await until(player, '!document.querySelector("#chosen").hidden && !document.querySelector("#load").disabled');
  await player.evaluate('document.querySelector("#agreed").click()');
  await player.evaluate('document.querySelector("#load").click()');
  await until(player, 'document.querySelector("#status").textContent.startsWith("Loaded")');
}

const pairs = players.flatMap(([from, come]) => players.map(([to, comeTo]) => ({ from, to, come, comeTo })));

test.each(pairs)("saves from $from are read by the game in $to", async ({ from, to, come, comeTo }) => {
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
    const file = await savedFile(one);
    await other.evaluate("save('earlier').then(() => true)");
    await other.open(`${game}.well-known/svc/saves`);
    await loadFile(other, file);
    await other.open(game);
    expect(await other.evaluate("load()")).toEqual(foundSaves("seven", had && canHave));
    expect([from, one.complaints, to, other.complaints]).toEqual([from, [], to, []]);
  } finally {
    await Promise.all([one.leave(), other.leave()]);
  }
});
