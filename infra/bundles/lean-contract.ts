import { readFile } from "node:fs/promises";
import { type Expression, type Node, type Program, parse } from "acorn";
import { type Plugin, transform } from "esbuild";

/**
 * Removes the parts of the contract that a function does not use. All routes of an area are in one file, and esbuild must
 * assume that a call such as `z.string().check()` has side effects, so every function would create every schema of its area
 * at each cold start. This plugin marks each constant as free of side effects. It also removes the schemas of responses, which no
 * function uses: TypeScript and the tests check responses. Figures: docs/decisions/0012-one-bundle-for-the-command-line.md.
 */
export const leanContract: Plugin = {
  name: "lean-contract",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]contract[\\/]api[\\/](?:[a-z-]+[\\/])?[a-z-]+\.ts$/ }, async ({ path }) => ({
      contents: await leanModule(await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};

/** A module of the contract as JavaScript, with lazy constants and without responses. */
export async function leanModule(source: string): Promise<string> {
  const { code } = await transform(source, { loader: "ts", target: "node24" });
  const constants = constantsOf(parse(code, { ecmaVersion: "latest", sourceType: "module" })).flatMap((value) => [
    { start: value.start, end: value.start, text: "/* @__PURE__ */ (() => (" },
    ...responsesOf(value).map(({ start, end }) => ({ start, end, text: "responses: {}" })),
    { start: value.end, end: value.end, text: "))()" },
  ]);
  return constants.reduceRight(
    (changed, { start, end, text }) => changed.slice(0, start) + text + changed.slice(end),
    code,
  );
}

/** The values of a module's constants, from top to bottom. */
function constantsOf({ body }: Program): Expression[] {
  return body
    .map((statement) => (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement))
    .flatMap((statement) => (statement?.type === "VariableDeclaration" ? statement.declarations : []))
    .flatMap(({ init }) => init ?? []);
}

/** The member of a route that describes its responses; empty for what is no route. */
function responsesOf(value: Expression): Node[] {
  if (value.type !== "CallExpression" || value.callee.type !== "Identifier" || value.callee.name !== "defineRoute")
    return [];
  const [route] = value.arguments;
  return (route?.type === "ObjectExpression" ? route.properties : []).filter(
    (property) =>
      property.type === "Property" && property.key.type === "Identifier" && property.key.name === "responses",
  );
}
