import { execFileSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Builds the functions, the dashboard and the command line once before all tests, so that the test files need not. In
 * processes of their own, because jest's module hooks do not let a TypeScript file import another here.
 */
export default function build(
  _?: unknown,
  project?: { readonly globals: { readonly splitFunctions?: boolean } },
): void {
  // The workers and their services inherit it.
  if (project?.globals.splitFunctions) {
    process.env["SPLIT_FUNCTIONS"] = "1";
    if (hasRoom(memory)) process.env["SERVICES_TMPDIR"] = memory;
  }
  run("../../infra/bundle.ts", "--changed");
  run("../../cli/build.ts");
  run("../../dashboard/build.ts", "--changed");
  keepCompiledCli();
  process.env["FUNCTIONS_ARE_BUILT"] = "1";
}

/** Linux's file system in memory. With its objects there a service takes a tenth less time, and waits for no disk. */
const memory = "/dev/shm";

/** A container often has only 64 MiB of it. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 1024 ** 3;
}

/** Runs the command line once, so that the users in the tests (createCliUser) need not compile it at each first run. */
function keepCompiledCli(): void {
  const cache = pathOf("../../node_modules/.cache/compiled-cli");
  execFileSync(process.execPath, [pathOf("../../cli/bin/run.cjs"), "whoami", "--help"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, XDG_CACHE_HOME: cache },
  });
  // The workers inherit it.
  process.env["COMPILED_CLI"] = `${cache}/svc/code`;
}

function run(script: string, ...args: string[]): void {
  execFileSync(process.execPath, [pathOf(script), ...args], { stdio: ["ignore", "ignore", "inherit"] });
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
