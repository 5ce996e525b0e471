import { relative } from "node:path";
import { type CheckResult, CheckStatus } from "@stryker-mutator/api/check";
import type { Mutant, Position } from "@stryker-mutator/api/core";
import { declareClassPlugin, declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { Compiler } from "./compiler.ts";
import { judgedBefore, keyOf, noticedBefore, repository } from "./judged.ts";

/** What the rule below reads of Babel's nodes. */
interface Node {
  readonly type: string;
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly Node[];
  readonly key?: { readonly name?: string };
  readonly value?: unknown;
}

/**
 * Leaves out the message of an `Error` that only a developer reads, and the texts of the contract that only the documents have:
 * the first argument of `about`, a route's summary and details, an error's title and detail. Each is in contract/documents/openapi.json,
 * which a test compares with them as a whole, so that every change of them would count as noticed although no test knows what
 * they should say.
 */
const texts = {
  shouldIgnore({ node, parent }: { node?: Node; parent?: Node }): string | undefined {
    const called = parent?.callee?.name;
    const isArgument = (called === "about" || called === "Error") && parent?.arguments?.[0] === node;
    const isMember =
      parent?.value === node &&
      ["summary", "details", "title", "detail", "description"].includes(parent?.key?.name ?? "");
    const isText = ["StringLiteral", "TemplateLiteral"].includes(node?.type ?? "");
    return isText && (isArgument || isMember) ? "A text that only people read" : undefined;
  },
};

/** For `--again`: lets pass what no run has noticed, and all changes of a file that has changed since it was judged. */
class RemainingChanges {
  readonly #noticed = new Set(noticedBefore());

  async init(): Promise<void> {}

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#resultOf(mutant)]));
  }

  // One message for all of them.
  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  #resultOf({ fileName, location: { start, end }, mutatorName, replacement }: Mutant): CheckResult {
    const location = { start: oneBased(start), end: oneBased(end) };
    const key = keyOf(relative(repository, fileName), { location, mutatorName, replacement });
    return this.#noticed.has(key)
      ? { status: CheckStatus.CompileError, reason: judgedBefore }
      : { status: CheckStatus.Passed };
  }
}

function oneBased({ line, column }: Position): Position {
  return { line: line + 1, column: column + 1 };
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "texts", texts),
  declareClassPlugin(PluginKind.Checker, "again", RemainingChanges),
  declareClassPlugin(PluginKind.Checker, "compiler", Compiler),
];
