import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckResult, CheckStatus } from "@stryker-mutator/api/check";
import type { Mutant, Position } from "@stryker-mutator/api/core";
import { API } from "typescript/unstable/sync";
import { repository } from "./judged.ts";

const configuration = join(repository, "tsconfig.json");

/**
 * Finds the changes that do not compile: the gate runs the compiler, so it notices them. Looks at the changed file alone; what an
 * error in another file would tell is left to the tests. A check takes about 30 ms.
 */
export class Compiler {
  /** What the compiler reads instead of what is on the disk. */
  readonly #changed = new Map<string, string>();
  readonly #compiler = new API({ cwd: repository, fs: { readFile: (path) => this.#changed.get(path) } });

  async init(): Promise<void> {
    this.#compiler.updateSnapshot({ openProjects: [configuration] });
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#resultOf(mutant)]));
  }

  #resultOf(mutant: Mutant): CheckResult {
    const { fileName } = mutant;
    this.#changed.set(fileName, changedSource(mutant));
    const error = this.#firstErrorIn(fileName);
    this.#changed.delete(fileName);
    // So that the next change of another file is not compiled beside this one.
    this.#compiler.updateSnapshot({ fileChanges: { changed: [fileName] } }).dispose();
    return error === undefined ? { status: CheckStatus.Passed } : { status: CheckStatus.CompileError, reason: error };
  }

  #firstErrorIn(fileName: string): string | undefined {
    const snapshot = this.#compiler.updateSnapshot({ fileChanges: { changed: [fileName] } });
    const program = snapshot.getProject(configuration)?.program;
    if (program === undefined) throw new Error(`The compiler does not know ${configuration}`);
    const [error] = [...program.getSyntacticDiagnostics(fileName), ...program.getSemanticDiagnostics(fileName)];
    snapshot.dispose();
    return error?.text;
  }
}

function changedSource({ fileName, location: { start, end }, replacement }: Mutant): string {
  const source = readFileSync(fileName, "utf8");
  return source.slice(0, offsetOf(source, start)) + replacement + source.slice(offsetOf(source, end));
}

/** Lines and columns begin with 0. */
function offsetOf(source: string, { line, column }: Position): number {
  const before = source.split("\n").slice(0, line);
  return before.reduce((offset, { length }) => offset + length + 1, column);
}
