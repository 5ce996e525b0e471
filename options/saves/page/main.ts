import { checkSaves, loadSaves, MovingError, putBack, readCopy, removeCopy } from "./moving.ts";
import { readSavesFile, type Saves, type SavesFacts } from "./saves-file.ts";
import { amountText, element, list, run, saveToFile, say, showHere } from "./saving.ts";

/*
 * The program of the page that moves a player's saved games, at /.well-known/svc/saves of the game's own origin
 * (options/saves/functions/saves-page.ts). It sends nothing: the page's policy lets it connect to nowhere.
 */

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });

const openElsewhere = () =>
  say("This game is open in another tab or window. Close it there, then this goes on by itself.");

async function showCopy(): Promise<void> {
  const copy = await readCopy();
  element("copy").hidden = copy === undefined;
  if (copy === undefined) return;
  const when = dates.format(copy.madeAt);
  element("copy-text").textContent = copy.isReplaced
    ? `You loaded saved games on ${when}. What was here before is still kept.`
    : `Loading saved games on ${when} was interrupted, so what is here now may be incomplete. What was here before is kept.`;
}

/** The file that was chosen and checked. */
let chosen: { readonly facts: SavesFacts; readonly saves: Saves } | undefined;

async function choose(file: Blob): Promise<string> {
  const { facts, saves } = await readSavesFile(file);
  await checkSaves(saves);
  chosen = { facts, saves };
  const isOther = facts.host !== location.host;
  element("chosen-text").textContent =
    `Saved at ${facts.host} on ${dates.format(facts.madeAt)}: ${amountText(facts.places)}.`;
  list("chosen-list", facts.places);
  element("other").hidden = !isOther;
  element("other-text").textContent =
    `This file is from ${facts.host}, not from ${location.host}. Load it only if you saved it yourself and it is the same game.`;
  const agreed = element<HTMLInputElement>("agreed");
  agreed.checked = false;
  element("chosen").hidden = false;
  return "The file is complete. Nothing has changed yet.";
}

async function load(): Promise<string> {
  if (chosen === undefined) throw new MovingError("Choose a file first.");
  if (chosen.facts.host !== location.host && !element<HTMLInputElement>("agreed").checked)
    throw new MovingError("Confirm first that it is the same game.");
  await loadSaves(chosen.saves, location.host, openElsewhere);
  forget();
  await Promise.all([showHere(), showCopy()]);
  return "Loaded. Open the game to go on.";
}

/** The same file is not loaded again by a second click. */
function forget(): void {
  chosen = undefined;
  element("chosen").hidden = true;
  element<HTMLInputElement>("file").value = "";
}

async function start(): Promise<void> {
  // Its headers refuse frames; a browser that does not know them must not show it in one either.
  if (window.top !== window) return;
  element("main").hidden = false;
  if (!isSecureContext || navigator.locks === undefined || indexedDB.databases === undefined)
    return say("This browser cannot move saved games here. Use a newer one, and https.");
  const on = (id: string, doing: string, act: () => Promise<string>) =>
    element(id).addEventListener("click", () => void run(doing, act));
  on("save", "Saving …", () => saveToFile());
  on("load", "Loading. Leave this page open …", load);
  on("put-back", "Putting back. Leave this page open …", async () => {
    await putBack(openElsewhere);
    await Promise.all([showHere(), showCopy()]);
    return "What was here before is here again.";
  });
  on("keep", "Removing the copy …", async () => {
    await removeCopy();
    await showCopy();
    return "The copy is removed. What is here stays.";
  });
  const file = element<HTMLInputElement>("file");
  file.addEventListener("change", () => {
    const [first] = file.files ?? [];
    chosen = undefined;
    element("chosen").hidden = true;
    if (first !== undefined) void run("Checking the file …", () => choose(first));
  });
  await run("Looking at what is saved …", async () => {
    await Promise.all([showHere(), showCopy()]);
    return "";
  });
}

void start();
