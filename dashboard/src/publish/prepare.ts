import { storedEncodingOf } from "../../../contract/api/releases/content-types.ts";
import { mayHaveVariant } from "../../../contract/api/releases/manifest-rules.ts";
import { matchesPattern } from "../../../contract/api/releases/release-settings.ts";
import { adviceFor, type Build, hashedNamesIn, threadsIn } from "../../../contract/folder/build-advice.ts";
import { byPath, isWithin } from "../../../contract/folder/file-rules.ts";
import { isLfsPointer } from "../../../contract/folder/git-lfs.ts";
import { markupOf } from "../../../contract/folder/html.ts";
import { ignoreRulesOf, unmatchedAdvice } from "../../../contract/folder/ignore-rules.ts";
import { headBytes, pictureAdvice, pictureOf } from "../../../contract/folder/picture.ts";
import {
  type ProjectFile,
  ProjectFileProblem,
  parseProjectFile,
  projectFileName,
  unreadSettings,
} from "../../../contract/folder/project-file.ts";
import { bothFound, packingOf, SecretScan, secretAdvice } from "../../../contract/folder/secret-content.ts";
import { guessedNames } from "../../../contract/folder/zip-names.ts";
import { undecidedSettings } from "../../../publisher/beginning.ts";
import { keptWith, settingsFrom, switchesFor } from "../../../publisher/settings.ts";
import { decompression, loadEncoder, type Variant, variantOf } from "./brotli.ts";
import { assertBuilt, assertNoHostFiles, assertNoPointers, assertNoTokens, assertPublishable } from "./checks.ts";
import { withPicture } from "./chosen-picture.ts";
import { type FileHashes, hashed } from "./hash.ts";
import { undecidedAdvice, wordsFor } from "./offers.ts";
import type { Content, Entry, HashedFile, Preparation, PreparedFolder, Reading } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { type SourceFile, textAt } from "./source.ts";

/**
 * Finds out what of a folder is published, by the rules of `svc publish`, hashes it and compresses what players load compressed.
 *
 * @returns what the manifest needs, and the files, variants and indexes by their SHA-256
 * @throws Refusal for a folder that cannot be a release, with a way on if there is one
 */
export async function prepare(
  picked: readonly SourceFile[],
  { slug, encoder, onReading, choices, begun, kept }: PrepareOptions,
): Promise<{ prepared: PreparedFolder; contents: ReadonlyMap<string, SourceFile> }> {
  const all = inFolder(picked, choices.folder ?? "");
  const file = await projectFileOf(all);
  const { files: inIt, secrets, leftOut, unread } = await published(all, file);
  const found = withIndex(inIt, choices.page);
  const isLeftOut = (path: string) => choices.leftOut.some((name) => isWithin(path, name));
  const files = withPicture(
    found.filter(({ path }) => !isLeftOut(path)),
    choices.picture,
    kept.hashes,
  );
  // One that cannot be read says nothing of how the game is built.
  const packageJson = await textAt(files, "package.json").catch(() => undefined);
  assertPublishable(files, packageJson);
  await assertNoHostFiles(files, file);
  const hashes = await hashAll(files, { encoder, onReading, kept });
  const scanned = files.map(({ path }) => ({ path, found: hashes.get(path)?.found }));
  const build = { ...buildOf(files, hashes), packageJson: () => packageJson };
  assertBuilt(build, choices);
  assertNoTokens(scanned);
  assertNoPointers(
    files.map(({ path }) => ({ path, isLfsPointer: isLfsPointer(hashes.get(path)?.head ?? new Uint8Array()) })),
  );
  const isCompressed = ({ path }: SourceFile) => !matchesPattern(path, file.uncompressed ?? []);
  const variants = await compressAll(files.filter(isCompressed), { encoder, onReading, kept });
  const hashedNames = hashedNamesIn(build.paths)?.pattern;
  const sources = { ...begun, file, choices, threads: threadsIn(build), hashedNames };
  const switches = switchesFor(sources);
  const settings = settingsFrom(switches, sources);
  const prepared: PreparedFolder = {
    files: files.map((one) => manifestFile(one, hashes, { raw: file.raw ?? [], variants })),
    settings,
    switches,
    choices: keptWith(choices, switches.isolation),
    entries: entriesOf(found, isLeftOut),
    title: titleOf(build.index()),
    picture: choices.picture?.path ?? (await pictureOf({ files, read: (path) => beginningOf(files, path) })),
    warnings: [
      ...projectAdvice(file, slug),
      ...unread,
      ...guessedNames(files),
      ...secretAdvice(scanned),
      ...pictureAdvice(files),
      ...adviceFor(build, settings, wordsFor(file)),
      ...undecidedAdvice(undecidedSettings(begun, { file, choices, next: settings }), begun.undecidedPaths),
    ],
    secrets,
    leftOut,
  };
  const ofVariants = [...variants.values()].map(({ source, hashes: own }) => [source, own] as const);
  const ofFiles = files.map((one) => [one, hashes.get(one.path)] as const);
  const contents = [...ofVariants, ...ofFiles].flatMap(([source, own]) =>
    own ? [[own.sha256, source] as const, ...(own.index ? [[own.index.sha256, own.index] as const] : [])] : [],
  );
  return { prepared, contents: new Map(contents) };
}

