import { readFile } from "node:fs/promises";
import { type CallExpression, type Expression, type Node, type Program, parse } from "acorn";
import { type Plugin, transform } from "esbuild";

/**
 * Removes the parts of the contract that a function does not use. All routes of an area are in one file, and esbuild must
 * assume that a call such as `z.string().check()` has side effects, so every function would create every schema of its area
 * at each cold start. This plugin marks each constant as free of side effects. It also removes the schemas of responses and
 * the descriptions of fields, which no function uses: TypeScript and the tests check responses. Measured on Node 24 for four routes, as medians
 * of nine imports: it saves 6 to 18 ms of processor time at each cold start, of some 100 ms.
 */
export const leanContract: Plugin = {
  name: "lean-contract",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]contract[\\/]api[\\/][a-z-]+\.ts$/ }, async ({ path }) => ({
      contents: await leanModule(await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};

/** A module of the contract as JavaScript, with lazy constants, without responses and without descriptions. */
export async function leanModule(source: string): Promise<string> {
  const { code: described } = await transform(source, { loader: "ts", target: "node24" });
  const descriptions = [...nodesIn(parsed(described))].flatMap(withoutDescription);
  const code = replaced(
    described,
    descriptions.toSorted((one, other) => one.start - other.start),
  );
  const constants = constantsOf(parsed(code)).flatMap((value) => [
    { start: value.start, end: value.start, text: "/* @__PURE__ */ (() => (" },
    ...responsesOf(value).map(({ start, end }) => ({ start, end, text: "responses: {}" })),
    { start: value.end, end: value.end, text: "))()" },
  ]);
  return replaced(code, constants);
}

function parsed(code: string): Program {
  return parse(code, { ecmaVersion: "latest", sourceType: "module" });
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** @param parts from the first to the last; none may overlap another */
function replaced(code: string, parts: readonly Replacement[]): string {
  return parts.reduceRight(
    (changed, { start, end, text }) => changed.slice(0, start) + text + changed.slice(end),
    code,
  );
}

/** A node and all inside, from the first to the last. */
function* nodesIn(node: Node): Generator<Node> {
  yield node;
  const members: unknown[] = Object.values(node).flat();
  for (const member of members) if (member instanceof Object && "type" in member) yield* nodesIn(member as Node);
}

/** `about(description, schema)` becomes the schema alone, and so does a call with an example after it. */
function withoutDescription(node: Node): Replacement[] {
  if (!isCallOf("about", node)) return [];
  const [, schema] = node.arguments;
  if (schema === undefined) return [];
  return [
    { start: node.start, end: schema.start, text: "(" },
    { start: schema.end, end: node.end, text: ")" },
  ];
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
  if (!isCallOf("defineRoute", value)) return [];
  const [route] = value.arguments;
  return (route?.type === "ObjectExpression" ? route.properties : []).filter(
    (property) =>
      property.type === "Property" && property.key.type === "Identifier" && property.key.name === "responses",
  );
}

function isCallOf(name: string, node: Node): node is CallExpression {
  const { type, callee } = node as CallExpression;
  return type === "CallExpression" && callee.type === "Identifier" && callee.name === name;
}
