import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ServiceDetails } from "../../../../local/service.ts";
import { sweeperEnvironment } from "../../../support/sweeping.ts";

const killerFile = fileURLToPath(new URL("./kill-at-request.cjs", import.meta.url));

/** When a sweeper is killed (kill-at-request.cjs). */
export type Kill = Partial<Record<"KILL_AT_REQUEST" | "KILL_AT_PATH", string>>;

/** Runs one of the programs of this folder that sweep, in a process of its own, which may be killed. */
export async function runSweeper(service: ServiceDetails, [program = "", ...args]: readonly string[], kill: Kill = {}) {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ["--require", killerFile, file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...sweeperEnvironment(service), ...kill },
  });
  const [output, errors, [, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, errors, wasKilled: signal === "SIGKILL" };
}
