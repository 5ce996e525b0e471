import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type CliUser, cliEnvironment, cliProgram } from "./cli.ts";

/** Events that `svc dev --json` writes, line by line. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it freely, and what they find they assert.
export type DevEvent = Readonly<Record<string, any>>;

/** A `svc dev` that serves. */
export interface RunningDev {
  /** The server itself: `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly listening: DevEvent;
  /** Everything on standard error so far. */
  readonly stderr: () => string;
  /** The next line on standard output. */
  next(): Promise<DevEvent>;
  /** Waits until standard error has it. */
  warned(text: string): Promise<void>;
  /** Ends it by a signal; the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  stop(): Promise<void>;
}

/** Starts `svc dev --json` on any free port, in the folder `game` of the home directory. */
export async function startDev(
  person: CliUser,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningDev> {
  const child = spawn(process.execPath, [cliProgram, "dev", ...args, "--port", "0", "--json"], {
    cwd: join(person.home, "game"),
    env: cliEnvironment(person.home, env),
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`svc dev wrote no further line. Standard error:\n${stderr}`);
    return JSON.parse(value) as DevEvent;
  };
  const exit = once(child, "exit");
  const end = async (signal: NodeJS.Signals = "SIGINT") => {
    child.kill(signal);
    const [code] = await exit;
    return code as number | null;
  };
  const listening = await next();
  if (listening["event"] !== "listening") throw new Error(`svc dev does not serve: ${JSON.stringify(listening)}`);
  return {
    origin: `http://127.0.0.1:${listening["port"]}`,
    listening,
    stderr: () => stderr,
    next,
    end,
    async warned(text) {
      while (!stderr.includes(text)) await once(child.stderr, "data");
    },
    stop: async () => void (await end("SIGKILL")),
  };
}
