import { storedEncodingOf } from "../../../contract/api/content-types.ts";
import { limits } from "../../../contract/api/limits.ts";
import { matchesPattern } from "../../../contract/api/release-settings.ts";
import { adviceFor, type Build } from "../../../contract/folder/build-advice.ts";
import { fileProblems } from "../../../contract/folder/file-rules.ts";
import { hostFileProblems, isHostFile } from "../../../contract/folder/host-files.ts";
import { ignoreRulesOf } from "../../../contract/folder/ignore-rules.ts";
import { headBytes, pictureOf } from "../../../contract/folder/picture.ts";
import {
  type ProjectFile,
  ProjectFileProblem,
  parseProjectFile,
  projectFileName,
  settingsOf,
} from "../../../contract/folder/project-file.ts";
import { isCandidate, loadEncoder, type Variant, variantOf } from "./brotli.ts";
import { type FileHashes, hashed } from "./hash.ts";
import type { HashedFile, PreparedFolder, Reading } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import type { SourceFile } from "./source.ts";

/**
 * Finds out what of a folder is published, by the rules of `svc publish`, hashes it and compresses what players load compressed.
 *
 * @returns what the manifest needs, and the files and variants by their SHA-256
 * @throws Refusal for a folder that cannot be a release
 */
export async function prepare(
  all: readonly SourceFile[],
  { slug, encoder, onReading }: PrepareOptions,
): Promise<{ prepared: PreparedFolder; contents: ReadonlyMap<string, SourceFile> }> {
  const settings = await projectFileOf(all);
  const { files, secrets, leftOut } = await published(all, settings);
  assertPublishable(files);
  await assertNoHostFiles(files);
  const hashes = await hashAll(files, onReading);
  const variants = await compressAll(files, { encoder, onReading });
  const prepared: PreparedFolder = {
    files: files.map((file) => manifestFile(file, hashes, { raw: settings.raw ?? [], variants })),
    settings: settingsOf(settings),
    picture: await pictureOf({ files, read: (path) => beginningOf(files, path) }),
    warnings: [...projectAdvice(settings, slug), ...adviceFor(buildOf(files, hashes), settingsOf(settings))],
    secrets,
    leftOut,
  };
  const ofVariants = [...variants.values()].map(({ content, source }) => [content.sha256, source] as const);
  const ofFiles = files.map((file) => [hashes.get(file.path)?.sha256 ?? "", file] as const);
  return { prepared, contents: new Map([...ofVariants, ...ofFiles]) };
}

interface PrepareOptions {
  readonly slug: string;
  /** The module of the Brotli encoder, or its URL; loaded only if something is compressed. */
  readonly encoder: Parameters<typeof loadEncoder>[0];
  onReading(reading: Reading): void;
}

async function projectFileOf(all: readonly SourceFile[]): Promise<ProjectFile> {
  const text = await textAt(all, projectFileName);
  try {
    return text === undefined ? {} : parseProjectFile(text);
  } catch (problem) {
    if (problem instanceof ProjectFileProblem) throw new Refusal(`${projectFileName} ${problem.message}`);
    throw problem;
  }
}

/** As much as says what the game's picture is; empty if it cannot be read. */
async function beginningOf(files: readonly SourceFile[], path: string): Promise<string> {
  const reader = files
    .find((file) => file.path === path)
    ?.stream()
    .getReader();
  const [decoder, pieces] = [new TextDecoder(), [] as string[]];
  let bytes = 0;
  try {
    while (reader && bytes < headBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      pieces.push(decoder.decode(value, { stream: true }));
    }
    void reader?.cancel().catch(() => {});
  } catch {
    // Hashing has read it: what it is cannot be told, and the game can be published without.
  }
  return pieces.join("");
}

const smallFileBytes = 64 * 1024;

async function textAt(all: readonly SourceFile[], path: string): Promise<string | undefined> {
  const file = all.find((one) => one.path === path);
  if (file === undefined) return undefined;
  if (file.size > smallFileBytes) throw new Refusal(`${path} has more than 64 KiB.`);
  return await (await file.blob()).text();
}

/** What is published, after `dir` and `ignore` of svc.toml, .svcignore and the built-in rules. */
async function published(all: readonly SourceFile[], { dir = ".", ignore = [] }: ProjectFile) {
  const segments = dir.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..") || dir.startsWith("/"))
    throw new Refusal(
      `${projectFileName} names a folder outside of this one (dir = "${dir}"). Choose that folder itself.`,
    );
  const prefix = segments.map((segment) => `${segment}/`).join("");
  const ignoreFiles = [...new Set([".svcignore", `${prefix}.svcignore`])];
  const texts = await Promise.all(ignoreFiles.map((path) => textAt(all, path)));
  const { judge } = ignoreRulesOf({ settings: ignore, ignoreFiles: texts.filter((text) => text !== undefined) });
  const inFolder = all
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  // The rules take no path that leaves the folder; what is wrong with it is said below.
  const verdicts = inFolder.map(({ path }) => (isOrdinary(path) ? judge(path) : "publish"));
  const of = (verdict: string) => inFolder.filter((_, index) => verdicts[index] === verdict);
  return {
    files: of("publish").sort((a, b) => (a.path < b.path ? -1 : 1)),
    secrets: of("secret").map(({ path }) => path),
    leftOut: of("ignored").length,
  };
}