interface PrepareOptions extends Preparation {
  /** The module of the Brotli encoder, or its URL; loaded only if something is compressed. */
  readonly encoder: Parameters<typeof loadEncoder>[0];
  onReading(reading: Reading): void;
  readonly kept: Kept;
}

/** Facts about files from an earlier preparation of the same selection, by how each is read: its path may be another one. */
export interface Kept {
  readonly hashes: Map<SourceFile["stream"], FileHashes>;
  readonly variants: Map<SourceFile["stream"], Variant | undefined>;
}

function inFolder(all: readonly SourceFile[], folder: string): readonly SourceFile[] {
  return all
    .filter(({ path }) => path.startsWith(folder))
    .map((file) => ({ ...file, path: file.path.slice(folder.length) }));
}

/** Files with this page as index.html, unless there is one. */
function withIndex(files: readonly SourceFile[], page: string | undefined): readonly SourceFile[] {
  if (files.some(({ path }) => path === "index.html")) return files;
  return files.map((file) => (file.path === page ? { ...file, path: "index.html" } : file)).sort(byPath);
}

function entriesOf(files: readonly SourceFile[], isLeftOut: (path: string) => boolean): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { path, size } of files) {
    const name = path.includes("/") ? path.slice(0, path.indexOf("/") + 1) : path;
    const { files: count = 0, bytes = 0 } = entries.get(name) ?? {};
    entries.set(name, { name, files: count + 1, bytes: bytes + size, isLeftOut: isLeftOut(name) });
  }
  return [...entries.values()];
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

/** Beginning of a page, which names the game's picture; empty if it cannot be read. */
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

/** Files that are published, after `dir` and `ignore` of svc.toml, .svcignore and the built-in rules. */
async function published(all: readonly SourceFile[], { dir = ".", ignore = [] }: ProjectFile) {
  const segments = dir.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..") || dir.startsWith("/"))
    throw new Refusal(
      `${projectFileName} names a folder outside of this one (dir = "${dir}"). Choose that folder itself.`,
    );
  const prefix = segments.map((segment) => `${segment}/`).join("");
  const ignoreFiles = [...new Set([".svcignore", `${prefix}.svcignore`])];
  const texts = await Promise.all(ignoreFiles.map((path) => textAt(all, path)));
  const rules = ignoreRulesOf({ settings: ignore, ignoreFiles: texts.filter((text) => text !== undefined) });
  const files = inFolder(all, prefix);
  // The rules take no path that leaves the folder; what is wrong with it is said below.
  const verdicts = files.map(({ path }) => (isOrdinary(path) ? rules.judge(path) : "publish"));
  const of = (verdict: string) => files.filter((_, index) => verdicts[index] === verdict);
  return {
    files: of("publish").sort(byPath),
    secrets: of("secret").map(({ path }) => path),
    leftOut: of("ignored").length,
    unread: [
      ...unreadSettings(
        of("ignored").map(({ path }) => path),
        prefix === "",
      ),
      ...unmatchedAdvice(rules),
    ],
  };
}

