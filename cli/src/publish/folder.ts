import * as fs from "node:fs";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { limits } from "../../../contract/api/limits.ts";
import { type EntryPage, insteadOfIndex } from "../../../contract/folder/entry-page.ts";
import { byPath, fileProblems } from "../../../contract/folder/file-rules.ts";
import type { Judge } from "../../../contract/folder/ignore-rules.ts";
import { noGameIn } from "../../../contract/folder/no-game.ts";
import { sourceIn } from "../../../contract/folder/source-folder.ts";
import { UserError } from "../errors.ts";
import { readSmallFile } from "../small-file.ts";
import { hasErrorCode, systemReason } from "../system-error.ts";
import { grouped, humanBytes } from "../text.ts";
import { refuseHostFiles } from "./host-files.ts";
import { quoted, sourceError } from "./unconfirmed.ts";

/** A file to publish, as it was when the folder was read. */
export interface LocalFile {
  /** Path in the release: relative, `/`-separated, Unicode normalisation form C. */
  readonly path: string;
  /** Path on this machine, with all links resolved. */
  readonly location: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface FolderContent {
  /** Sorted by path. */
  readonly files: readonly LocalFile[];
  /** Paths that are not published because the name says that they may contain a secret. */
  readonly secrets: readonly string[];
  /** Paths that another rule excludes; folders end in `/`. */
  readonly ignored: readonly string[];
  /** The folders that were read, as paths on this machine with all links resolved. */
  readonly folders: readonly string[];
  /** Warnings, one sentence each. */
  readonly advice?: readonly string[];
}

/** Signal and progress of reading. */
export interface Reading {
  readonly signal: AbortSignal;
  /** Called now and then with how many more files were found. */
  onFiles(count: number): void;
}

/** Options for reading a folder. */
export interface FolderOptions {
  /** The file at the top that is published as index.html. */
  readonly page?: string | undefined;
}

/**
 * Lists the files of a folder that are published, or takes a single page as the index.html of a release. Follows symbolic links within the folder. Stops at the first limit that the
 * folder exceeds, and lets signals and timers run in between.
 *
 * @throws UserError for a folder that cannot be a release: missing, empty, without index.html, with a link to the outside,
 *   with settings of another host, with a path or a size that the API would refuse, too large; the signal's reason if it aborts
 */
export async function readFolder(
  folder: string,
  judge: Judge,
  reading: Reading,
  { page = "index.html" }: FolderOptions = {},
): Promise<FolderContent> {
  if (isPage(folder)) return readPage(folder);
  const root = realFolder(folder);
  requireIndex(folder, root, { page, judge });
  const pause = pauses(reading);
  const files: LocalFile[] = [];
  const secrets: string[] = [];
  const problems: string[] = [];
  const ignored: string[] = [];
  const folders: string[] = [];
  let bytes = 0;

  /** `realPrefix` is `prefix` with all links resolved, so that a rule for a folder also applies if a link names it. */
  const visit = async (directory: string, { prefix, realPrefix }: Prefixes, above: readonly string[]) => {
    folders.push(directory);
    for (const entry of listFolder(directory, prefix, problems)) {
      await pause(files.length);
      if (problems.length > mostProblems) throw refused(folder, problems);
      const relative = prefix + entry.name;
      const found = entry.isSymbolicLink() ? followLink(root, path.join(directory, entry.name)) : undefined;
      if (typeof found === "string") {
        if (judge(relative) === "publish") problems.push(`${relative}: ${found}`);
        continue;
      }
      const location = found?.location ?? path.join(directory, entry.name);
      const isDirectory = found?.isDirectory ?? entry.isDirectory();
      const realRelative = found?.relative ?? realPrefix + entry.name;
      const verdict = strictest(judge, isDirectory, relative, realRelative);
      if (verdict === "secret") secrets.push(isDirectory ? `${relative}/` : relative);
      else if (verdict === "ignored") ignored.push(isDirectory ? `${relative}/` : relative);
      else if (isDirectory && above.includes(location))
        problems.push(`${relative}: links back to a folder that it is in`);
      else if (isDirectory)
        await visit(location, { prefix: `${relative}/`, realPrefix: `${realRelative}/` }, [...above, location]);
      else addFile(relative, location);
    }
  };
  const addFile = (relative: string, location: string) => {
    const status = fs.lstatSync(location, { throwIfNoEntry: false });
    if (status === undefined) problems.push(`${relative}: ${vanished}`);
    else if (!status.isFile()) problems.push(`${relative}: is no regular file`);
    else {
      const { size, mtimeMs } = status;
      const published = relative === page ? "index.html" : relative.normalize("NFC");
      files.push({ path: published, location, size, mtimeMs });
      bytes += size;
      assertWithinLimits(folder, files.length, bytes);
    }
  };
  await visit(root, { prefix: "", realPrefix: "" }, [root]);

  files.sort(byPath);
  checkFiles(folder, files, problems);
  refuseHostFiles(folder, files);
  return { files, secrets: secrets.sort(), ignored: ignored.sort(), folders };
}

/** Why a listed name does not exist: it was removed, or Node changed bytes of it that are not UTF-8. */
const vanished = "was removed, or has a name that is not UTF-8";

function listFolder(directory: string, prefix: string, problems: string[]): fs.Dirent[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const why = hasErrorCode(error, "ENOENT") ? vanished : `cannot be read: ${systemReason(error)}`;
    problems.push(`${prefix || "."}: ${why}`);
    return [];
  }
}

