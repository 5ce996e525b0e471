import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fetched = fileURLToPath(new URL("../../build/fetched", import.meta.url));

/** npm may need it to reach the registry; a measurement takes it away from this process. */
const certificates = process.env["NODE_EXTRA_CA_CERTS"];

export interface Package {
  /** `name@version`. */
  readonly specification: string;
  /** As npm's lock file has it. */
  readonly integrity: string;
}

/** Libraries with which many browser games are made. */
export const gameLibraries = {
  phaser: {
    specification: "phaser@4.2.1",
    integrity: "sha512-WUNwCPJpdjvZiuT6SgCfYVW8Qw/3j0jJ4ws7P2QkhFLFu74sbGuyHJcbFueGkY/AYO4Pi47bNQXn1OCJeLX//w==",
  },
  pyodide: {
    specification: "pyodide@314.0.7",
    integrity: "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
  },
  three: {
    specification: "three@0.187.0",
    integrity: "sha512-Qiu7R+Cmh8CstZsY1uJOSWnVlfo7ZtNLV7mF8Jltk3LB3AtDu9cRZlcnRKkAk8Y4z6KKw35z7Y7Urd7jWY8etA==",
  },
} as const satisfies Record<string, Package>;

/** The files of Pyodide's package that a page loads, by their paths in a game. */
export const pyodideFiles = Object.fromEntries(
  ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"].map((name) => [
    name,
    name,
  ]),
);

/**
 * The folder of an npm package that few need and that is too large, or unfit, to be installed for everybody. npm fetches it
 * once, and none of its scripts runs.
 *
 * @throws Error if the registry has other bytes than these, or cannot be reached
 */
export function fetchedPackage({ specification, integrity }: Package): string {
  const folder = join(fetched, specification.replace("/", "+"));
  if (existsSync(folder)) return join(folder, "package");
  mkdirSync(fetched, { recursive: true });
  const unpacked = mkdtempSync(`${folder}-`);
  const env = { ...process.env, ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }) };
  const words = ["pack", specification, "--json", "--ignore-scripts", "--pack-destination", unpacked];
  const output = execFileSync("npm", words, { encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
  const [packed] = JSON.parse(output.slice(output.indexOf("["))) as [{ filename: string; integrity: string }];
  if (packed.integrity !== integrity)
    throw new Error(`${specification} has the integrity ${packed.integrity}, and ${integrity} was expected`);
  execFileSync("tar", ["-xzf", join(unpacked, packed.filename), "-C", unpacked]);
  renameSync(unpacked, folder);
  return join(folder, "package");
}
