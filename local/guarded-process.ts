import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/*
 * A child process that never outlives this one, not even after `kill -9`: between the two stands a guard, this very
 * file, whose standard input is a pipe from us. The operating system closes the pipe however we end; the guard then
 * ends the child. Both run in a session of their own, so that Ctrl-C in a terminal reaches us alone and we stop in order.
 */

/**
 * Starts `command` behind a guard. Its standard output and error are the returned process's.
 *
 * @param options `program`: the guard, a file that calls {@link guard}; `cwd`: the folder of both
 */
export function startGuarded(
  command: string,
  args: readonly string[],
  { program = import.meta.url, cwd = process.cwd() } = {},
): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(program), command, ...args], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    windowsHide: true,
  });
}

/** Ends a guarded process and resolves when it is gone. */
export async function stopGuarded(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const gone = once(guard, "exit");
  guard.stdin?.end();
  await gone;
}

/** Whether a process has this id, of whomever it is. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Runs a command and ends it when standard input closes, that is, when the process that started this one has ended. */
export function guard([command = "", ...args]: readonly string[]): void {
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], windowsHide: true });
  child.on("error", ({ message }) => {
    console.error(message);
    process.exit(1);
  });
  child.on("exit", (code) => process.exit(code ?? 1));
  const end = () => {
    child.kill();
    setTimeout(() => child.kill("SIGKILL"), 2_000);
  };
  process.stdin.on("close", end).resume();
  process.on("SIGTERM", end);
}

if (import.meta.main) guard(process.argv.slice(2));