function realFolder(folder: string): string {
  const status = fs.statSync(folder, { throwIfNoEntry: false });
  if (status?.isDirectory()) return fs.realpathSync(folder);
  throw new UserError(`${folder} ${status === undefined ? "does not exist" : "is not a folder"}.`, {
    code: "folder_not_found",
    next: "Build the game first, or give its folder: svc publish DIR",
  });
}

/** The target of a link, or why the link is refused. */
function followLink(root: string, link: string): { location: string; relative: string; isDirectory: boolean } | string {
  try {
    const location = fs.realpathSync(link);
    const relative = path.relative(root, location);
    if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
      return "is a symbolic link that leaves the folder";
    return { location, relative: relative.split(path.sep).join("/"), isDirectory: fs.statSync(location).isDirectory() };
  } catch {
    return "is a symbolic link that leads nowhere";
  }
}

/** The path of a folder, with `/` at the end: in the release, and with all links resolved. */
interface Prefixes {
  readonly prefix: string;
  readonly realPrefix: string;
}

/** A file behind a link is published only if the rules allow both its path in the release and its real path. */
function strictest(judge: Judge, isDirectory: boolean, relative: string, realRelative: string) {
  const own = judge(isDirectory ? `${relative}/` : relative);
  if (own !== "publish" || realRelative === "" || realRelative === relative) return own;
  return judge(isDirectory ? `${realRelative}/` : realRelative);
}

/** @throws UserError if these files cannot be a release */
export function checkFiles(
  folder: string,
  files: readonly Pick<LocalFile, "path" | "size">[],
  problems: string[],
): void {
  problems.push(...fileProblems(files));
  if (problems.length > 0) throw refused(folder, problems);
  if (files.length === 0)
    throw new UserError(`${folder} has no files to publish.`, { code: "folder_empty", next: "Build the game first." });
  if (!files.some(({ path: name }) => name === "index.html")) throw new NoIndexError(folder, undefined);
}

/** @throws UserError if the file is too large */
function readPage(page: string): FolderContent {
  const location = fs.realpathSync(page);
  const { size, mtimeMs } = fs.statSync(location);
  const files = [{ path: "index.html", location, size, mtimeMs }];
  checkFiles(page, files, []);
  return { files, secrets: [], ignored: [], folders: [] };
}

/** Before the folder is read: a home directory or a whole disk is refused at once. */
function requireIndex(folder: string, root: string, { page, judge }: { page: string; judge: Judge }): void {
  const top = listFolder(root, "", []);
  if (top.length === 0 || top.some(({ name }) => name === page)) return;
  throw noIndex(folder, someFiles(root, judge));
}

