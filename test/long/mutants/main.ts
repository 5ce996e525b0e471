import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Mutant, mutants } from "./list.ts";

/*
 * `npm run test:mutants`: replaces a piece of a source file in a copy of the checkout, runs the tests that should notice it,
 * and prints the mutants that survive. A sample of the list in an order that SEED chooses (1 when unset), as many as fit into
 * SECONDS (600 when unset); FILES narrows it to files whose path contains the text. Exits 1 where one survived, 2 where one
 * no longer fits its file or its tests fail without it.
 */
const seconds = Number(process.env["SECONDS"] || 600);
const seed = Number(process.env["SEED"] || 1);
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

/** The list in an order that the seed alone decides (mulberry32 for the numbers, Fisher and Yates for the order). */
function shuffled(list: readonly Mutant[]): Mutant[] {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const order = [...list];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as Mutant, order[last] as Mutant];
  }
  return order;
}

/** Runs tests in the copy and returns whether all pass; undefined: the time is over. */
async function testsPass(folder: string, tests: string): Promise<boolean | undefined> {
  for (const [config, paths] of suitesOf(tests)) {
    const words = ["--silent", "test", "--", "--config", config, "--maxWorkers=1", "--bail", "--silent", ...paths];
    const child = spawn("npm", ["run", ...words], { cwd: folder, stdio: "ignore", detached: true });
    const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), Math.max(0, endsAt - Date.now()));
    const [code, signal] = await once(child, "exit");
    clearTimeout(timer);
    if (signal !== null) return undefined;
    if (code !== 0) return false;
  }
  return true;
}

function suitesOf(tests: string): [config: string, paths: string[]][] {
  const isLong = (path: string) => path.startsWith("test/long/");
  const paths = tests.split(" ");
  const suites: [string, string[]][] = [
    ["jest.config.js", paths.filter((path) => !isLong(path))],
    ["test/long/jest.config.js", paths.filter(isLong)],
  ];
  return suites.filter(([, some]) => some.length > 0);
}

type Verdict = "killed" | "SURVIVED" | "STALE" | "TESTS FAIL WITHOUT IT" | "not finished";

const baselines = new Map<string, boolean | undefined>();

async function judge(folder: string, { file, original, replacement, tests }: Mutant): Promise<Verdict> {
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  if (source.split(original).length !== 2) return "STALE";
  if (!baselines.has(tests)) baselines.set(tests, await testsPass(folder, tests));
  if (baselines.get(tests) === undefined) return "not finished";
  if (baselines.get(tests) === false) return "TESTS FAIL WITHOUT IT";
  writeFileSync(
    path,
    source.replace(original, () => replacement),
  );
  const pass = await testsPass(folder, tests);
  writeFileSync(path, source);
  if (pass === undefined) return "not finished";
  return pass ? "SURVIVED" : "killed";
}

const folder = copyCheckout();
const counts: Partial<Record<Verdict, number>> = {};
try {
  for (const mutant of shuffled(mutants).filter(({ file }) => file.includes(process.env["FILES"] ?? ""))) {
    if (Date.now() >= endsAt) break;
    const verdict = await judge(folder, mutant);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    console.log(
      `${verdict.padEnd(9)} ${mutant.file}: ${JSON.stringify(mutant.original)} → ${JSON.stringify(mutant.replacement)}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { killed = 0, SURVIVED: survived = 0 } = counts;
console.log(`seed ${seed}: ${killed + survived} of ${mutants.length} tried, ${killed} killed, ${survived} survived`);
if (counts.STALE || counts["TESTS FAIL WITHOUT IT"]) process.exitCode = 2;
else if (survived > 0) process.exitCode = 1;
