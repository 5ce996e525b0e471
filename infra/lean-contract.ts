import { readFile } from "node:fs/promises";
import { type Plugin, transform } from "esbuild";

/**
 * Removes the parts of the contract that a function does not use. All routes of an area are in one file, and esbuild must
 * assume that a call such as `z.string().check()` has side effects, so every function would create every schema of its area
 * at each cold start. This plugin marks each constant as free of side effects. It also removes the schemas of responses, which
 * no function uses: TypeScript and the tests check responses.
 */
export const leanContract: Plugin = {
  name: "lean-contract",
  setup({ onLoad }) {
    onLoad({ filter: /\/contract\/[a-z-]+\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      try {
        return { contents: await leanModule(source), loader: "js" };
      } catch (error) {
        return { errors: [{ text: (error as Error).message, location: { file: path } }] };
      }
    });
  },
};

/**
 * A module of the contract as JavaScript, with lazy constants and without responses. Depends on esbuild's layout: a statement
 * begins at the start of a line, and its inner lines are indented.
 *
 * @throws Error where a constant or the responses of a route have another form than this expects
 */
export async function leanModule(source: string): Promise<string> {
  const { code } = await transform(source, { loader: "ts", target: "node24" });
  const responses = replaceEach(code, /^ {2}responses: \{(?:.*\}|\n[\s\S]*?\n {2}\}),?$/gm, "  responses: {},");
  requireSame("routes without responses", responses.count, matches(code, /(?<!function )\bdefineRoute\(/g));
  const constants = replaceEach(
    responses.code,
    /^((?:export )?const \w+) = ([\s\S]*?);\n(?![\s)\]}])/gm,
    "$1 = /* @__PURE__ */ (() => ($2))();\n",
  );
  requireSame("lazy constants", constants.count, matches(code, /^(?:export )?(?:const|let|var)\b/gm));
  return constants.code;
}

function replaceEach(code: string, pattern: RegExp, replacement: string): { code: string; count: number } {
  return { code: code.replace(pattern, replacement), count: matches(code, pattern) };
}

function matches(code: string, pattern: RegExp): number {
  return [...code.matchAll(pattern)].length;
}

function requireSame(what: string, found: number, expected: number): void {
  if (found !== expected)
    throw new Error(`infra/lean-contract.ts made ${found} ${what} of ${expected}: it does not understand this file`);
}
