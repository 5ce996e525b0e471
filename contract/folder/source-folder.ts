import type { Build } from "./build-advice.ts";
import { insteadOfIndex } from "./entry-page.ts";
import { pathOf } from "./html.ts";

/*
 * The source of a game is not its build: browsers run neither TypeScript nor components, and players would see a white page. Found by
 * what index.html loads, so a folder that has sources beside a page that works is none.
 */

/** A folder whose page cannot start, and the way to one that can. */
export interface SourceFolder {
  readonly code: "source_folder";
  /** Continues a sentence about the folder. */
  readonly what: string;
  /** The folder that the build wrote, with its slash, if it is there. */
  readonly built: string | undefined;
  /** The command that builds it, from its package.json. */
  readonly command: string | undefined;
}

/** What only a build makes a script of. */
const uncompiled = /\.(?:tsx?|mts|cts|jsx|vue|svelte|astro)$/i;
/** The same in a script within the page. */
const importsUncompiled =
  /\b(?:from|import)\s*(?:\(\s*)?["']([^"'\s]{1,300}\.(?:tsx?|mts|cts|jsx|vue|svelte|astro))["']/i;

/** The source that a folder is, if it is one. It may have no index.html. */
export function sourceIn(build: Pick<Build, "paths" | "index" | "packageJson">): SourceFolder | undefined {
  const page = build.index();
  const what =
    page === undefined ? withoutPage(build) : notStarting(page, new Set(build.paths.map((path) => path.toLowerCase())));
  if (what === undefined) return undefined;
  return { code: "source_folder", what, built: builtFolder(build.paths), command: buildCommand(build) };
}

function withoutPage(build: Pick<Build, "packageJson">): string | undefined {
  return scriptsOf(build)["build"] === undefined ? undefined : "has the source of a game, not its build";
}

/** @param names of its files in lower case: that case differs is said elsewhere */
function notStarting(page: string, names: ReadonlySet<string>): string | undefined {
  const scripts = [...page.replace(/<!--.*?(?:-->|$)/gs, "").matchAll(/<script\b([^<>]*)>(.*?)(?:<\/script|$)/gis)].map(
    ([, attributes = "", text = ""]) => ({ attributes, text, src: srcOf(attributes) }),
  );
  for (const { attributes, text, src } of scripts) {
    if (!/\btype\s*=\s*["']?module\b/i.test(attributes)) continue;
    const source =
      src === undefined ? importsUncompiled.exec(text)?.[1] : uncompiled.test(pathOf(src) ?? "") ? src : "";
    if (source) return `has the source of a game, not its build: index.html loads ${source}, which browsers cannot run`;
  }
  const sources = scripts.flatMap(({ src }) => (src === undefined || isElsewhere(src) ? [] : [src]));
  const hasCode = scripts.some(
    ({ attributes, text }) => text.trim() !== "" && !/\btype\s*=\s*["']?(?!module|text\/javascript)/i.test(attributes),
  );
  if (sources.length === 0 || hasCode || sources.some((src) => names.has((pathOf(src) ?? "").toLowerCase())))
    return undefined;
  return `has an index.html without its script: ${sources[0]} is not in the folder`;
}

function srcOf(attributes: string): string | undefined {
  const [, double, single, bare] = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes) ?? [];
  return double ?? single ?? bare;
}

function isElsewhere(src: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(src) || src.includes("{{") || pathOf(src) === undefined;
}

/** Folders that builds write. */
const builtFolders = /^(?:dist|build|out|www|web|export|exports|release|docs)\//;

function builtFolder(paths: readonly string[]): string | undefined {
  const entry = insteadOfIndex(paths.filter((path) => builtFolders.test(path)));
  return entry && "folder" in entry ? entry.folder : undefined;
}

function scriptsOf({ packageJson }: Pick<Build, "packageJson">): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(packageJson() ?? "{}")?.scripts ?? {};
  } catch {
    return {};
  }
}

/** The program that each lock file belongs to. */
const managers: Readonly<Record<string, string>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
};

function buildCommand(build: Pick<Build, "paths" | "packageJson">): string | undefined {
  if (typeof scriptsOf(build)["build"] !== "string") return undefined;
  const lock = build.paths.find((path) => Object.hasOwn(managers, path));
  return `${managers[lock ?? ""] ?? "npm"} run build`;
}

/** A sentence about the way to a build; undefined if none is known. */
export function wayToBuild({ built, command }: SourceFolder): string {
  if (built !== undefined) return `Publish what the build wrote: ${built}`;
  if (command !== undefined) return `Build it first: ${command}. Then publish the folder that it writes.`;
  return "Build it first, then publish the folder that the build writes.";
}
