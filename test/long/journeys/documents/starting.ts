import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyShell, root, shellEnvironment } from "../../../support/documents.ts";

/**
 * Runs commands that start a service, on free ports and with an empty home directory, and stops it.
 *
 * @param use is called while the service runs
 * @returns what it has printed
 */
export async function startedBy(script: string, use: (api: string) => Promise<void> = async () => {}): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "svc-starting-"));
  const [program = "", ...options] = emptyShell;
  const child = spawn(program, [...options, "-c", script], {
    cwd: root,
    // npm does not pass on every signal, so the whole group is stopped.
    detached: true,
    env: { ...shellEnvironment(), HOME: home, PORT: "0", IDP_PORT: "0" },
  });
  const closed = once(child, "close");
  let output = "";
  const { promise: port, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      const [, found] = /^svc is ready\. Open http:\/\/\S+:(\d+)\//m.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  closed.then(() => reject(new Error(`No service was started:\n${output}`)));
  try {
    await use(`http://127.0.0.1:${await port}`);
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await closed;
    rmSync(home, { recursive: true, force: true });
  }
  return output;
}
