import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { pngOf } from "../../support/edge/png.ts";
import { zipBytes } from "../../support/folder/zips.ts";
import { play } from "../../support/service/play.ts";
import { complaintsOf } from "../chromium.ts";
import { drop } from "../dashboard/drop.ts";
import { folders } from "../dashboard/folders.ts";
import { chooseOnProvider } from "../dashboard/person.ts";
import { keepLooks, lookAt } from "../dashboard/screens.ts";
import { visitor } from "../dashboard/visitor.ts";
import { phoneDevice } from "./phone.ts";

/* A teenager who has a zip from Godot and no account: until a friend plays the game on a phone. */

const v = visitor();
const files = folders();

/** Pictures of many looks, each examined, take a busy machine minutes. */
const longest = 300_000;

/** A module of WebAssembly with one function, `next(score)`, which adds one. */
const wasm = Buffer.from("0061736d0100000001060160017f017f03020100070801046e65787400000a09010700200041016a0b", "hex");

/** The loader of an engine with threads: as Godot's, it says what the page lacks, and else loads the engine and the game's pack. */
const loader = `class Engine {
  static getMissingFeatures() {
    return globalThis.crossOriginIsolated ? [] : ["Cross-Origin Isolation - Check that the web server configuration sends the correct headers."];
  }
  constructor(config) { this.config = config; }
  async startGame() {
    const load = async (end) => await (await fetch(this.config.executable + end)).arrayBuffer();
    const [{ instance }, pack] = await Promise.all([
      WebAssembly.instantiateStreaming(fetch(this.config.executable + ".wasm")), load(".pck")]);
    if (new TextDecoder().decode(pack.slice(0, 4)) !== "GDPC") throw new Error("No pack");
    const score = new Int32Array(new SharedArrayBuffer(4));
    this.config.canvas.addEventListener("pointerdown", () => {
      score[0] = instance.exports.next(score[0]);
      document.title = "Score " + score[0];
    });
  }
}`;

