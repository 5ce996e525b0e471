import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, normalize, sep } from "node:path";
import { expect, test } from "@jest/globals";
import { readDocument, root } from "../support/documents.ts";

/** Rule of `biome.json` for imports of some files. */
interface Override {
  readonly includes: readonly string[];
  readonly linter: {
    readonly rules: {
      readonly style: {
        readonly noRestrictedImports?: { readonly options: { readonly patterns: readonly { group: string[] }[] } };
      };
    };
  };
}

/** The folders with code: a folder may stay empty in an older clone. Every layer may import the types in `entities/`. */
const rooms = [
  ...new Set(globSync("*/**/*.ts", { cwd: join(root, "functions") }).map((path) => path.slice(0, path.indexOf(sep)))),
].filter((room) => room !== "entities");
const { overrides } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as { overrides: readonly Override[] };

test.each(rooms)(
  "functions/%s may import the rooms that docs/architecture.md names, and the linter refuses the others",
  (room) => {
    const row = new RegExp(`^\\| \`functions/${room}/\` +\\|[^|]+\\|([^|]+)\\|`, "m");
    const [, named = ""] = row.exec(readDocument("docs/architecture.md")) ?? [];
    const isOf = ({ includes: [files = ""] }: Override, other: string) =>
      matchesGlob(`functions/${other}/x/y.ts`, files);
    const rule = overrides.find((override) => isOf(override, room));
    const groups = rule?.linter.rules.style.noRestrictedImports?.options.patterns.flatMap(({ group }) => group) ?? [];
    const others = rooms.filter((other) => rule && !isOf(rule, other));
    expect(others.length).toBeGreaterThan(rooms.length - 3);
    expect(others.filter((other) => groups.includes(`**/${other}/**`))).toEqual(
      others.filter((other) => !named.includes(`\`${other}\``)),
    );
  },
);

/** Every import of one of our files by another, as `importer > imported`. */
function imports(): string[] {
  const files = globSync(
    "{contract,publisher,functions,edge,infra,cli,local,dashboard,options,programs,test,lab}/**/*.{ts,tsx}",
    {
      cwd: root,
      exclude: ["**/node_modules/**", "**/dist/**"],
    },
  );
  return files.flatMap((file) => {
    const named = readFileSync(join(root, file), "utf8").matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g);
    return [...named].map(([, path = ""]) => `${file} > ${normalize(join(dirname(file), path))}`.replaceAll(sep, "/"));
  });
}

const found = imports();

const isCore = (line: string) => !/^(?:options|programs|test|lab)\//.test(line);
const isTest = (line: string) => /\.test\.tsx? >/.test(line);

test("the core knows no option, and no program that gives it some", () => {
  expect(found.length).toBeGreaterThan(3_000);
  expect(found.filter((line) => isCore(line) && / > options\//.test(line))).toEqual([]);
  expect(found.filter((line) => isCore(line) && !isTest(line) && / > programs\//.test(line))).toEqual([]);
});

test("an option knows no other option, and no program", () => {
  const isOwn = (line: string) => /^options\/([^/]+)\/.* > options\/\1\//.test(line);
  const ofOptions = found.filter((line) => line.startsWith("options/"));
  expect(ofOptions.filter((line) => / > options\//.test(line) && !isOwn(line))).toEqual([]);
  expect(ofOptions.filter((line) => !isTest(line) && / > programs\//.test(line))).toEqual([]);
});

test("what runs on AWS, and what is run against it, knows nothing of the local service", () => {
  const isSource = (line: string) => !/\.test\.ts >/.test(line);
  expect(
    found.filter((line) => isSource(line) && /^(?:contract|edge|functions|infra)\/.* > local\//.test(line)),
  ).toEqual([]);
});
