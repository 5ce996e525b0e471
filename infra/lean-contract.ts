import { readFile } from "node:fs/promises";
import { type CallExpression, type Expression, type Node, type Program, parse } from "acorn";
import { type Plugin, transform } from "esbuild";

/**
 * Removes the parts of the contract that a function does not use. All routes of an area are in one file, and esbuild must
 * assume that a call such as `z.string().check()` has side effects, so every function would create every schema of its area
 * at each cold start. This plugin marks each constant as free of side effects. It also removes the schemas of responses and
 * the descriptions of fields, which no function uses: TypeScript and the tests check responses.
 */
export const leanContract: Plugin = {
  name: "lean-contract",
  setup({ onLoad }) {
    onLoad({ filter: /\/contract\/[a-z-]+\.ts$/ }, async ({ path }) => ({
      contents: await leanModule(await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};

/** The beginning of `about("…", schema)`. */
const description = /\babout\(\s*(["'`])(?:(?!\1)[^\\]|\\.)*\1,/g;

/** A module of the contract as JavaScript, with lazy constants, without responses and without descriptions. */
export async function leanModule(source: string): Promise<string> {
  const { code: described } = await transform(source, { loader: "ts", target: "node24" });
  const code = described.replace(description, "(");
  const insertions = constantsOf(parse(code, { ecmaVersion: "latest", sourceType: "module" })).flatMap((value) => [
    { start: value.start, end: value.start, text: "/* @__PURE__ */ (() => (" },
    ...responsesOf(value).map(({ start, end }) => ({ start, end, text: "responses: {}" })),
    { start: value.end, end: value.end, text: "))()" },
  ]);
  return insertions.reduceRight(
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
  if (!isRoute(value)) return [];
  const [route] = value.arguments;
  return (route?.type === "ObjectExpression" ? route.properties : []).filter(
    (property) =>
      property.type === "Property" && property.key.type === "Identifier" && property.key.name === "responses",
  );
}

function isRoute(value: Expression): value is CallExpression {
  return value.type === "CallExpression" && value.callee.type === "Identifier" && value.callee.name === "defineRoute";
}
