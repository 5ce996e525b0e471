import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** What must not be in the environment of anything that is measured. */
const distorting = [
  // Makes every load of TLS parse the system's certificates.
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "NODE_COMPILE_CACHE",
  "NODE_V8_COVERAGE",
  "DEBUG",
  "IDP_AUTH_EMULATOR_HOST",
  "DYNAMODB_ENDPOINT",
];

/** Takes away what distorts, for this process and all that it starts. */
export function cleanEnvironment(): void {
  for (const name of distorting) delete process.env[name];
  for (const name of Object.keys(process.env)) if (/^(npm_|AWS_|SVC_|IDP_|S3_)/.test(name)) delete process.env[name];
}

/** The machine, in one line for people. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory}, ${type()} ${release().split("-")[0]}, Node ${process.versions.node}`;
}

/** The load average of the last minute: above 0 before a run, other work was in the way. */
export function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "";
}

/** The commit that is measured; `+` where the work tree has changes beyond it. */
export function commit(): string {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ".", ":!bench/RESULTS.md", ":!bench/results.json");
  return git("rev-parse", "--short", "HEAD") + (changed === "" ? "" : "+");
}
