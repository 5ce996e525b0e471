import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isRunning } from "../table/guarded-process.ts";

/**
 * Runs npm and returns its standard output. A script that npm itself has started uses the same npm. Otherwise Windows needs a shell
 * for it, because npm is `npm.cmd` there.
 */
export function runNpm(args: readonly string[], { cwd }: { cwd?: string } = {}): string {
  const npmProgram = process.env["npm_execpath"];
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  };
  if (npmProgram?.endsWith(".js")) return execFileSync(process.execPath, [npmProgram, ...args], options);
  return execFileSync("npm", args, { ...options, shell: process.platform === "win32" });
}

const watchMilliseconds = 250;

/**
 * Calls back once `npm start`, which started this process, has ended or lost its shell. npm passes SIGTERM on to its shell alone, which ends
 * without passing it on, and SIGHUP and SIGKILL to nobody. Does nothing in a process that something else has started.
 */
export function whenNpmEnds(stop: () => void): void {
  if (process.env["npm_lifecycle_event"] !== "start" || process.send !== undefined) return;
  const shell = process.ppid;
  const watched = [shell, npmOf(shell)].filter((pid) => pid > 1);
  const timer = setInterval(() => {
    if (process.ppid === shell && watched.every(isRunning)) return;
    clearInterval(timer);
    stop();
  }, watchMilliseconds).unref();
}

/**
 * The npm of a shell; the shell itself if it has become its command, as bash does. Known on Linux alone. On Windows the shell ends with npm,
 * because libuv puts the children of a Node process into a job object that ends with it.
 */
function npmOf(shell: number): number {
  if (process.platform !== "linux") return shell;
  // proc_pid_stat(5): "pid (name) state ppid"; the name may have spaces and parentheses.
  const [, name = "", parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${shell}/stat`, "utf8")) ?? [];
  return name.endsWith("sh") ? Number(parent) : shell;
}
