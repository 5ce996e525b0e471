import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";

/**
 * Runs npm and returns its standard output. A script that npm itself has started uses the same npm. Otherwise Windows needs a shell
 * for it, because npm is `npm.cmd` there.
 */
export function runNpm(args: readonly string[], { cwd }: { cwd?: string } = {}): string {
  const own = process.env["npm_execpath"];
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  };
  if (own?.endsWith(".js")) return execFileSync(process.execPath, [own, ...args], options);
  return execFileSync("npm", args, { ...options, shell: process.platform === "win32" });
}
