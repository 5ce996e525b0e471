import type { LeftOutBy } from "../../../contract/folder/ignore-rules.ts";
import { grouped, printable } from "../text.ts";

/** A file or folder that is not published. */
export interface ExcludedPath {
  /** Folders end in `/`. */
  readonly path: string;
  /** Undefined if the rule is for the real path behind a link. */
  readonly rule: LeftOutBy | undefined;
}

/** A warning about the paths that are not published because they may contain a secret; undefined for none. */
export function secretsWarning(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const some = paths.slice(0, 5).map(printable).join(", ");
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  return `Not published, because the name says that it may contain a secret: ${some}${more}. To publish it anyway, add !NAME to .svcignore.`;
}

const namedRules = 5;
const namedPaths = 3;

/** One line with the paths that were left out, by rule; undefined for none but svc's own files. */
export function leftOutLine(leftOut: readonly ExcludedPath[]): string | undefined {
  const byRule = new Map<string, string[]>();
  for (const { path, rule } of leftOut) {
    if (/(^|\/)(svc\.toml|\.svcignore)$/.test(path)) continue;
    const key = rule === undefined ? "a rule for the real path behind a link" : nameOf(rule);
    byRule.set(key, [...(byRule.get(key) ?? []), path]);
  }
  if (byRule.size === 0) return undefined;
  const some = [...byRule].slice(0, namedRules).map(([rule, paths]) => `${listed(paths)} (${rule})`);
  const more = byRule.size > namedRules ? `; and by ${byRule.size - namedRules} more rules` : "";
  const builtIn = leftOut.some(({ rule }) => rule?.source === "built-in");
  return `Left out: ${some.join("; ")}${more}.${builtIn ? " !NAME in .svcignore brings one back." : ""}`;
}

function nameOf({ pattern, source }: LeftOutBy): string {
  return source === "built-in" ? `built-in rule ${printable(pattern)}` : `${printable(pattern)} in ${source}`;
}

function listed(paths: readonly string[]): string {
  const named = paths.slice(0, namedPaths).map(printable).join(", ");
  return paths.length > namedPaths ? `${named} and ${grouped(paths.length - namedPaths)} more` : named;
}
