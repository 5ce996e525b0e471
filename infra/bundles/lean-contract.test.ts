import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { build } from "esbuild";
import { leanModule } from "./lean-contract.ts";

const files = globSync("contract/api/**/*.ts", { exclude: ["**/*.test.ts"] });

/** The code that esbuild keeps of a module that is imported and of which nothing is used. */
async function unused(contents: string): Promise<string | undefined> {
  const { outputFiles } = await build({
    stdin: { contents: 'import "module";' },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [
      {
        name: "module",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^module$/ }, () => ({ path: "module", namespace: "test" }));
          onResolve({ filter: /^\.|^zod|^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
          onLoad({ filter: /./, namespace: "test" }, () => ({ contents }));
        },
      },
    ],
  });
  return outputFiles[0]?.text.replace(/^\/\/.*$/gm, "").trim();
}

test.each(files)("%s has no responses in a bundle, and each unused constant is removed", async (name) => {
  const code = await leanModule(readFileSync(name, "utf8"));
  expect(code).not.toMatch(/^ {2}responses: \{[^}]/m);
  expect(await unused(code)).toBe("");
});

test("responses that are named elsewhere are removed, and the rest of a route stays", async () => {
  const code = await leanModule("export const a = defineRoute({ path: '/a', responses, errors: [] });");
  expect(code).toBe(
    'export const a = /* @__PURE__ */ (() => (defineRoute({ path: "/a", responses: {}, errors: [] })))();\n',
  );
});
