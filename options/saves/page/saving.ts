import { MovingError, readSaves } from "./moving.ts";
import { type MadeSavesFile, makeSavesFile, type SavedPlace, type Saves, SavesFileError } from "./saves-file.ts";
import { UnsealError } from "./sealing.ts";

/*
 * The half that saves to a file: of the page that moves saved games (main.ts), and of the one at the place that a game moves from (export.ts).
 */

export function element<Type extends HTMLElement>(id: string): Type {
  return document.getElementById(id) as Type;
}

export function say(text: string): void {
  element("status").textContent = text;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function amountText(places: readonly SavedPlace[]): string {
  const bytes = places.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const entries = places.reduce((sum, { count }) => sum + count, 0);
  return `${entries} ${entries === 1 ? "entry" : "entries"}, ${sizeText(bytes)}`;
}

export function list(id: string, places: readonly SavedPlace[]): void {
  const items = places.map(({ name, count, sizeBytes }) => {
    const item = document.createElement("li");
    item.textContent = `${name}: ${count} ${count === 1 ? "entry" : "entries"}, ${sizeText(sizeBytes)}`;
    return item;
  });
  element(id).replaceChildren(...items);
  element(id)
    .closest("details")
    ?.toggleAttribute("hidden", items.length === 0);
}

/** Runs one act at a time, and says how it failed. */
export async function run(doing: string, act: () => Promise<string>): Promise<void> {
  const controls = [...document.querySelectorAll<HTMLButtonElement | HTMLInputElement>("button, input")];
  const enabled = controls.filter(({ disabled }) => !disabled);
  for (const control of enabled) control.disabled = true;
  element("main").setAttribute("aria-busy", "true");
  say(doing);
  try {
    say(await act());
  } catch (error) {
    const isKnown = [SavesFileError, MovingError, UnsealError].some((known) => error instanceof known);
    say(isKnown ? (error as Error).message : `It did not work: ${String(error)}. Reload this page.`);
    if (!isKnown) console.error(error);
  } finally {
    for (const control of enabled) control.disabled = false;
    element("main").removeAttribute("aria-busy");
  }
}

/** Says how much is saved here. @returns whether it is anything */
export async function showHere(read: () => Promise<Saves> = readSaves): Promise<boolean> {
  const { facts } = await makeSavesFile(await read(), location.host, new Date());
  const hasSaves = facts.places.length > 0;
  element("here").textContent = hasSaves ? amountText(facts.places) : "Nothing is saved here by this game yet.";
  element<HTMLButtonElement>("save").disabled = !hasSaves;
  list("here-list", facts.places);
  return hasSaves;
}

/** Gives the player what is saved here as one file. @returns what to tell them */
export async function saveToFile(read: () => Promise<Saves> = readSaves): Promise<string> {
  const { file, leftOut } = await makeSavesFile(await read(), location.host, new Date());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${location.hostname}-${new Date().toISOString().slice(0, 10)}.saves`;
  link.click();
  // The browser may ask where to before it reads.
  setTimeout(() => URL.revokeObjectURL(link.href), 600_000);
  if (leftOut.size === 0) return "Saved. Keep the file to yourself: it is everything that this game knows of you.";
  return `Saved, ${withoutText(leftOut)}.`;
}

/** What could not be saved. */
export function withoutText(leftOut: MadeSavesFile["leftOut"]): string {
  const records = [...leftOut.values()].reduce((sum, count) => sum + count, 0);
  return `without ${records} of a kind that cannot leave this browser (${[...leftOut.keys()].join(", ")})`;
}