/** The paths near the top: enough to find what a build wrote, and few enough for a home directory. */
function someFiles(root: string, judge: Judge): string[] {
  const found: string[] = [];
  let folders = [""];
  for (let [depth, entries] = [0, 0]; depth < 4 && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const prefix of folders)
      for (const entry of entries > mostEntries ? [] : listFolder(path.join(root, prefix), prefix, [])) {
        entries += 1;
        const relative = prefix + entry.name;
        const isDirectory = entry.isDirectory();
        if (judge(isDirectory ? `${relative}/` : relative) !== "publish") continue;
        if (isDirectory) below.push(`${relative}/`);
        else found.push(relative);
      }
    folders = below;
  }
  return found;
}

const mostEntries = 2_000;

/** The error for a folder or zip without index.html: what it has instead. */
export function noIndex(folder: string, paths: readonly string[]): UserError {
  const found = insteadOfIndex(paths);
  const packageJson = () =>
    isZip(folder)
      ? undefined
      : readSmallFile(
          path.join(folder, "package.json"),
          (why) => new UserError(`package.json ${why}`, { code: "folder_unreadable" }),
        );
  const source =
    found === undefined && paths.includes("package.json")
      ? sourceIn({ paths, index: () => undefined, packageJson })
      : undefined;
  if (source) return sourceError(folder, source);
  const noGame = found === undefined ? noGameIn(paths) : undefined;
  if (noGame === undefined) return new NoIndexError(folder, found);
  const { code, what, next } = noGame;
  return new UserError(`${folder} ${what}. Nothing was sent.`, { code, next });
}

/** A folder without index.html at its top. */
export class NoIndexError extends UserError {
  /** The file that can be it. */
  readonly page: string | undefined;

  constructor(folder: string, found: EntryPage | undefined) {
    const none = `${folder} has no index.html, the page that visitors open first`;
    const page = found !== undefined && "page" in found ? found.page : undefined;
    const deeper = found !== undefined && "folder" in found ? path.join(folder, found.folder, ".") : undefined;
    const there = page === undefined ? deeper && `; there is one in ${deeper}` : `, but ${page}`;
    super(`${none}${there ?? ""}. Nothing was sent.`, {
      code: "no_index_html",
      next: isZip(folder)
        ? "Unpack it and publish the folder that has the page, or pack that folder with the page as index.html."
        : page === undefined
          ? `Give the folder that the build wrote: svc publish ${quoted(deeper ?? "DIR")}`
          : `Rename it to index.html, or publish this page alone: svc publish ${quoted(path.join(folder, page))}`,
    });
    this.page = page;
  }
}

/** Whether what is published is one page, and not a folder. */
export function isPage(folder: string): boolean {
  return /\.x?html?$/i.test(folder) && fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether what is published is a zip file, and not a folder with such a name. */
export function isZip(folder: string): boolean {
  return /\.zip$/i.test(folder) && fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
}

/** Problems that are kept. More do not help anybody, and take memory. */
const mostProblems = 1_000;

function refused(folder: string, places: readonly string[]): UserError {
  return new UserError(`${folder} cannot be published; nothing was sent.`, {
    code: "folder_refused",
    places,
    next: "Rename or remove these files, or exclude them with .svcignore.",
  });
}

/** @throws UserError */
export function assertWithinLimits(folder: string, files: number, bytes: number): void {
  if (files > limits.filesPerRelease)
    throw new UserError(
      `${folder} has more than ${grouped(limits.filesPerRelease)} files, the limit. Nothing was sent.`,
      {
        code: "too_many_files",
        next: "Pack small files together, or exclude some with .svcignore.",
      },
    );
  if (bytes > limits.bytesPerRelease)
    throw new UserError(`${folder} has more than ${humanBytes(limits.bytesPerRelease)}, the limit. Nothing was sent.`, {
      code: "folder_too_large",
      next: "Exclude what players do not load with .svcignore.",
    });
}

/** A function to call often: after each {@link pauseAfterMilliseconds} it lets signals and timers run. */
function pauses({ signal, onFiles }: Reading): (files: number) => Promise<void> | undefined {
  let [last, shown] = [performance.now(), 0];
  return (files) => {
    if (performance.now() - last < pauseAfterMilliseconds) return undefined;
    onFiles(files - shown);
    shown = files;
    return setImmediate().then(() => {
      signal.throwIfAborted();
      last = performance.now();
    });
  };
}

const pauseAfterMilliseconds = 50;
