import type { Player } from "../../../../test/browser/games/players.ts";

/*
 * What a person does on the page that moves saved games, in whichever browser.
 */

const until = (player: Player, condition: string) =>
  player.evaluate(
    `new Promise((resolve) => { const look = () => (${condition}) ? resolve(true) : setTimeout(look, 20); look(); })`,
  );

/** The file that the page gives, as a data URL. */
export async function savedFile(player: Player): Promise<string> {
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

/** Chooses the file, says that it is the same game, and replaces what is there. */
export async function loadFile(player: Player, dataUrl: string): Promise<void> {
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

/** Makes a link. @returns its URL */
export async function madeLink(player: Player): Promise<string> {
  await until(player, '!document.querySelector("#link").disabled');
  await player.evaluate('document.querySelector("#link").click()');
  await until(player, '!document.querySelector("#sent").hidden');
  return String(await player.evaluate('document.querySelector("#url").value'));
}

/** Gets what the link has with which the page was opened, says that it is one's own, and replaces what is there. */
export async function loadLink(player: Player): Promise<void> {
  await until(player, '!document.querySelector("#main").hasAttribute("aria-busy")');
  await player.evaluate('document.querySelector("#take").click()');
  await until(player, '!document.querySelector("#chosen").hidden && !document.querySelector("#load").disabled');
  await player.evaluate('document.querySelector("#agreed").click()');
  await player.evaluate('document.querySelector("#load").click()');
  await until(player, 'document.querySelector("#status").textContent.startsWith("Loaded")');
}
