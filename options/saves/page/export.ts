import { readSaves } from "./moving.ts";
import { onlyNamed } from "./only-named.ts";
import type { Saves } from "./saves-file.ts";
import { element, run, saveToFile, say, showHere } from "./saving.ts";

/*
 * The program of the page at the place that a game moves from, which `svc saves page` writes (options/saves/cli/export-page.ts). It saves to a file,
 * which the page of the game's new origin loads (main.ts), and sends nothing. It works in a frame too: on sites that show games in frames, browsers
 * keep what a game saves for that frame alone.
 */

/** False in a sandbox without an origin, for a page that is opened from the disk, and if the browser blocks cookies here. */
function canReadStorage(): boolean {
  try {
    return origin !== "null" && localStorage !== null;
  } catch {
    return false;
  }
}

/** What the game has saved here: everything at this origin, or what has one of the names that the page was written with. */
async function readGame(): Promise<Saves> {
  const names: unknown = JSON.parse(document.querySelector<HTMLMetaElement>("meta[name=svc-only]")?.content ?? "[]");
  const saves = await readSaves();
  return Array.isArray(names) && names.length > 0 ? onlyNamed(saves, names.map(String)) : saves;
}

async function start(): Promise<void> {
  element("host").textContent = location.host;
  if (!canReadStorage())
    return say(
      "This browser keeps nothing for this page. Open it at the host of the game, and allow that to store data.",
    );
  if (!isSecureContext || indexedDB.databases === undefined)
    return say("This browser cannot save to a file here. Use a newer one, and https.");
  element("save").addEventListener("click", () => void run("Saving …", () => saveToFile(readGame)));
  await run("Looking at what is saved …", async () => {
    await showHere(readGame);
    return "";
  });
}

void start();
