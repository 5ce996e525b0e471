import { storedEncodingOf } from "../api/releases/content-types.ts";
import { hashedPath, type Isolation, type ReleaseSettings } from "../api/releases/release-settings.ts";
import { type Advice, aboutPlaces, type Threads } from "./advice.ts";
import { markupOf, pathOf } from "./html.ts";
import { isUtf16 } from "./text-encoding.ts";

/*
 * Warnings about mistakes of a build that players would notice. Only warnings, because regular expressions over HTML and
 * scripts can be wrong.
 */

/** Build that the advice is about. The texts are read only if they are needed. */
export interface Build {
  readonly paths: readonly string[];
  /** The text of the index.html at the top, read as UTF-8; undefined if there is none. */
  index(): string | undefined;
  /** The text of the package.json at the top; undefined if there is none. */
  packageJson(): string | undefined;
  /** The path of the first script or page for whose text {@link makesSharedMemory} says yes. */
  sharedMemory(): string | undefined;
}

/** Likely mistakes of a build. */
export function adviceFor(
  build: Omit<Build, "packageJson">,
  { isolation, immutable, preload }: Pick<ReleaseSettings, "isolation" | "immutable" | "preload">,
): Advice[] {
  return [
    ...isolationAdvice(build, isolation),
    ...encodingAdvice(build),
    ...referenceAdvice(build),
    ...insecureAdvice(build),
    ...twiceAdvice(build.paths),
    ...otherHostAdvice(build.paths),
    ...preload
      .filter((path) => !build.paths.includes(path))
      .map((path) => ({ code: "preload_not_in_folder", places: [path] }) as const),
    ...(immutable.length > 0 ? [] : hashedNamesAdvice(build.paths)),
  ];
}

/** The script that starts threads of a build of Godot or Emscripten; other programs have workers of such names, too. */
const threadScript = /^(.*[^/])\.worker\.m?js$/;
/**
 * Code that makes shared memory. Many engines only mention SharedArrayBuffer, and play without it (Pyodide). Unity's loader
 * makes one page of memory to find out whether it can.
 */
const sharedMemory =
  /\bnew\s+SharedArrayBuffer\b|(?<!\binitial:1,maximum:1,)\bshared\s*:\s*(?:true|!0)\b|"?ensureCrossOriginIsolationHeaders"?\s*:\s*true/;
/** Enough to find an engine's loader, which is at the beginning of its script or page. */
export const readBytes = 4 * 1024 * 1024;

/** Whether a path is one of a script or page. */
export function isScript(path: string): boolean {
  return /\.(?:m?js|html?)$/i.test(path);
}

/** Whether the text of a script or page, one character for each byte, makes memory that threads share. */
export function makesSharedMemory(text: string): boolean {
  return sharedMemory.test(text);
}

/** Evidence that a build has threads; undefined if there is none. */
export function threadsIn(build: Pick<Build, "paths" | "sharedMemory">): Threads | undefined {
  const names = new Set(build.paths);
  const worker = build.paths.find((path) => {
    const [, engine] = threadScript.exec(path) ?? [];
    // The engine has the same name: of sqlite.worker.js and pdf.worker.js there is no module.
    return engine !== undefined && ["", ".br", ".gz"].some((end) => names.has(`${engine}.wasm${end}`));
  });
  if (worker !== undefined) return { path: worker, evidence: "worker" };
  const path = build.sharedMemory();
  return path === undefined ? undefined : { path, evidence: "shared_memory" };
}

function isolationAdvice(build: Pick<Build, "paths" | "sharedMemory">, isolation: Isolation): Advice[] {
  const threads = isolation === true ? undefined : threadsIn(build);
  if (threads === undefined) return [];
  const code = isolation ? "threads_credentialless" : "threads_not_isolated";
  return [{ code, places: [threads.path], threads }];
}

/** Pages are sent as UTF-8, which a browser believes before what the page says. What is read may end within a character. */
function encodingAdvice(build: Pick<Build, "index">): Advice[] {
  const text = build.index() ?? "";
  // The mark at the beginning of UTF-16 counts before all.
  if (isUtf16(text) || !text.slice(0, -1).includes("\ufffd")) return [];
  return [{ code: "page_not_utf8", places: ["index.html"] }];
}

