import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parseSync } from "@swc/core";

/*
 * Every regular expression that meets input, against its worst input that is found: a prefix, something many times, and an end that does not
 * fit. An expression that goes back for each character takes a hundred times as long as one that does not, so no clock need be exact. New ones
 * are found by themselves: in the sources, and as `pattern` in the API's document.
 */

const sources = "{contract,edge,functions,publisher,cli/src,dashboard,options}/**/*.{ts,tsx}";

interface Expression {
  readonly where: string;
  readonly pattern: string;
  readonly flags: string;
}

function literalsOf(file: string): Expression[] {
  const found: Expression[] = [];
  JSON.stringify(
    parseSync(readFileSync(file, "utf8"), { syntax: "typescript", tsx: file.endsWith("x"), target: "esnext" }),
    (_, node) => {
      if (node?.type === "RegExpLiteral") found.push({ where: file, pattern: node.pattern, flags: node.flags });
      return node;
    },
  );
  return found;
}

function patternsOf(file: string): Expression[] {
  const found: Expression[] = [];
  JSON.parse(readFileSync(file, "utf8"), (key, value) => {
    if (key === "pattern" && typeof value === "string") found.push({ where: file, pattern: value, flags: "u" });
    return value;
  });
  return found;
}

const files = globSync(sources, {
  exclude: ["**/*.test.*", "**/test/**", "**/node_modules/**", "options/*/{infra,local}/**"],
});
const all = [...files.flatMap(literalsOf), ...patternsOf("contract/documents/openapi.json")];
const expressions = [...new Map(all.map((each) => [`/${each.pattern}/${each.flags}`, each]))];

/** Characters and words that the expression itself has, and one of each class. */
function partsOf({ pattern }: Expression): { readonly characters: string[]; readonly words: string[] } {
  const plain = pattern.replace(/\\[dDwWsSbB]|\\p\{[^}]*\}|\\u[0-9a-f]{4}|\(\?<?[=!:]?/gi, " ");
  const words = plain.match(/[\w<>!"'=:/@#-]{2,}/g) ?? [];
  const characters = ["a", "A", "0", "-", ".", "/", " ", ...plain.replace(/[\\^$*+?()[\]{}|]/g, "")];
  return { characters: [...new Set(characters)].slice(0, 14), words: [...new Set(words)].slice(0, 6) };
}

function* inputsOf(expression: Expression, bytes: number): Generator<string> {
  const { characters, words } = partsOf(expression);
  const pumps = [...characters, ...words, ...characters.flatMap((one) => characters.map((two) => one + two))];
  for (const pump of new Set(pumps)) {
    const body = pump.repeat(Math.ceil(bytes / pump.length));
    for (const prefix of new Set(["", "x", "a/", words[0] ?? "", `${words[0] ?? "x"} `]))
      for (const end of ["", "/", "\n", "!"]) yield prefix + body + end;
  }
}

/** Milliseconds of this thread. */
function timeOf({ pattern, flags }: Expression, input: string): number {
  const expression = new RegExp(pattern, flags);
  const before = process.threadCpuUsage();
  input.replace(expression, "");
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** A linear expression takes a tenth of it at most, one that goes back for each character ten times as much. */
const maxMilliseconds = 3;
/** On a busy machine a linear one takes more than that too, but not each time. */
const attempts = 8;
const [shortBytes, longBytes] = [1_024, 8_192];

/** The beginning of an input of 8 KiB that takes long; undefined if there is none. What is quick with 1 KiB is not tried with more. */
function slowInput(expression: Expression): string | undefined {
  const [short, long] = [inputsOf(expression, shortBytes), inputsOf(expression, longBytes)];
  for (const input of short) {
    const longer = long.next().value ?? "";
    if (timeOf(expression, input) < maxMilliseconds / 64) continue;
    const isSlow = Array.from({ length: attempts }).every(() => timeOf(expression, longer) > maxMilliseconds);
    if (isSlow) return `${longer.slice(0, 20)}…${longer.slice(-3)}`;
  }
  return undefined;
}

test("all of them are found", () => {
  const where = new Set(expressions.map(([, expression]) => expression.where.split("/")[0]));
  expect([...where].toSorted()).toEqual(expect.arrayContaining(["cli", "contract", "dashboard", "edge", "functions"]));
  expect(expressions.length).toBeGreaterThan(250);
});

test.each([
  ["/[-.][\\w-]{8,}\\./", "the viewer's function, until November 2026"],
  ["/\\.[^/]*$/", "the first page of an application, until then"],
  ["/^([\\w./~-]*[\\w~][-.])(?=[\\w-]*\\d)[\\w-]{8,}(\\.[\\w.-]+)$/", "a name with a hash, until then"],
])("%s is found to be slow: %s", (written) => {
  const [, pattern = "", flags = ""] = /^\/(.*)\/(\w*)$/.exec(written) ?? [];
  expect(slowInput({ where: "", pattern, flags })).toBeDefined();
});

test("none takes long for 8 KiB", () => {
  const slow = expressions.flatMap(([name, expression]) => {
    const input = slowInput(expression);
    return input === undefined ? [] : [`${expression.where}: ${name}: ${JSON.stringify(input)}`];
  });
  expect(slow).toEqual([]);
}, 120_000);
