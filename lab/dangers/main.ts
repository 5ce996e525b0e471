import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import build from "../../test/support/global-setup.ts";
import { copyRepository } from "../repository-copy.ts";
import { bundledFaults, type Fault, loadedFaults } from "./faults.ts";
import { shareOf } from "./share.ts";

/*
 * `node lab/dangers/main.ts [--share 1/3] [part of a name …]`: puts each fault of faults.ts into a copy, runs the test that must notice it, and
 * prints each and whether it did. A fault is noticed only if the named test passes without it and fails with it by an assertion.
 */
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "svc-dangers-"));
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { share: { type: "string", default: "1/1" } },
});
const chosen = ({ name, file }: Fault) => words.length === 0 || words.some((word) => `${file} ${name}`.includes(word));
/** Tests that run at once, each in a copy of its own: more than one of them waits for processes and sockets. */
const atOnce = Math.min(4, availableParallelism());

interface Run {
  readonly project?: string;
  readonly path: string;
  readonly error?: string;
  readonly tests: readonly { fullName: string; status: string; failureMessages: readonly string[] }[];
}

const unnoticed: string[] = [];
try {
  const given = [...loadedFaults, ...bundledFaults].filter(chosen);
  const taken = shareOf(given, values.share);
  const [loaded, bundled] = [loadedFaults, bundledFaults].map((all) => all.filter((fault) => taken.has(fault)));
  for (const fault of taken) assertApplies(fault);
  build();
  const runs = loaded?.length ? await tryTogether(loaded) : [];
  for (const fault of loaded ?? []) note(fault, runs.filter(isOf("none", fault)), runs.filter(isOf(fault.name, fault)));
  if (bundled?.length) await tryInCopies(bundled);
  const others =
    taken.size < given.length ? ` Share ${values.share}: ${given.length - taken.size} others were not tried.` : "";
  console.log(`${taken.size - unnoticed.length} of ${taken.size} faults are noticed.${others}`);
  if (unnoticed.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function isOf(project: string, { test }: Fault): (run: Run) => boolean {
  return (run) => run.project === project && run.path === join(root, test);
}

function assertApplies({ name, file, find }: Fault): void {
  const count = readFileSync(join(root, file), "utf8").split(find).length - 1;
  if (count !== 1) throw new Error(`"${name}" applies ${count} times to ${file}, not once: ${find}`);
}

/** Tries the faults in one process of jest, in which each has a project. */
async function tryTogether(faults: readonly Fault[]): Promise<readonly Run[]> {
  const [given, report] = [join(folder, "faults.json"), join(folder, "report.json")];
  writeFileSync(given, JSON.stringify({ faults, paths: [...new Set(faults.map(({ test }) => test))] }));
  await runTests(root, ["--config", "lab/dangers/jest.config.js"], { DANGERS: given, DANGERS_REPORT: report });
  return JSON.parse(readFileSync(report, "utf8"));
}

/** Tries the faults in copies of the repository, whose functions are bundled anew with each. The tests of one file are tried in one copy. */
async function tryInCopies(faults: readonly Fault[]): Promise<void> {
  const queue = [...Map.groupBy(faults, ({ test }) => test)].toSorted(([, a], [, b]) => b.length - a.length).values();
  const work = async (_: unknown, number: number) => {
    const copy = join(folder, `copy-${number}`);
    copyRepository(copy);
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    for (const [test, ofTest] of queue) {
      const without = await runFile(copy, test);
      for (const fault of ofTest) await tryIn(copy, fault, without);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function tryIn(copy: string, fault: Fault, without: readonly Run[]): Promise<void> {
  const path = join(copy, fault.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(fault.find, () => fault.replace),
  );
  note(fault, without, await runFile(copy, fault.test, fault.named));
  writeFileSync(path, source);
}

async function runFile(copy: string, path: string, named?: string): Promise<Run[]> {
  const report = join(copy, "dangers-report.json");
  rmSync(report, { force: true });
  const pattern = named === undefined ? [] : ["--testNamePattern", named.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")];
  // A test that fails may leave something that listens.
  const config = /(^|\/)test\/long\//.test(path) ? ["--config", "test/long/jest.config.js"] : [];
  const words = [...config, "--runTestsByPath", path, "--forceExit", ...pattern, "--json", "--outputFile", report];
  await runTests(copy, words);
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.map(({ message, assertionResults }: { message: string; assertionResults: Run["tests"] }) => ({
    path,
    tests: assertionResults,
    ...(assertionResults.length === 0 && { error: message }),
  }));
}

async function runTests(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "--no-compilation-cache"];
  const child = spawn(process.execPath, [...flags, join(root, "node_modules/jest/bin/jest.js"), ...args], {
    cwd,
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
  await once(child, "close");
}

function note(fault: Fault, without: readonly Run[], withFault: readonly Run[]): void {
  const named = (runs: readonly Run[]) =>
    runs.flatMap(({ tests }) => tests).filter(({ fullName }) => fullName.includes(fault.named));
  const before = named(without);
  const isAssertion = (message: string) => /expect\(|AssertionError/.test(message);
  const failed = named(withFault).filter(
    ({ status, failureMessages }) => status === "failed" && failureMessages.some(isAssertion),
  );
  const reason =
    before.length === 0
      ? `no test of ${fault.test} is named so: ${fault.named} ${without.map(({ error }) => error ?? "").join(" ")}`
      : before.some(({ status }) => status !== "passed")
        ? "its test fails without the fault too"
        : failed.length === 0
          ? `no assertion of it fails: ${fault.test}, ${fault.named}${withFault.map(({ error }) => error ?? "").join(" ")}`
          : undefined;
  console.log(`${reason === undefined ? "noticed" : "NOT NOTICED"}: ${fault.name} (${fault.file})`);
  if (reason === undefined) return;
  unnoticed.push(fault.name);
  console.log(`  ${reason}`);
}
