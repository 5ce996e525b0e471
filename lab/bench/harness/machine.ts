import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** Environment variables that would distort measurements. */
const distorting = [
  // With it, every load of TLS parses the system's certificates.
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "NODE_COMPILE_CACHE",
  "NODE_V8_COVERAGE",
  "DEBUG",
  "IDP_AUTH_EMULATOR_HOST",
  "DYNAMODB_ENDPOINT",
];

/** Removes these variables, for this process and its children. */
export function cleanEnvironment(): void {
  for (const name of distorting) delete process.env[name];
  for (const name of Object.keys(process.env)) if (/^(npm_|AWS_|SVC_|IDP_|S3_)/.test(name)) delete process.env[name];
}

/** One line about the machine. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory}, ${type()} ${release().split("-")[0]}, Node ${process.versions.node}`;
}

/** The load average of the last minute. Above 0 before a run, other processes were running. */
export function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "";
}

/** The measured commit, with `+` if there are uncommitted changes. */
export function commit(): string {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ".", ":!lab/bench/RESULTS.md", ":!lab/bench/results.json");
  return git("rev-parse", "--short", "HEAD") + (changed === "" ? "" : "+");
}