function isOrdinary(path: string): boolean {
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/** @throws Refusal */
function assertPublishable(files: readonly SourceFile[]): void {
  if (files.length === 0) throw new Refusal("There is nothing in it to publish. Build the game first.");
  if (files.length > limits.filesPerRelease)
    throw new Refusal(
      `It has more than ${limits.filesPerRelease.toLocaleString("en")} files, the limit. Pack small files together, or leave some out with .svcignore.`,
    );
  if (!files.some(({ path }) => path === "index.html")) throw new Refusal(noIndex(files));
  const places = fileProblems(files);
  if (places.length > 0)
    throw new Refusal(
      "It cannot be published. Rename or remove these files, or leave them out with .svcignore.",
      places,
    );
}

/** Nothing here reads `_headers` and `_redirects`: players would get the game without what they say. @throws Refusal */
async function assertNoHostFiles(files: readonly SourceFile[]): Promise<void> {
  const found = await Promise.all(
    files
      .filter(({ path }) => isHostFile(path))
      .map(async ({ path }) => {
        const problems = hostFileProblems(path, (await textAt(files, path)) ?? "");
        return problems.map((problem) => `${path}, ${problem}`);
      }),
  );
  if (found.flat().length > 0)
    throw new Refusal(
      'It has files that configure other hosts, and nothing here. Write what the game needs into svc.toml, and leave them out: ignore = ["_headers", "_redirects"]',
      found.flat(),
    );
}

function noIndex(files: readonly SourceFile[]): string {
  const none = "It has no index.html, the page that players open first.";
  const deeper = files.find(({ path }) => path.endsWith("/index.html"))?.path;
  const otherCase = files.find(({ path }) => path.toLowerCase() === "index.html")?.path;
  if (otherCase !== undefined) return `${none} Rename ${otherCase}: upper and lower case differ.`;
  if (deeper === undefined) return `${none} Choose the folder that the build wrote.`;
  return `${none} There is one in ${deeper.slice(0, -"index.html".length)}: choose that folder.`;
}

type Hashes = ReadonlyMap<string, FileHashes>;

async function hashAll(files: readonly SourceFile[], onReading: (reading: Reading) => void): Promise<Hashes> {
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const hashes = new Map<string, FileHashes>();
  let bytes = 0;
  const report = () => onReading({ step: "reading", files: hashes.size, bytes, totalFiles: files.length, totalBytes });
  report();
  for (const file of files) {
    hashes.set(
      file.path,
      await hashed(file, (more) => {
        bytes += more;
        report();
      }),
    );
    report();
  }
  return hashes;
}

type Variants = ReadonlyMap<string, Variant>;

/** The variants that save enough, by path. */
async function compressAll(
  files: readonly SourceFile[],
  { encoder, onReading }: Pick<PrepareOptions, "encoder" | "onReading">,
): Promise<Variants> {
  const candidates = files.filter(isCandidate);
  const variants = new Map<string, Variant>();
  if (candidates.length === 0) return variants;
  await loadEncoder(encoder);
  const totalBytes = candidates.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  for (const [index, file] of candidates.entries()) {
    const variant = await variantOf(file, (more) => {
      bytes += more;
      onReading({ step: "compressing", files: index, bytes, totalFiles: candidates.length, totalBytes });
    });
    if (variant) variants.set(file.path, variant);
  }
  return variants;
}

interface ManifestContext {
  readonly raw: readonly string[];
  readonly variants: Variants;
}

function manifestFile({ path, size }: SourceFile, hashes: Hashes, { raw, variants }: ManifestContext): HashedFile {
  const { sha256 = "", head, parts } = hashes.get(path) ?? {};
  const stored = storedEncodingOf(path);
  // A browser without Brotli for scripts cannot tell what is Brotli, which has no magic number: there the name decides.
  const isGzip = head?.[0] === 0x1f && head[1] === 0x8b;
  const isAsStored = stored !== undefined && (matchesPattern(path, raw) || (stored.encoding === "gzip" && !isGzip));
  const br = variants.get(path)?.content;
  return {
    path,
    size,
    sha256,
    ...(isAsStored && { encoding: "identity" as const }),
    ...(parts && { parts }),
    ...(br && { br }),
  };
}

function projectAdvice({ project }: ProjectFile, slug: string): string[] {
  if (project === undefined || project === slug) return [];
  return [`${projectFileName} belongs to the project ${project}; here it is published to ${slug}.`];
}

function buildOf(files: readonly SourceFile[], hashes: Hashes): Build {
  return {
    paths: files.map(({ path }) => path),
    index: () => hashes.get("index.html")?.text,
    sharedMemory: () => files.find(({ path }) => hashes.get(path)?.makesSharedMemory)?.path,
  };
}
