import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { shuffle } from "simple-statistics";
import { randomNumbers } from "../../support/random.ts";
import { mutants } from "./list.ts";
import type { Mutant } from "./mutant.ts";

/*
 * `npm run test:mutants`: replaces a piece of a source file in a copy of the checkout, runs the tests that should notice it,
 * and prints which of them fail, and the mutants that survive. A sample of the list in an order that SEED chooses (1 when unset), as many as fit into
 * SECONDS (600 when unset); FILES narrows it to files whose path contains the text. Exits 1 where one survived, 2 where one
 * no longer fits its file or its tests fail without it.
 */
const seconds = Number(process.env["SECONDS"] || 600);
const seed = Number(process.env["SEED"] || 1);
const jest = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
const endsAt = Date.now() + seconds * 1_000;

/** The checkout as it is, with what is not committed; installed packages are shared. */
function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-mutants-"));
  const names = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  for (const name of names.split("\n").filter(Boolean)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    copyFileSync(name, join(folder, name));
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

type Outcome = "pass" | "fail" | "time is over";

/** Runs tests in the copy, and tells the first that failed. */
async function run(folder: string, { tests, name }: Pick<Mutant, "tests" | "name">): Promise<[Outcome, string]> {
  for (const [config, paths] of suitesOf(tests)) {
    const options = ["--config", config, "--maxWorkers=1", "--bail", "--silent", ...(name ? ["-t", name] : [])];
    const child = spawn(process.execPath, [...jest, ...options, ...paths], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), Math.max(0, endsAt - Date.now()));
    const [output, [code, signal]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    clearTimeout(timer);
    if (signal !== null) return ["time is over", ""];
    if (code !== 0) return ["fail", /^ {2}● (.*)$/m.exec(output)?.[1] ?? "no test ran"];
  }
  return ["pass", ""];
}

function suitesOf(tests: string): [config: string, paths: string[]][] {
  const isLong = (path: string) => /^(test\/long|infra)\//.test(path);
  const paths = tests.split(" ");
  const suites: [string, string[]][] = [
    ["jest.config.js", paths.filter((path) => !isLong(path))],
    ["test/long/jest.config.js", paths.filter(isLong)],
  ];
  return suites.filter(([, some]) => some.length > 0);
}

type Verdict = "killed" | "SURVIVED" | "STALE" | "TESTS FAIL WITHOUT IT" | "not finished";

const baselines = new Map<string, Outcome>();

/** Whether tests pass without any mutant; a machine that is busy gets a second chance. */
async function baseline(folder: string, tests: string): Promise<Outcome> {
  const known = baselines.get(tests);
  if (known !== undefined) return known;
  const once = () => run(folder, { tests, name: undefined });
  let [outcome] = await once();
  if (outcome === "fail") [outcome] = await once();
  baselines.set(tests, outcome);
  return outcome;
}

async function judge(folder: string, mutant: Mutant): Promise<[Verdict, by: string]> {
  const { file, original, replacement, tests } = mutant;
  const path = join(folder, file);
  const source = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (source.split(original).length !== 2) return ["STALE", ""];
  writeFileSync(
    path,
    source.replace(original, () => replacement),
  );
  const [outcome, test] = await run(folder, mutant);
  writeFileSync(path, source);
  if (outcome === "pass") return ["SURVIVED", ""];
  const without = outcome === "fail" ? await baseline(folder, tests) : outcome;
  if (without === "time is over") return ["not finished", ""];
  return without === "pass" ? ["killed", test] : ["TESTS FAIL WITHOUT IT", tests];
}

const folder = copyCheckout();
const counts: Partial<Record<Verdict, number>> = {};
try {
  for (const mutant of shuffle([...mutants], randomNumbers(seed)).filter(({ file }) =>
    file.includes(process.env["FILES"] ?? ""),
  )) {
    if (Date.now() >= endsAt) break;
    const [verdict, by] = await judge(folder, mutant);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    const change = `${JSON.stringify(mutant.original)} → ${JSON.stringify(mutant.replacement)}`;
    console.log(`${verdict.padEnd(9)} ${mutant.file}: ${change}${by && ` (${by})`}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { killed = 0, SURVIVED: survived = 0 } = counts;
console.log(`seed ${seed}: ${killed + survived} of ${mutants.length} tried, ${killed} killed, ${survived} survived`);
if (counts.STALE || counts["TESTS FAIL WITHOUT IT"]) process.exitCode = 2;
else if (survived > 0) process.exitCode = 1;
