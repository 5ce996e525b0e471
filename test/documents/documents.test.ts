import { existsSync, globSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { limits } from "../../contract/api/limits.ts";
import { commandIds } from "../support/cli/cli.ts";
import { documents, readDocument as read, root } from "../support/documents.ts";

test.each(documents)("every link of %s has a target", (path) => {
  const targets = [...read(path).matchAll(/(?:\]\(|<img src=")([^)#\s"]+)/g)].map(([, target = ""]) => target);
  const relative = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(relative.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
});

test("a picture of docs/images has at most 150 kB", () => {
  const pictures = globSync("docs/images/*", { cwd: root });
  expect(pictures.filter((path) => statSync(join(root, path)).size > 150_000)).toEqual([]);
});

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (path: string) =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .replace(/\]\([^)]*\)/g, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

test.each(documents)("every heading that a link of %s leads to is there", (path) => {
  const links = [...read(path).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)].map(([, target = "", anchor = ""]) => ({
    target: target === "" ? path : join(dirname(path), target),
    anchor,
  }));
  const broken = links.filter(({ target, anchor }) => target.endsWith(".md") && !anchorsOf(target).includes(anchor));
  expect(broken).toEqual([]);
});

test("docs/README.md has every document once; the decisions have a list of their own", () => {
  const links = [...read("docs/README.md").matchAll(/\]\(([^)#\s]+)\)/g)].map(([, target = ""]) =>
    join("docs", target),
  );
  const expected = documents.filter(
    (path) => !/^(?:README|docs\/README|docs\/decisions\/(?!README).*)\.md$/.test(path),
  );
  const listed = links.filter((path) => !path.startsWith("lab/"));
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

test.each(documents)("every file of the code that %s names exists", (path) => {
  const named = [
    ...read(path).matchAll(/`((?:cli|contract|dashboard|edge|functions|infra|lab|local|test)\/[\w./-]+\.\w+)`/g),
  ];
  const files = named.map(([, file = ""]) => file).filter((file) => !generated.test(file));
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.each(documents)("no command of %s can fetch the package svc, which is another author's", (path) => {
  const commands = [...read(path).matchAll(/\b(?:npx|npm exec|bunx|pnpm dlx) [^`\n]*\bsvc\b/g)].map(
    ([command]) => command,
  );
  expect(commands.filter((command) => !/^npx (cdk|--no @?svc)\b/.test(command))).toEqual([]);
});

test.each(documents)("every run of tests that %s names finds a test", (path) => {
  const runs = [...read(path).matchAll(/\bnpm (?:run )?(test(?::\w+)?) -- ([^`\n#]*)/g)].map(
    ([, script = "", rest = ""]) => ({
      tests: globSync(testFiles[script] ?? [], { cwd: root }),
      // What follows a flag is its value.
      patterns:
        rest
          .split(/\s+(?=-)/, 1)[0]
          ?.split(/\s+/)
          .filter((word) => word !== "" && !word.startsWith("-")) ?? [],
    }),
  );
  const isFound = ({ tests, pattern }: { tests: string[]; pattern: string }) =>
    tests.some((file) => new RegExp(pattern).test(file));
  const each = runs.flatMap(({ tests, patterns }) => patterns.map((pattern) => ({ tests, pattern })));
  expect(each.filter((run) => !isFound(run)).map(({ pattern }) => pattern)).toEqual([]);
});

/** The files of each script's tests, as its configuration of jest has them. */
const testFiles: Readonly<Record<string, string[]>> = {
  test: [
    "{contract,dashboard,edge,functions,cli,local,options,publisher}/**/*.test.ts",
    "test/{api,cli,dashboard,documents,edge,games,local,support}/**/*.test.ts",
  ],
  "test:integration": ["infra/**/*.test.ts", "{test/long,options/*/test/long}/**/*.test.ts"],
  "test:browser": ["{test,options/*/test}/browser/**/*.test.ts"],
  "test:lab": ["lab/**/*.test.ts"],
};

/** Paths that are not in a clone: a build, and files of the guides in docs/architecture.md. */
const generated = /^(?:build|cli\/dist)\//;

test("the index of the decisions has a line for each one, with its title, and no two have one number", () => {
  const files = globSync("docs/decisions/[0-9]*.md", { cwd: root }).map((path) => basename(path));
  const titles = files.map((file) => {
    const [, title = ""] = /^# (\d+\. .*)\n/.exec(read(`docs/decisions/${file}`)) ?? [];
    expect(Number.parseInt(title, 10)).toBe(Number(file.slice(0, 4)));
    return `[${title}](${file})`;
  });
  const listed = [...read("docs/decisions/README.md").matchAll(/^- (\[.*?\]\(.*?\)): \S.*$/gm)].map(([, link]) => link);
  expect(listed.toSorted()).toEqual(titles.toSorted());
  expect(new Set(files.map((file) => file.slice(0, 4))).size).toBe(files.length);
});

test("docs/dependencies.md gives a reason for every dependency, and for no other package", () => {
  const folders = [".", "cli", "lab", "local/machine/node"];
  const manifests = folders.map((folder) => `${folder}/package.json`).map((path) => JSON.parse(read(path)));
  const used = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );
  const rows = [...read("docs/dependencies.md").matchAll(/^\| (`.*?) +\|/gm)].map(([, cell]) => cell ?? "");
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""));
  const isListed = (name: string) => listed.includes(name) || listed.includes(name.replace(/\/.*/, "/*"));
  const isUsed = (name: string) => used.some((other) => other === name || other.replace(/\/.*/, "/*") === name);
  expect(used.filter((name) => !isListed(name))).toEqual([]);
  expect(listed.filter((name) => !isUsed(name) && name !== "zod/mini")).toEqual([]);
});

test("the table of docs/cli.md has every command, and no other", () => {
  const [, section = ""] = /^## Commands\n(.*?)^## /ms.exec(read("docs/cli.md")) ?? [];
  const listed = [...section.matchAll(/^\| `svc ((?:[a-z]+ )*)([a-z]+(?:\\\|[a-z]+)*)(?=[` ])/gm)].flatMap(
    ([, topic = "", names = ""]) => names.split("\\|").map((name) => `${topic}${name}`.replaceAll(" ", ":")),
  );
  expect([...new Set(listed)].toSorted()).toEqual(commandIds.toSorted());
});

test("docs/cli.md has the limits of a release", () => {
  const [, table = ""] =
    /^\| a release has at most \| \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m.exec(read("docs/cli.md")) ?? [];
  const rows = [...table.matchAll(/^\| (.*) \| (.*) \|$/gm)].map(([, name, value]) => [name, value]);
  const number = (value: number) => value.toLocaleString("en");
  const [mib, gib] = [2 ** 20, 2 ** 30];
  expect(rows).toEqual([
    ["files", number(limits.filesPerRelease)],
    ["bytes in all", `${limits.bytesPerRelease / gib} GiB`],
    ["bytes of one file", `${limits.bytesPerFile / mib} MiB`],
    ["bytes of its picture", `${limits.pictureBytes / mib} MiB`],
    ["bytes of one path in UTF-8", number(limits.pathBytes)],
    ["bytes of its list of files as JSON", `${limits.manifestBodyBytes / mib} MiB`],
    ["characters of its message", number(limits.releaseMessageLength)],
    ["patterns of `immutable`", number(limits.immutablePatterns)],
    ["characters of one pattern", number(limits.immutablePatternLength)],
    ["files of `preload`", number(limits.preloadedFiles)],
    ["characters of the path of one of them", number(limits.preloadPathLength)],
    ["days from its opening until it must be live", number(limits.openReleaseLifetimeSeconds / 86_400)],
  ]);
  expect(read("docs/cli.md")).toContain(
    `${limits.bytesPerProject / gib} GiB in ${number(limits.objectsPerProject)} objects a project, ${limits.bytesPerAccount / gib} GiB in ${number(limits.objectsPerAccount)} objects an account`,
  );
  expect(read("docs/cli.md")).toContain(
    `at most ${limits.projectsPerAccount} projects and ${limits.activeTokensPerAccount} active tokens`,
  );
});
