import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { originalEnvironment } from "../harness/machine.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "build/bench/cli");

/** Packs the command line and installs it globally into a prefix of its own, as a person does; returns its program. */
export async function installSvc(): Promise<string> {
  const prefix = join(folder, "svc");
  await rm(prefix, { recursive: true, force: true });
  await mkdir(prefix, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", prefix], { cwd: join(root, "cli") });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
  await run("npm", ["install", "--global", "--prefix", prefix, "--offline", "--no-audit", join(prefix, filename)]);
  return join(prefix, "bin/svc");
}

/** The publishing command line of Cloudflare Pages; its install scripts are not run. */
export const wranglerVersion = "4.164.0";

/** Installs wrangler once and returns its program; undefined where it cannot be had. */
export async function installWrangler(): Promise<string | undefined> {
  const prefix = join(folder, `wrangler-${wranglerVersion}`);
  const program = join(prefix, "node_modules/wrangler/bin/wrangler.js");
  if (existsSync(program)) return program;
  try {
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save"];
    await run("npm", ["install", "--prefix", prefix, ...options, `wrangler@${wranglerVersion}`], {
      env: originalEnvironment,
      timeout: 180_000,
    });
    return program;
  } catch {
    return undefined;
  }
}
