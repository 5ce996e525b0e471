import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { build } from "esbuild";
import { leanModule } from "./lean-contract.ts";

/** Those that describe the API as a document run when they are loaded; no function needs them. */
const documents = ["openapi.ts", "schema-names.ts", "write-openapi.ts"];
const files = readdirSync("contract").filter((name) => /^[a-z-]+\.ts$/.test(name) && !documents.includes(name));

/** What esbuild keeps of a module that is imported and of which nothing is used. */
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

test.each(files)("contract/%s has no responses in a bundle, and each unused constant is removed", async (name) => {
  const code = await leanModule(readFileSync(`contract/${name}`, "utf8"));
  expect(code).not.toMatch(/^ {2}responses: \{[^}]/m);
  expect(await unused(code)).toBe("");
});

test("descriptions of fields are removed", async () => {
  const code = await leanModule('export const a = b({ "c": about("d \\"e\\"", about(`f`, h())) });');
  expect(code).toBe('export const a = /* @__PURE__ */ (() => (b({ "c": ((h())) })))();\n');
});

test("a description of several parts is removed too, and a text that looks like one stays", async () => {
  const code = await leanModule(`export const a = about("d" + e("f"), h('about("i", j)'));`);
  expect(code).toBe(`export const a = (/* @__PURE__ */ (() => (h('about("i", j)')))());\n`);
});

test("responses that are named elsewhere are removed, and the rest of a route stays", async () => {
  const code = await leanModule("export const a = defineRoute({ path: '/a', responses, errors: [] });");
  expect(code).toBe(
    'export const a = /* @__PURE__ */ (() => (defineRoute({ path: "/a", responses: {}, errors: [] })))();\n',
  );
});
