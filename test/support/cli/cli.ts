import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tokenChecksum } from "../../../contract/api/tokens/token-format.ts";

/** The command line as its package ships it; global-setup.ts builds it. */
export const cliProgram = fileURLToPath(new URL("../../../cli/bin/run.cjs", import.meta.url));

const manifest: { commands: Record<string, { hidden?: boolean }> } = JSON.parse(
  readFileSync(new URL("../../../cli/oclif.manifest.json", import.meta.url), "utf8"),
);

/** The commands that help shows, as oclif names them; global-setup.ts writes the manifest. */
export const commandIds = Object.keys(manifest.commands).filter(
  (id) => id !== "help" && !manifest.commands[id]?.hidden,
);

export interface CliRun {
  /** Environment variables beyond PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; without it, it is closed. */
  readonly input?: string;
  readonly cwd?: string;
  /** Another program than the built one. */
  readonly program?: readonly string[];
  /** When it is killed, and the run throws; two minutes by default. */
  readonly timeoutMilliseconds?: number;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely, and what they find they assert.
  readonly json: any;
}

/** A user of the command line, with a home directory of its own. */
export interface CliUser {
  readonly home: string;
  readonly credentialFile: string;
  run(args: readonly string[], options?: CliRun): Promise<CliResult>;
  /** Removes the home directory. */
  leave(): void;
}

/** @param isNew whether the command line has never run there; otherwise its compiled code is there, and nothing else */
export function createCliUser({ isNew = false } = {}): CliUser {
  const home = mkdtempSync(join(tmpdir(), "svc-cli-"));
  if (!isNew) copyCompiledCode(join(home, ".cache", "svc", "code"));
  return {
    home,
    credentialFile: join(home, ".config", "svc", "credentials"),
    run: (args, options = {}) => runCli(home, args, options),
    leave: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** The compiled code that global-setup.ts keeps, because compiling takes as long as the rest of a run. */
function copyCompiledCode(folder: string): void {
  const source = process.env["COMPILED_CLI"] ?? "";
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(source)) copyFileSync(join(source, name), join(folder, name));
}

/** Files by their paths. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** Writes files into a folder, which is made if it is not there. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** The result of a publish with --json: the last line that it wrote. */
export function publishResult({ stdout }: Pick<CliResult, "stdout">): CliResult["json"] {
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** The environment of every run: nothing from the person who runs the tests. */
export function cliEnvironment(home: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: home, ...env };
}

async function runCli(home: string, args: readonly string[], options: CliRun): Promise<CliResult> {
  const [command = process.execPath, ...before] = options.program ?? [process.execPath, cliProgram];
  const env = cliEnvironment(home, options.env);
  const timeout = options.timeoutMilliseconds ?? 120_000;
  const child = spawn(command, [...before, ...args], {
    cwd: options.cwd ?? home,
    env,
    timeout,
    killSignal: "SIGKILL",
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk;
    });
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  assertNoTokens(output.stdout + output.stderr, [...args, options.input ?? "", ...Object.values(env)]);
  if (child.killed) throw new Error(`svc ${args[0]} took longer than ${timeout} ms:\n${output.stdout}${output.stderr}`);
  return {
    code,
    ...output,
    get json() {
      return JSON.parse(output.stdout);
    },
  };
}

/**
 * Fails if something printed has a token in it, or ten characters of the secret part of one that went in.
 *
 * @param sources texts that the program was given, in which there may be tokens
 */
export function assertNoTokens(printed: string, sources: readonly string[] = []): void {
  if (/pat_[0-9A-Za-z]{12}/.test(printed)) throw new Error("a token was printed");
  for (const token of sources.join("\n").match(/pat_[0-9A-Za-z]{40,}/g) ?? [])
    for (let start = "pat_".length; start + 10 <= token.length; start += 1)
      if (printed.includes(token.slice(start, start + 10))) throw new Error("a part of a token was printed");
}

/** A well-formed token that no API has issued. */
export function inventToken(): string {
  const body = randomBytes(27).toString("hex");
  return `pat_${body}${tokenChecksum(`pat_${body}`)}`;
}

/** The content of the credential file after the first login; without an account: after --no-verify, or one of an older version. */
export function credentialFileWith(api: string, credential: string, { uid = "", name = "" } = {}): string {
  const line = [api, credential, uid, encodeURIComponent(name)].join(" ").trimEnd();
  return `# Tokens of svc, the latest login first. Do not share this file.\n${line}\n`;
}

/** Writes the credential file of a user who has not logged in, as a login leaves it. */
export function saveCredentials({ credentialFile }: Pick<CliUser, "credentialFile">, text: string): void {
  mkdirSync(dirname(credentialFile), { recursive: true, mode: 0o700 });
  writeFileSync(credentialFile, text, { mode: 0o600 });
}

/** The permissions of a file: with 0o600 only its owner reads and writes it. */
export function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
