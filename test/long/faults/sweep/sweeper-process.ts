import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ServiceDetails } from "../../../../local/service.ts";
import { compileCache } from "../../../support/program.ts";
import { functionEnvironment } from "../../../support/service/function-environment.ts";

/** A sweep of one project, and of all. */
const programs = {
  sweep: fileURLToPath(new URL("./sweep-once.ts", import.meta.url)),
  run: fileURLToPath(new URL("./run-once.ts", import.meta.url)),
};

const killerFile = fileURLToPath(new URL("./kill-at-request.cjs", import.meta.url));

/** When a sweeper is killed (kill-at-request.cjs), and how much memory it may use (NODE_OPTIONS). */
export type Kill = Partial<Record<"KILL_AT_REQUEST" | "KILL_AT_PATH" | "NODE_OPTIONS", string>>;

/** Runs a program that sweeps, in a process of its own, which may be killed. */
export async function runSweeper(
  service: ServiceDetails,
  [program, ...args]: readonly [keyof typeof programs, ...string[]],
  kill: Kill = {},
) {
  const child = spawn(process.execPath, ["--require", killerFile, programs[program], ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...compileCache, ...functionEnvironment(service), ...kill },
  });
  const [output, errors, [, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, errors, wasKilled: signal === "SIGKILL" };
}
