import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Folder } from "../../support/service/steps.ts";

/*
 * A game with a precaching service worker, as Workbox builds it: the page, its script and a level are in the precache; a
 * chunk and another level are loaded later, from the network.
 */

const entry = fileURLToPath(new URL("workbox-worker.js", import.meta.url));

const digest = (text: string) => createHash("md5").update(text).digest("hex");

/** The files of one release; `window.done` of its page says what each of them is of. */
export async function precachedGame(number: number): Promise<Folder> {
  const later = `export const later = ${number};`;
  const laterPath = `later-${digest(later).slice(0, 8)}.js`;
  const main = `
const level = await (await fetch("level.json")).json();
await navigator.serviceWorker.register("sw.js");
await navigator.serviceWorker.ready;
while (navigator.serviceWorker.controller === null) await new Promise((resolve) => setTimeout(resolve, 20));
window.loadLater = async () => [(await import("./${laterPath}")).later, await (await fetch("bonus.json")).json()];
window.done = { page: Number(document.querySelector("h1").textContent), script: ${number}, level };`;
  const mainPath = `main-${digest(main).slice(0, 8)}.js`;
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><h1>${number}</h1>
<script type="module" src="${mainPath}"></script>`;
  const precached = { "index.html": page, "level.json": String(number) };
  const revisions = Object.entries(precached).map(([url, text]) => ({ url, revision: digest(text) }));
  const sw = await worker([...revisions, { url: mainPath, revision: null }]);
  return { ...precached, [mainPath]: main, [laterPath]: later, "bonus.json": String(number), "sw.js": sw };
}

async function worker(manifest: readonly object[]): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    define: { "self.__WB_MANIFEST": JSON.stringify(manifest), "process.env.NODE_ENV": '"production"' },
  });
  return Buffer.from(outputFiles[0]?.contents ?? "");
}
