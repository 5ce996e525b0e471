import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { UsageError } from "../configuration.ts";
import type { Part } from "../part.ts";
import { startGuarded, stopGuarded } from "./guarded-process.ts";

const attempts = 3;

/**
 * Starts the embedded DynamoDB engine (dynoxide: SQLite with DynamoDB's protocol) behind local/table/engine-guard.ts, which refuses
 * requests of web pages. The engine deletes expired items, as DynamoDB does. It ends with this process, and does not keep it alive.
 *
 * @param dataFolder where it keeps its one file; undefined: in memory
 * @param isOpen whether requests reach the engine itself, for tests: the guard takes as long for one as the engine
 * @throws UsageError if the platform has no engine or it does not start
 */
export async function startDynamodbEngine(dataFolder: string | undefined, { isOpen = false } = {}): Promise<Part> {
  const binary = enginePath();
  for (let attempt = 1; ; attempt += 1) {
    const [host, port] = [hiddenHost(attempt), String(await freePort())];
    const file = dataFolder === undefined ? [] : ["--db-path", join(dataFolder, "dynamodb.sqlite")];
    const engine = ["--host", host, "--port", port, ...file];
    const program = new URL("engine-guard.ts", import.meta.url).href;
    const guard = isOpen ? startGuarded(binary, engine) : startGuarded(host, [port, binary, ...engine], { program });
    const output = await firstOutput(guard);
    const guardPort = /^port (\d+)$/m.exec(output)?.[1];
    const address = isOpen ? `${host}:${port}` : guardPort && `127.0.0.1:${guardPort}`;
    if (address && output.includes(listening)) {
      for (const handle of [guard, guard.stdin, guard.stdout, guard.stderr]) (handle as Socket | null)?.unref();
      return { endpoint: `http://${address}`, stop: () => stopGuarded(guard) };
    }
    await stopGuarded(guard);
    if (attempt === attempts)
      throw new UsageError(`The DynamoDB engine did not start: ${output.replace(/^port .*\n/m, "").trim()}`);
  }
}

/**
 * A random loopback address, because the engine responds to every web page that knows its address. macOS has only
 * 127.0.0.1; the last attempt takes that on every system.
 */
function hiddenHost(attempt: number): string {
  if (process.platform === "darwin" || attempt === attempts) return "127.0.0.1";
  return ["127", ...Array.from({ length: 3 }, () => String(randomInt(1, 255)))].join(".");
}

/** The output until the engine listens or ends. Later output is ignored. */
async function firstOutput(guard: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let output = "";
  for (const stream of [guard.stdout, guard.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
      if (output.includes(listening)) resolve(output);
    });
  guard.once("close", () => resolve(output || "it ended at once"));
  return promise;
}

const listening = "listening";

function enginePath(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "dynoxide.exe" : "dynoxide";
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const path = folders.map((folder) => join(folder, name, file)).find((candidate) => existsSync(candidate));
  if (path === undefined)
    throw new UsageError(
      `${name} is not installed: run \`npm ci\`, or set DYNAMODB_ENDPOINT to an engine of your own.`,
    );
  return path;
}

/**
 * A free port for the engine, which cannot choose one itself. It is below those that systems give to connections and to servers that
 * name none, so that another process hardly takes it in between.
 *
 * @throws Error of the system if none of a hundred is free
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(11_000, 32_768);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if (attempt < 100) continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
