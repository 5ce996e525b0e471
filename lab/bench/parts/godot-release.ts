import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyGodotExport, godotFiles } from "../../../test/browser/games/exports.ts";

const folder = join(fileURLToPath(new URL("../../..", import.meta.url)), "build/bench/godot");

/**
 * Loads what Godot's own page loads before the first frame, and compiles the engine. That page takes a script of another
 * site and a graphics card, which a measurement has not.
 */
const page = `<!doctype html><title>Loading</title><script src="index.js"></script><script>
const engine = WebAssembly.compileStreaming(fetch("index.wasm"));
const game = fetch("index.pck").then((response) => response.arrayBuffer());
Promise.all([engine, game]).then(() => { document.title = "Loaded"; });
</script>`;

/** A release as Godot 4 exports it, with an engine of 38 MB and a game of 3 MB. Returns its folder. */
export async function fetchGodotRelease(): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  const release = join(folder, "release");
  await mkdir(release, { recursive: true });
  copyGodotExport(release);
  await writeFile(join(release, "index.html"), page);
  return release;
}

/** A few kilobytes that load in the same way: an engine that is padding alone. Returns the folder. */
export async function smallRelease(folder: string): Promise<string> {
  await mkdir(folder);
  for (const file of godotFiles) await writeFile(join(folder, file), "");
  // The eight bytes that begin every module, and a custom section of 16 KiB whose name is empty.
  const engine = Buffer.concat([Buffer.from("0061736d0100000000818001", "hex"), Buffer.alloc(2 ** 14 + 1)]);
  await writeFile(join(folder, "index.wasm"), engine);
  await writeFile(join(folder, "index.html"), page);
  return folder;
}

/** True in its page when the engine and the game are loaded. */
export const godotIsLoaded = 'document.title === "Loaded"';