function isOrdinary(path: string): boolean {
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

type Hashes = ReadonlyMap<string, FileHashes>;

async function hashAll(
  files: readonly SourceFile[],
  { encoder, onReading, kept }: Pick<PrepareOptions, "encoder" | "onReading" | "kept">,
): Promise<Hashes> {
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const hashes = new Map<string, FileHashes>();
  let bytes = 0;
  const report = () => onReading({ step: "reading", bytes, totalFiles: files.length, totalBytes });
  report();
  for (const file of files) {
    const before = kept.hashes.get(file.stream);
    const own =
      before ??
      (await withUnpacked(
        file,
        await hashed(file, (more) => {
          bytes += more;
          report();
        }),
        encoder,
      ));
    if (before) bytes += file.size;
    kept.hashes.set(file.stream, own);
    hashes.set(file.path, own);
    report();
  }
  return hashes;
}

/**
 * With the secrets in what a compressed file unpacks to, up to the first byte that cannot be unpacked. Brotli has no magic number: whether
 * a file is what its name promises only unpacking tells.
 */
async function withUnpacked(
  file: SourceFile,
  own: FileHashes,
  encoder: PrepareOptions["encoder"],
): Promise<FileHashes> {
  const packing = packingOf(file.path, own.head);
  if (packing === undefined) return own;
  const scan = new SecretScan({ path: packing.innerPath });
  if (packing.encoding === "br") await loadEncoder(encoder);
  const unpack = packing.encoding === "gzip" ? new DecompressionStream("gzip") : decompression();
  const reader = file
    .stream()
    .pipeThrough<Uint8Array>(unpack as ReadableWritablePair<Uint8Array, Uint8Array>)
    .getReader();
  let isDamaged = false;
  try {
    for (let [isWanted, piece] = [true, await reader.read()]; isWanted && !piece.done; piece = await reader.read())
      isWanted = scan.update(piece.value);
    await reader.cancel();
  } catch {
    // Hashing has read the file: its name promises what its bytes are not.
    isDamaged = true;
  }
  const isNoBrotli = isDamaged && packing.encoding === "br";
  return { ...own, found: bothFound(own.found, scan.found()), ...(isNoBrotli && { isNoBrotli }) };
}

type Variants = ReadonlyMap<string, Variant>;

/** The variants that save enough, by path. */
async function compressAll(
  files: readonly SourceFile[],
  { encoder, onReading, kept }: Pick<PrepareOptions, "encoder" | "onReading" | "kept">,
): Promise<Variants> {
  const candidates = files.filter(mayHaveVariant);
  const variants = new Map<string, Variant>();
  if (candidates.length === 0) return variants;
  await loadEncoder(encoder);
  const totalBytes = candidates.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  for (const file of candidates) {
    if (!kept.variants.has(file.stream))
      kept.variants.set(
        file.stream,
        await variantOf(file, (more) => {
          bytes += more;
          onReading({ step: "compressing", bytes, totalFiles: candidates.length, totalBytes });
        }),
      );
    const variant = kept.variants.get(file.stream);
    if (variant) variants.set(file.path, variant);
  }
  return variants;
}

interface ManifestContext {
  readonly raw: readonly string[];
  readonly variants: Variants;
}

function manifestFile({ path, size }: SourceFile, hashes: Hashes, { raw, variants }: ManifestContext): HashedFile {
  const own = hashes.get(path);
  const stored = storedEncodingOf(path);
  const isGzip = own?.head[0] === 0x1f && own.head[1] === 0x8b;
  const isEncoded = stored?.encoding === "gzip" ? isGzip : !own?.isNoBrotli;
  const isAsStored = stored !== undefined && (matchesPattern(path, raw) || !isEncoded);
  const br = variants.get(path);
  return {
    path,
    ...contentOf(size, own),
    ...(isAsStored && { encoding: "identity" as const }),
    ...(br && { br: contentOf(br.source.size, br.hashes) }),
  };
}

function contentOf(size: number, { sha256, parts, index }: Partial<FileHashes> = {}): Content {
  return {
    size,
    sha256: sha256 ?? "",
    ...(parts && { parts }),
    ...(index && { index: { size: index.size, sha256: index.sha256 } }),
  };
}

/** The title of a page, in one line, if it says something about the game. */
function titleOf(page = ""): string | undefined {
  const [, text = ""] = /<title\b[^<>]*>([^<]{0,200})</i.exec(markupOf(page)) ?? [];
  const title = text.replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
  return title === "" || /^(?:document|index|untitled|vite\b.*|new project)$/i.test(title)
    ? undefined
    : title.slice(0, 80);
}

function projectAdvice({ project }: ProjectFile, slug: string | undefined): string[] {
  if (project === undefined || slug === undefined || project === slug) return [];
  return [`${projectFileName} belongs to the project ${project}; here it is published to ${slug}.`];
}

function buildOf(files: readonly SourceFile[], hashes: Hashes): Omit<Build, "packageJson"> {
  return {
    paths: files.map(({ path }) => path),
    index: () => hashes.get("index.html")?.text,
    sharedMemory: () => files.find(({ path }) => hashes.get(path)?.makesSharedMemory)?.path,
  };
}
