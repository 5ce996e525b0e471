import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import build from "../../test/support/global-setup.ts";
import { copyRepository } from "../repository-copy.ts";
import { bundledFaults, type Fault, loadedFaults } from "./faults.ts";

/*
 * `node lab/dangers/main.ts [part of a name …]`: puts each fault of faults.ts into a copy, runs the test that must notice it, and
 * prints those that it did not. A fault is noticed only if the named test passes without it and fails with it by an assertion.
 */
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "svc-dangers-"));
const words = process.argv.slice(2);
const chosen = ({ name, file }: Fault) => words.length === 0 || words.some((word) => `${file} ${name}`.includes(word));

interface Run {
  readonly project?: string;
  readonly path: string;
  readonly error?: string;
  readonly tests: readonly { fullName: string; status: string; failureMessages: readonly string[] }[];
}

const unnoticed: string[] = [];
try {
  const loaded = loadedFaults.filter(chosen);
  const bundled = bundledFaults.filter(chosen);
  for (const fault of [...loaded, ...bundled]) assertApplies(fault);
  build();
  const runs = loaded.length > 0 ? tryTogether(loaded) : [];
  for (const fault of loaded) note(fault, runs.filter(isOf("none", fault)), runs.filter(isOf(fault.name, fault)));
  if (bundled.length > 0) tryOneByOne(bundled);
  const all = loaded.length + bundled.length;
  console.log(`${all - unnoticed.length} of ${all} faults are noticed.`);
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
function tryTogether(faults: readonly Fault[]): readonly Run[] {
  const [given, report] = [join(folder, "faults.json"), join(folder, "report.json")];
  writeFileSync(given, JSON.stringify({ faults, paths: [...new Set(faults.map(({ test }) => test))] }));
  runTests(root, ["--config", "lab/dangers/jest.config.js"], { DANGERS: given, DANGERS_REPORT: report });
  return JSON.parse(readFileSync(report, "utf8"));
}

/** Tries the faults in a copy of the repository, whose functions are bundled anew with each. */
function tryOneByOne(faults: readonly Fault[]): void {
  const copy = join(folder, "copy");
  copyRepository(copy);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const without = new Map<string, Run[]>();
  for (const fault of faults) {
    if (!without.has(fault.test)) without.set(fault.test, runFile(copy, fault.test));
    const path = join(copy, fault.file);
    const source = readFileSync(path, "utf8");
    writeFileSync(
      path,
      source.replace(fault.find, () => fault.replace),
    );
    note(fault, without.get(fault.test) ?? [], runFile(copy, fault.test, fault.named));
    writeFileSync(path, source);
  }
}

function runFile(copy: string, path: string, named?: string): Run[] {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const pattern = named === undefined ? [] : ["--testNamePattern", named.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")];
  // A test that fails may leave something that listens.
  const config = /(^|\/)test\/long\//.test(path) ? ["--config", "test/long/jest.config.js"] : [];
  runTests(copy, [...config, "--runTestsByPath", path, "--forceExit", ...pattern, "--json", "--outputFile", report]);
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.map(({ message, assertionResults }: { message: string; assertionResults: Run["tests"] }) => ({
    path,
    tests: assertionResults,
    ...(assertionResults.length === 0 && { error: message }),
  }));
}

function runTests(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "--no-compilation-cache"];
  spawnSync(process.execPath, [...flags, join(root, "node_modules/jest/bin/jest.js"), ...args], {
    cwd,
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
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
