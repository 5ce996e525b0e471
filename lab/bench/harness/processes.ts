import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const measureProgram = fileURLToPath(new URL("measure-process.py", import.meta.url));

/** Time and memory of a process. */
export interface ProcessMeasures {
  readonly wallMilliseconds: number;
  readonly processorMilliseconds: number;
  readonly memoryMebibytes: number;
  readonly [measure: string]: number;
}

/** A command with its folder and environment. Of this process's environment it gets only PATH. */
export interface Command {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/**
 * Runs a command until it exits, and measures it. Needs python3.
 *
 * @throws Error with the command's output if it fails
 */
export async function measureProcess({ words, env = {}, cwd }: Command): Promise<ProcessMeasures> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const report = join(folder, "report.json");
  try {
    const { stdout, stderr } = await run("python3", [measureProgram, report, ...words], {
      env: { PATH: process.env["PATH"], ...env },
      cwd,
      maxBuffer: 64 * 1_024 * 1_024,
    });
    const { exitCode, ...measures } = JSON.parse(await readFile(report, "utf8"));
    if (exitCode !== 0) throw new Error(`${words.join(" ")} exited with ${exitCode}:\n${stdout}${stderr}`);
    return measures;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A module in a process of its own. */
export interface Fork<Message> {
  /** The message that it sent when it was ready. */
  readonly message: Message;
  send(message: string): void;
  stop(): Promise<void>;
}

/**
 * Starts a module in a process of its own, until the module has sent a message; it ends when it is disconnected.
 *
 * @throws Error if it exits before
 */
export async function startFork<Message>(moduleUrl: string, args: readonly string[]): Promise<Fork<Message>> {
  const child = fork(fileURLToPath(moduleUrl), args);
  const exited = once(child, "exit");
  const early = exited.then(() => Promise.reject(new Error(`${moduleUrl} exited before it was ready`)));
  const [message] = await Promise.race([once(child, "message"), early]);
  return {
    message,
    send: (text) => void child.send(text),
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}

/** The path of the first of these programs that is installed; undefined: none is. */
export async function findProgram(...names: string[]): Promise<string | undefined> {
  for (const name of names) {
    const isHere = await run(name, ["--version"]).then(
      () => true,
      () => false,
    );
    if (isHere) return name;
  }
  return undefined;
}
