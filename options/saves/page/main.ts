import { makeLink, qrCode, takeLink } from "./link.ts";
import { checkSaves, loadSaves, MovingError, putBack, readCopy, readSaves, removeCopy } from "./moving.ts";
import { makeSavesFile, readSavesFile, type Saves, type SavesFacts } from "./saves-file.ts";
import { amountText, element, list, run, saveToFile, say, showHere, withoutText } from "./saving.ts";
import { type LinkSecret, secretOf } from "./sealing.ts";

/*
 * The program of the page that moves a player's saved games, at /.well-known/svc/saves of the game's own origin
 * (options/saves/functions/saves-page.ts). The page's policy lets it connect to the game's own host and to the store alone; what it sends is sealed
 * (link.ts).
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

async function showAll(): Promise<void> {
  const [hasSaves] = await Promise.all([showHere(), showCopy()]);
  element<HTMLButtonElement>("link").disabled = !hasSaves;
}

/** The file that was chosen, or came by a link, and was checked. */
let chosen: { readonly facts: SavesFacts; readonly saves: Saves; readonly isAsked: boolean } | undefined;

/** What the link has with which the page was opened. */
let arrived: LinkSecret | undefined;

async function choose(file: Blob, isSent: boolean): Promise<string> {
  const { facts, saves } = await readSavesFile(file);
  await checkSaves(saves);
  const isOther = facts.host !== location.host;
  chosen = { facts, saves, isAsked: isOther || isSent };
  element("chosen-text").textContent =
    `Saved at ${facts.host} on ${dates.format(facts.madeAt)}: ${amountText(facts.places)}.`;
  list("chosen-list", facts.places);
  element("other").hidden = !chosen.isAsked;
  element("other-text").textContent = isOther
    ? `This file is from ${facts.host}, not from ${location.host}. Load it only if you saved it yourself and it is the same game.`
    : "These saved games came by a link. Load them only if you made the link yourself, on a device of yours.";
  element("agreed-text").textContent = isOther
    ? "It is the same game, and I saved this file myself."
    : "I made the link myself.";
  element<HTMLInputElement>("agreed").checked = false;
  element("chosen").hidden = false;
  element("chosen-title").focus();
  return "Everything arrived complete. Nothing has changed yet.";
}

async function load(): Promise<string> {
  if (chosen === undefined) throw new MovingError("Choose a file first.");
  if (chosen.isAsked && !element<HTMLInputElement>("agreed").checked)
    throw new MovingError("Confirm first that they are yours.");
  await loadSaves(chosen.saves, location.host, openElsewhere);
  forget();
  await showAll();
  return "Loaded. Open the game to go on.";
}

/** Sends what is saved here by a link. */
async function send(): Promise<string> {
  const { file, leftOut } = await makeSavesFile(await readSaves(), location.host, new Date());
  const { url, expiresAt } = await makeLink(file);
  element("qr").replaceChildren(qrCode(url));
  element<HTMLInputElement>("url").value = url;
  const until = expiresAt.toLocaleTimeString(undefined, { timeStyle: "short" });
  element("sent-text").textContent =
    `Point the other device’s camera at the code, or open the link there, before ${until}. Whoever opens it first gets the saved games: show it to nobody else.`;
  element("sent").hidden = false;
  element("link").textContent = "Make another link";
  return leftOut.size === 0 ? "The link is ready." : `The link is ready, ${withoutText(leftOut)}.`;
}

async function copyLink(): Promise<string> {
  const field = element<HTMLInputElement>("url");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    throw new MovingError("This browser does not let the page copy. The link is selected: copy it yourself.");
  }
  return "Copied.";
}

/** Takes the secret out of the URL, so that neither the history nor a picture of the window has it. */
function arrive(): void {
  const secret = secretOf(location.hash);
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
  if (secret === undefined) return;
  arrived = secret;
  element("arrived").hidden = false;
}

async function take(): Promise<string> {
  if (arrived === undefined) throw new MovingError("Open the link once more.");
  const file = await takeLink(arrived);
  arrived = undefined;
  element("arrived").hidden = true;
  return await choose(file, true);
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
  arrive();
  addEventListener("hashchange", arrive);
  if (!isSecureContext || navigator.locks === undefined || indexedDB.databases === undefined)
    return say("This browser cannot move saved games here. Use a newer one, and https.");
  const on = (id: string, doing: string, act: () => Promise<string>) =>
    element(id).addEventListener("click", () => void run(doing, act));
  on("save", "Saving …", () => saveToFile());
  on("link", "Making a link. Leave this page open …", send);
  on("copy-link", "Copying …", copyLink);
  on("take", "Getting them. Leave this page open …", take);
  on("load", "Loading. Leave this page open …", load);
  on("put-back", "Putting back. Leave this page open …", async () => {
    await putBack(openElsewhere);
    await showAll();
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
    if (first !== undefined) void run("Checking the file …", () => choose(first, false));
  });
  await run("Looking at what is saved …", async () => {
    await showAll();
    return "";
  });
}

void start();