/** The page of Godot's template, as far as it starts the engine. */
const page = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, user-scalable=no, initial-scale=1.0"><title>Neon Drift</title>
<style>html, body, #canvas { margin: 0; padding: 0; border: 0 } body { background-color: black } #canvas { display: block; width: 100vw; height: 90vh } #status { color: white }</style>
<link id="-gd-engine-icon" rel="icon" href="index.icon.png"><link rel="apple-touch-icon" href="index.apple-touch-icon.png">
</head><body><canvas id="canvas"></canvas><div id="status"></div><script src="index.js"></script><script>
const GODOT_CONFIG = {"args":[],"canvasResizePolicy":2,"ensureCrossOriginIsolationHeaders":true,"executable":"index","experimentalVK":false,"fileSizes":{"index.pck":4096,"index.wasm":${wasm.length}},"focusCanvas":true,"gdextensionLibs":[]};
const GODOT_THREADS_ENABLED = true;
const missing = Engine.getMissingFeatures({ threads: GODOT_THREADS_ENABLED });
const status = document.getElementById("status");
if (missing.length > 0) status.innerText = "Error\\nThe following features required to run Godot projects on the Web are missing:\\n" + missing.join("\\n");
else new Engine({ ...GODOT_CONFIG, canvas: document.getElementById("canvas") }).startGame().then(() => { status.innerText = "Tap to drift"; });
</script></body></html>`;

/** What Godot 4's export for the web has written, zipped by the system's file manager. */
async function zipOfExport(): Promise<string> {
  const zip = join(files.parent, "neon-drift.zip");
  const exported = {
    "index.html": page,
    "index.js": loader,
    "index.wasm": wasm,
    "index.pck": Buffer.concat([Buffer.from("GDPC"), Buffer.alloc(4_092)]),
    "index.audio.worklet.js": "registerProcessor;",
    "index.audio.position.worklet.js": "registerProcessor;",
    "index.png": pngOf(640, 360),
    "index.icon.png": pngOf(128, 128),
    "index.apple-touch-icon.png": pngOf(180, 180),
  };
  writeFileSync(zip, await zipBytes(exported));
  return zip;
}

/** Whether a button is above the end of its dialog. It runs in the page. */
function isInDialog(button: Box & { closest(selector: string): Box | null }): boolean {
  const { bottom = 0 } = button.closest("dialog")?.getBoundingClientRect() ?? {};
  return button.getBoundingClientRect().bottom <= bottom;
}

interface Box {
  getBoundingClientRect(): { readonly bottom: number };
}

/** Plays until the score is two. */
async function plays(game: Page): Promise<void> {
  await game.getByText("Tap to drift").waitFor();
  for (let score = 1; score <= 2; score += 1) {
    await game.locator("canvas").dispatchEvent("pointerdown");
    expect(await game.title()).toBe(`Score ${score}`);
  }
}

/** Page that a link opens. */
async function opened(context: BrowserContext, open: () => Promise<unknown>): Promise<Page> {
  const [page] = await Promise.all([context.waitForEvent("page"), open()]);
  return page;
}

test(
  "signs in for the first time, drops a zip from Godot, plays it with threads, says who may embed it, and shares it",
  async () => {
    const { page, context, service } = v;
    const complaints = complaintsOf(page);
    const says = (text: string) => page.locator(".toast").getByText(text).waitFor();
    const dialog = page.getByRole("dialog");
    await page.goto(service.dashboard);
    await v.button("Sign in").waitFor();
    await keepLooks(page, "walk-teenager-1-welcome");
    await v.button("Sign in").click();
    await chooseOnProvider(page, "Bo Lindqvist");
    await page.getByText("Publish your first game").waitFor();
    expect(await lookAt(page, "publish-first")).toEqual([]);
    await keepLooks(page, "walk-teenager-2-first");

    await drop(page, await zipOfExport());
    // As its page calls itself, and with the threads that its loader asks for.
    await page.getByText(/^neon-drift\.zip: 9 files/).waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Neon Drift");
    expect(await page.getByRole("checkbox", { name: "Threads" }).isChecked()).toBe(true);
    await v.button("Publish").waitFor();
    expect(await lookAt(page, "publish-review")).toEqual([]);
    await keepLooks(page, "walk-teenager-3-review");
    await page.getByRole("textbox", { name: "What is new" }).fill("My first game");
    await v.button("Publish").click();
    await page.locator(":focus", { hasText: /^It is live\.$/ }).waitFor();
    expect(await lookAt(page, "publish-done")).toEqual([]);
    await keepLooks(page, "walk-teenager-4-live");
    // However small the phone is, the way to the game is in sight.
    await page.setViewportSize({ width: 320, height: 568 });
    const toGame = dialog.getByRole("link", { name: "Play" });
    expect(await toGame.evaluate(isInDialog)).toBe(true);
    await page.setViewportSize({ width: 1_280, height: 800 });
    const url = `http://neon-drift.${service.gamesDomain}/`;
    const game = await opened(context, () => toGame.click());
    expect(game.url()).toBe(url);
    await plays(game);
    await game.close();
    await v.button("Close").click();
    const live = page.getByRole("region", { name: "Live release" });
    await live.getByRole("heading", { name: "#1 My first game" }).waitFor();
    await keepLooks(page, "walk-teenager-5-project");

    // Another page shows the game. From the next visit on it may not, and the game is sent as before beside that.
    const framedBy = async () =>
      /frame-ancestors ([^;]+)/.exec(
        String((await play(service, "neon-drift", { path: "/" })).headers["content-security-policy"]),
      )?.[1];
    await v.tab("Settings");
    await page.getByRole("checkbox", { name: "Single page" }).check();
    await page.getByRole("radio", { name: "Some sites" }).check();
    expect(await v.button("Review and make live").isDisabled()).toBe(true);
    await page.getByLabel("Sites, one a line").fill("https://Portal.example/games\n");
    expect(await lookAt(page, "game-settings", v.button("Review and make live"))).toEqual([]);
    await keepLooks(page, "walk-teenager-6-settings");
    await v.button("Review and make live").click();
    await dialog.getByRole("row", { name: "Embedding every site https://portal.example" }).waitFor();
    await dialog.getByRole("row", { name: "Single page off on" }).waitFor();
    expect(await lookAt(page, "game-settings-review")).toEqual([]);
    await keepLooks(page, "walk-teenager-7-settings-review");
    await dialog.getByRole("button", { name: "Make live" }).click();
    await says("#2 is live: Single page, Embedding.");
    await page.getByText("Only these sites may: https://portal.example.").waitFor();
    expect(await v.button("Review and make live").count()).toBe(0);
    expect(await page.getByRole("checkbox", { name: "Single page" }).isChecked()).toBe(true);
    expect(await framedBy()).toContain("https://portal.example");
    await v.button("Undo").click();
    await says("Undone: what was live is live again.");
    await page.getByText("Only these sites may").waitFor({ state: "detached" });
    expect(await framedBy()).toBeUndefined();

    await v.button("Share").click();
    await keepLooks(page, "walk-teenager-8-share");
    const shared = await dialog.getByText(url, { exact: true }).first().textContent();
    await page.keyboard.press("Escape");
    const phone = await v.browser.newContext(phoneDevice);
    const friend = await phone.newPage();
    await friend.goto(shared ?? "");
    await plays(friend);
    await phone.close();

    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByText("Became a developer").waitFor();
    expect(complaints).toEqual([]);
  },
  longest,
);