/** Checks that each `src` and `href` of index.html names a file of the release. */
function referenceAdvice(build: Pick<Build, "paths" | "index">): Advice[] {
  const page = build.index();
  if (page === undefined) return [];
  const names = new Set(build.paths);
  const folded = new Map(build.paths.map((path) => [path.toLowerCase(), path]));
  const references = [...markupOf(page).matchAll(/<[a-z][^<>]*?\s(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  return [...new Set(references.map(([, double, single]) => double ?? single ?? ""))].flatMap((reference): Advice[] => {
    const target = targetOf(reference);
    if (target === undefined || names.has(target) || names.has(`${target.replace(/\/$/, "")}/index.html`)) return [];
    const actual = folded.get(target.toLowerCase());
    return actual === undefined
      ? [{ code: "reference_missing", places: ["index.html"], reference }]
      : [{ code: "reference_case_differs", places: [actual], reference }];
  });
}

/** Browsers load no script, style or frame without https into a page that came by it. */
function insecureAdvice(build: Pick<Build, "index">): Advice[] {
  const loaded = markupOf(build.index() ?? "").matchAll(
    /<(?:script|link|iframe)\b[^>]*?\s(?:src|href)\s*=\s*["']?(http:\/\/[^"'\s>]+)[^>]*>/gi,
  );
  const blocked = [...loaded]
    .filter(([tag]) => !/^<link/i.test(tag) || /\srel\s*=\s*["']?(?:stylesheet|modulepreload|preload)\b/i.test(tag))
    .map(([, url = ""]) => url)
    .filter((url) => !/^http:\/\/(?:[a-z0-9-]+\.)*(?:localhost|127\.0\.0\.1)(?:[:/]|$)/i.test(url));
  return [...new Set(blocked)].map((reference) => ({ code: "reference_insecure", places: ["index.html"], reference }));
}

/** The path in the release that a reference means; undefined for a URL of another origin, a fragment or a template. */
function targetOf(reference: string): string | undefined {
  if (/^(?:$|[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(reference) || reference.includes("{{")) return undefined;
  const path = pathOf(reference);
  return path === "" ? "index.html" : path;
}

/** Unity leaves the files of the earlier build in the folder if the compression setting was changed. */
function twiceAdvice(paths: readonly string[]): Advice[] {
  const inner = new Map<string, string[]>();
  for (const name of paths.filter((path) => path.startsWith("Build/") || path.includes("/Build/"))) {
    const key = storedEncodingOf(name)?.innerPath ?? name;
    inner.set(key, [...(inner.get(key) ?? []), name]);
  }
  const twice = [...inner.values()].filter((names) => names.length > 1);
  return twice.map((places) => ({ code: "twice_compressed", places }));
}

/** Files that configure other hosts, and are usually beside the folder that a build wrote. */
const otherHosts = /^(?:netlify\.toml|vercel\.json|firebase\.json)$/;

function otherHostAdvice(paths: readonly string[]): Advice[] {
  return aboutPlaces(
    "files_of_other_hosts",
    paths.filter((path) => otherHosts.test(path)),
  );
}

/** The folder of a script that is named by its content. Without a digit the name may be a word. */
function folderOfHashed(path: string): string | undefined {
  const { before: prefix, hash = "", after = "" } = hashedPath(path) ?? {};
  const isScript = /^\.(?:m?js|css|wasm)$/.test(after) && /\d/.test(hash);
  const end = isScript ? (prefix ?? "").lastIndexOf("/") + 1 : 0;
  return end > 0 ? path.slice(0, end) : undefined;
}

/** A script of a folder in which all code is named by its content, and the pattern of that folder. */
export function hashedNamesIn(
  paths: readonly string[],
): { readonly example: string; readonly pattern: string } | undefined {
  const code = paths.filter((path) => /\/[^/]*\.(?:m?js|css|wasm)$/.test(path));
  const example = code.find((name) => {
    const folder = folderOfHashed(name);
    return (
      folder !== undefined && code.every((other) => !other.startsWith(folder) || folderOfHashed(other) !== undefined)
    );
  });
  return example === undefined ? undefined : { example, pattern: `${folderOfHashed(example)}**` };
}

function hashedNamesAdvice(paths: readonly string[]): Advice[] {
  const names = hashedNamesIn(paths);
  return names ? [{ code: "hashed_names", places: [names.example], pattern: names.pattern }] : [];
}

const compressedAsWhole = /\.(?:br|gz|unityweb|xz|zip|zst)$/i;
/** Below this nobody waits for the rest of a file. */
const worthNamingBytes = 1024 * 1024;

/**
 * Warns of changed files that are compressed as a whole: after one changed byte all bytes behind it are others, so neither a
 * publication nor a player can use those that are there: a player who had the earlier release loads all of them again.
 *
 * @param changed paths of files that have other bytes in the live release
 */
export function compressedAsWholeAdvice(
  files: readonly { readonly path: string; readonly size: number }[],
  changed: readonly string[],
): Advice[] {
  const names = new Set(changed);
  const whole = files.filter(
    ({ path, size }) => names.has(path) && size >= worthNamingBytes && compressedAsWhole.test(path),
  );
  if (whole.length === 0) return [];
  const places = whole.map(({ path }) => path);
  const bytes = whole.reduce((sum, { size }) => sum + size, 0);
  return [{ code: "compressed_by_build", places, bytes, isUnity: places.some((path) => unityBuild.test(path)) }];
}

/** Names that Unity gives its compressed files. */
const unityBuild = /\.unityweb$|(?:^|\/)Build\/[^/]+\.(?:data|wasm|framework\.js|symbols\.json)\.(?:br|gz)$/i;
