import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const prefix = join(root, "build/bench/cli");

/** Packs the command line and installs it globally with its own prefix; returns the path of `svc`. */
export async function installSvc(): Promise<string> {
  await rm(prefix, { recursive: true, force: true });
  await mkdir(prefix, { recursive: true });
  // Not left to npm, which builds it only if `ignore-scripts` is not set.
  await run(process.execPath, [join(root, "cli/build.ts")]);
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", prefix], {
    cwd: join(root, "cli"),
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
  await run("npm", ["install", "--global", "--prefix", prefix, "--offline", "--no-audit", join(prefix, filename)]);
  return join(prefix, "bin/svc");
}
