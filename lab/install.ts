import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNpm } from "../local/machine/npm.ts";

const folder = import.meta.dirname;
const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
const installedLock = join(folder, "node_modules/.installed-lock.json");

/* Installs the packages of lab/package.json, unless those of its lock file are installed already: every command of lab/ begins with it. */
if (!existsSync(installedLock) || readFileSync(installedLock, "utf8") !== lock) {
  runNpm(["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
  writeFileSync(installedLock, lock);
}
