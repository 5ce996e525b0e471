import { readFile } from "node:fs/promises";
import { type Plugin, transform } from "esbuild";

/**
 * Keeps of the contract what a function uses. All routes of an area stand in one file, and esbuild must believe that a
 * method call such as `z.string().check()` does something, so every function would make every schema of its area at each
 * cold start. Here each constant is marked as free to leave out. The schemas of answers go too: TypeScript has checked the
 * answers, tests hold them against the schemas, and no function does.
 */
export const leanContract: Plugin = {
  name: "lean-contract",
  setup({ onLoad }) {
    onLoad({ filter: /\/contract\/[a-z-]+\.ts$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "ts", target: "node24" });
      return { contents: withLazyConstants(withoutResponses(code)), loader: "js" };
    });
  },
};

/*
 * Both read what esbuild has just printed: a statement begins at the start of a line, and what is inside of it is
 * indented. What they fail to match stays as it is.
 */
function withLazyConstants(code: string): string {
  return code.replace(
    /^((?:export )?const \w+) = ([\s\S]*?);\n(?![\s)\]}])/gm,
    "$1 = /* @__PURE__ */ (() => ($2))();\n",
  );
}

function withoutResponses(code: string): string {
  return code.replace(/^ {2}responses: \{(?:.*\}|\n[\s\S]*?\n {2}\}),?$/gm, "  responses: {},");
}
