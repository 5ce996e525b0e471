import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "@jest/globals";

/*
 * Follows a guide of docs/architecture.md, snippet by snippet, in a copy of the repository.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Folders that are written beside the sources, and the modules: those of the copy are the repository's. */
const notCopied =
  /\/(node_modules|\.git|cdk\.out|\.svc-data|build\/(bench|fetched|package-\w+|screenshots|start-secrets))$/;

/** A snippet's first line names its file, and the list, function or table's section in it that it adds to or replaces. */
export interface Snippet {
  readonly file: string;
  readonly name: string | undefined;
  readonly code: string;
}

export interface GuideRun {
  readonly code: number;
  readonly output: string;
}

export interface GuideCopy {
  /** Folder of the copy. */
  readonly folder: string;
  /** The snippets of the guide with this title, in their order. */
  snippets(title: string): Promise<Snippet[]>;
  /** The npm commands that the sentences of the guide name, each once. */
  commands(title: string): Promise<string[]>;
  apply(snippet: Snippet | undefined): Promise<void>;
  /** Writes a file of the test's own. */
  write(file: string, code: string): Promise<void>;
  /** Deletes the folder of an option, and its lines in the lists of programs and tests. */
  takeOut(option: string): Promise<void>;
  /** Brings the options back that were taken out. */
  putBack(): Promise<void>;
  /** Checks the types of the product, without lab, which knows options. */
  types(): Promise<GuideRun>;
  /** Runs an npm script. */
  run(...args: string[]): Promise<GuideRun>;
  /** The template of a stage's own stack. */
  synth(stage: string): Promise<string>;
}

/** Output of a run of tests that failed. */
export function failuresOf({ code, output }: GuideRun): string {
  return code === 0 ? "" : output;
}

/** A copy of the repository for the tests of a file. */
export function useGuideCopy(): GuideCopy {
  let copy: string;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "svc-guide-"));
    await cp(root, copy, { recursive: true, filter: (path) => !notCopied.test(path) });
    for (const modules of ["node_modules", "lab/node_modules"]) await symlink(join(root, modules), join(copy, modules));
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  const execute = (program: string, args: readonly string[], env = process.env) =>
    new Promise<GuideRun>((resolve) => {
      const options = { cwd: copy, maxBuffer: 64 * 1024 ** 2, env };
      execFile(program, args, options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      );
    });

  const guide = async (title: string) => {
    const text = await readFile(join(copy, "docs/architecture.md"), "utf8");
    return text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  };

  return {
    get folder() {
      return copy;
    },
    async commands(title) {
      const found = (await guide(title)).matchAll(/`npm (?:run )?([^`]+)`/g);
      return [...new Set([...found].map(([, command = ""]) => command))];
    },
    async snippets(title) {
      const found = (await guide(title)).matchAll(
        /^ {3}```(?:ts|md)\n {3}\/\/ (\S+?)(?:, (\w+))?\n([\s\S]*?)^ {3}```$/gm,
      );
      return [...found].map(([, file = "", name, code = ""]) => ({ file, name, code: code.replace(/^ {3}/gm, "") }));
    },
    async apply(snippet) {
      if (snippet === undefined) throw new Error("The guide has fewer snippets");
      const path = join(copy, snippet.file);
      const before = await readFile(path, "utf8").catch(() => "");
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, applied(before, snippet));
    },
    write: (file, code) => writeFile(join(copy, file), code),
    async takeOut(option) {
      await rm(join(copy, "options", option), { recursive: true });
      for (const list of optionLists()) {
        const path = join(copy, list);
        await writeFile(path, withoutOption(await readFile(path, "utf8"), option));
      }
    },
    async putBack() {
      await rm(join(copy, "options"), { recursive: true });
      for (const path of ["options", ...optionLists()])
        await cp(join(root, path), join(copy, path), { recursive: true });
    },
    async types() {
      // Completely: after several changes at once the compiler's incremental mode keeps errors and misses others. One thread, and seldom
      // collected garbage, take a third less processor time.
      const compile = (project: string) =>
        execute(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project, "--checkers", "1"], {
          ...process.env,
          GOGC: "400",
        });
      const { code, output } = await compile(".");
      return code === 0 ? await compile("dashboard") : { code, output };
    },
    run: (...args) => execute("npm", ["run", "--silent", ...args]),
    async synth(stage) {
      const outdir = join(copy, "cdk.out");
      const { context } = JSON.parse(await readFile(join(copy, "cdk.json"), "utf8"));
      const variables = { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, stage }) };
      const { code, output } = await execute(process.execPath, ["programs/cdk.ts"], { ...process.env, ...variables });
      if (code !== 0) throw new Error(output);
      return await readFile(join(outdir, `svc-${stage}.template.json`), "utf8");
    },
  };
}

/** The files with lists of options. */
function optionLists(): string[] {
  return [...globSync("programs/**/*.{ts,css}", { cwd: root }), "test/support/option-lists.ts"];
}

/** A list of options without one of them: neither its imports nor the lines that use what they imported. */
function withoutOption(list: string, option: string): string {
  const importLines = new RegExp(`^@?import (?:\\{ (.*) \\} from )?"[./]+/options/${option}/.*\\n`, "gm");
  const names = [...list.matchAll(importLines)]
    .flatMap(([, imported = ""]) => imported.split(", ").map((name) => name.replace(/^.* as /, "")))
    .filter(Boolean);
  const uses = new RegExp(`^.*\\b(?:${names.join("|")})\\b.*\\n`, "gm");
  const others = list.replace(importLines, "");
  return names.length === 0 ? others : others.replace(uses, "");
}

/**
 * Lines of a list, an interface or a table are added at its end, those of a union or of what a function returns or distinguishes at its
 * beginning; a function takes the place of the one with its name, imports come first in the file, and all else is added to it.
 */
function applied(before: string, { file, name, code }: Snippet): string {
  if (name === undefined) return code.startsWith("import ") ? code + before : `${before}\n${code}`.trimStart();
  const place = placeOf(file, name, code);
  if (!place.test(before)) throw new Error(`There is no ${name} to change`);
  return before.replace(place, (found) => (/^[ |]/.test(code) ? found + code : code));
}

function placeOf(file: string, name: string, code: string): RegExp {
  if (file.endsWith(".md")) return new RegExp(`^## ${name}\\n(?:(?!##|\\|).*\\n)*(?:\\|.*\\n)+`, "m");
  const named = (kinds: string) => `^(?:export )?(?:${kinds}) ${name}\\b`;
  if (!code.startsWith(" ")) return new RegExp(`${named("function")}[\\s\\S]*?^\\}\\n`, "m");
  const places = [
    `${named("const|interface")}[\\s\\S]*?^(?=[}\\]])`,
    `${named("type")} =\\n`,
    `${named("function")}[\\s\\S]*?\\n  (?:return|switch \\(.*\\)) [{[]\\n`,
  ];
  return new RegExp(places.join("|"), "m");
}
