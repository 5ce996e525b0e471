import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const repository = join(import.meta.dirname, "../..");

/** Where the results are: in build/ where the environment names no other folder. */
export const results = process.env["MUTANTS_FOLDER"] ?? join(repository, "build");

/** What the last run has written, in the form of mutation-testing-report-schema. */
export const strykerReport = join(results, "mutants-run.json");

/** The results of all runs, in the same form. Those of a file that has changed since then are dropped. */
const judgedReport = join(results, "mutants.json");

/** Why the checker "again" has left out a change. */
export const judgedBefore = "judged before";

interface Position {
  readonly line: number;
  readonly column: number;
}

/** What tells a change from all others; lines and columns begin with 1. */
export interface Change {
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
}

interface JudgedChange extends Change {
  readonly status: string;
  readonly statusReason?: string;
}

interface Report {
  readonly files: { [path: string]: { readonly source: string; readonly mutants: readonly JudgedChange[] } };
}

function isNoticed({ status, statusReason }: JudgedChange): boolean {
  return (
    ["Killed", "Timeout", "RuntimeError"].includes(status) ||
    (status === "CompileError" && statusReason !== judgedBefore)
  );
}

function readReport(path: string): Report {
  return JSON.parse(textOf(path) ?? '{ "files": {} }');
}

/** Undefined if there is no such file. */
function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** A text that tells a change from all others. */
export function keyOf(path: string, { location: { start, end }, mutatorName, replacement }: Change): string {
  return [path, start.line, start.column, end.line, end.column, mutatorName, replacement].join(" ");
}

/** Adds the results of the last run to those before. */
export function keepJudged(): void {
  const run = readReport(strykerReport);
  const judged = readReport(judgedReport);
  for (const [path, { source, mutants, ...file }] of Object.entries(run.files)) {
    const known = judged.files[path];
    const before = known?.source === source ? known.mutants : [];
    const all = new Map(before.map((mutant) => [keyOf(path, mutant), mutant]));
    for (const mutant of mutants)
      if (isBetter(mutant, all.get(keyOf(path, mutant)))) all.set(keyOf(path, mutant), mutant);
    judged.files[path] = { ...file, source, mutants: [...all.values()] };
  }
  // Each run numbers the tests again.
  writeFileSync(judgedReport, JSON.stringify({ ...run, testFiles: undefined, files: judged.files }));
}

/** Fewer suites do not make unseen what more have noticed. */
function isBetter({ status, statusReason }: JudgedChange, before: JudgedChange | undefined): boolean {
  if (statusReason === judgedBefore) return false;
  return before === undefined || (status !== "Ignored" && !isNoticed(before));
}

function* judgedIn(paths: readonly string[]) {
  for (const [path, { mutants }] of Object.entries(readReport(judgedReport).files))
    if (paths.length === 0 || paths.some((each) => path === each || path.startsWith(`${each}/`)))
      for (const mutant of mutants) yield { path, mutant };
}

/** The keys of the changes that a run has noticed, of files that are still as they were then. */
export function noticedBefore(): string[] {
  const { files } = readReport(judgedReport);
  return Object.entries(files)
    .filter(([path, { source }]) => source === textOf(join(repository, path)))
    .flatMap(([path, { mutants }]) => mutants.filter(isNoticed).map((mutant) => keyOf(path, mutant)));
}

function isText({ status, statusReason }: JudgedChange): boolean {
  return status === "Ignored" && !/^Static/.test(statusReason ?? "");
}

/** Prints a table of folders, and each change that is not noticed. */
export function printTable(paths: readonly string[]): void {
  const none = { changes: 0, noticed: 0, byCompiler: 0, notNoticed: 0, reachedByNoTest: 0, notJudged: 0 };
  const folders = new Map<string, typeof none>();
  for (const { path, mutant } of judgedIn(paths)) {
    if (isText(mutant)) continue;
    const folder = path.replace(/^(functions\/[^/]+|[^/]+).*/, "$1");
    const row = folders.get(folder) ?? { ...none };
    folders.set(folder, row);
    row.changes += 1;
    if (isNoticed(mutant)) row.noticed += 1;
    else if (mutant.status === "Ignored") row.notJudged += 1;
    else if (mutant.status === "NoCoverage") row.reachedByNoTest += 1;
    else row.notNoticed += 1;
    if (mutant.status === "CompileError") row.byCompiler += 1;
    if (isNoticed(mutant)) continue;
    const { location, mutatorName, replacement } = mutant;
    console.log(
      `${path}:${location.start.line}:${location.start.column} ${mutant.status} ${mutatorName}: ${replacement}`,
    );
  }
  console.table(Object.fromEntries(folders));
}
