import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/*
 * A child process that ends when this one ends, also after `kill -9`. Between the two runs a guard, whose standard input is a
 * pipe from this process. The operating system closes the pipe when this process ends, and then the guard ends the child.
 * Both run in their own session, so that Ctrl-C in a terminal reaches only this process, which then stops them in order.
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

/** Ends a guarded process and waits until it has ended. */
export async function stopGuarded(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  guard.ref();
  const gone = once(guard, "exit");
  guard.stdin?.end();
  await gone;
}

/** Whether a process with this id runs, of any user. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Runs a command, and ends it when standard input closes, which happens when the parent process has ended. */
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
