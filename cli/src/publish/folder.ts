import * as fs from "node:fs";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileProblems } from "../../../contract/folder/file-rules.ts";
import type { Judge } from "../../../contract/folder/ignore-rules.ts";
import { assertWithinLimits, noIndex } from "../../../publisher/checks.ts";
import { Refused } from "../../../publisher/refused.ts";
import type { Selection } from "../../../publisher/selection.ts";
import { UserError } from "../errors.ts";
import { readSmallFile } from "../small-file.ts";
import { hasErrorCode, systemReason } from "../system-error.ts";
import { asLocalFile, type LocalFile, localFile } from "./local-file.ts";

export interface FolderContent extends Selection<LocalFile> {
  /** The folders that were read, as paths on this machine with all links resolved. */
  readonly folders: readonly string[];
}

/** Signal and progress of reading. */
export interface Reading {
  readonly signal: AbortSignal;
  /** Called now and then with how many more files were found. */
  onFiles(count: number): void;
}

/**
 * Lists the files of a folder that are published, or takes a single page as the index.html of a release. Follows symbolic links within the
 * folder. Stops at the first limit that the folder exceeds, and lets signals and timers run in between.
 *
 * @param page the file at the top that is published as index.html
 * @throws UserError for a folder that is missing; Refused for one that cannot be a release: without index.html, with a link to the
 *   outside, too large; the signal's reason if it aborts
 */
export async function readFolder(
  folder: string,
  judge: Judge,
  reading: Reading,
  page = "index.html",
): Promise<FolderContent> {
  if (isPage(folder)) return readPage(folder);
  const root = realFolder(folder);
  requireIndex(root, { page, judge });
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
      if (problems.length > maxProblems) throw refused(problems);
      const relative = prefix + entry.name;
      const link = entry.isSymbolicLink() ? followLink(root, path.join(directory, entry.name)) : undefined;
      if (typeof link === "string") {
        if (judge(relative) === "publish") problems.push(`${relative}: ${link}`);
        continue;
      }
      const location = link?.location ?? path.join(directory, entry.name);
      const isDirectory = link?.isDirectory ?? entry.isDirectory();
      const realRelative = link?.relative ?? realPrefix + entry.name;
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
      files.push(asLocalFile({ path: relative.normalize("NFC"), location, size, mtimeMs }));
      bytes += size;
      assertWithinLimits({ files: files.length, bytes });
    }
  };
  await visit(root, { prefix: "", realPrefix: "" }, [root]);

  if (problems.length > 0) throw refused([...problems, ...fileProblems(files)]);
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
  const verdict = judge(isDirectory ? `${relative}/` : relative);
  if (verdict !== "publish" || realRelative === "" || realRelative === relative) return verdict;
  return judge(isDirectory ? `${realRelative}/` : realRelative);
}

function readPage(page: string): FolderContent {
  return { files: [localFile("index.html", fs.realpathSync(page))], secrets: [], ignored: [], folders: [] };
}

/** Before the folder is read: a home directory or a whole disk is refused at once. */
function requireIndex(root: string, { page, judge }: { page: string; judge: Judge }): void {
  const top = listFolder(root, "", []);
  if (top.length === 0 || top.some(({ name }) => name === page)) return;
  const packageJson = readSmallFile(
    path.join(root, "package.json"),
    (why) => new UserError(`package.json ${why}`, { code: "folder_unreadable" }),
  );
  throw noIndex(someFiles(root, judge), packageJson);
}

/** The paths near the top: enough to find what a build wrote, and few enough for a home directory. */
function someFiles(root: string, judge: Judge): string[] {
  const paths: string[] = [];
  let folders = [""];
  for (let [depth, entries] = [0, 0]; depth < 4 && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const prefix of folders)
      for (const entry of entries > maxEntries ? [] : listFolder(path.join(root, prefix), prefix, [])) {
        entries += 1;
        const relative = prefix + entry.name;
        const isDirectory = entry.isDirectory();
        if (judge(isDirectory ? `${relative}/` : relative) !== "publish") continue;
        if (isDirectory) below.push(`${relative}/`);
        else paths.push(relative);
      }
    folders = below;
  }
  return paths;
}

const maxEntries = 2_000;

/** Whether what is published is one page, and not a folder. */
export function isPage(folder: string): boolean {
  return /\.x?html?$/i.test(folder) && fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether what is published is a zip file, and not a folder with such a name. */
export function isZip(folder: string): boolean {
  return /\.zip$/i.test(folder) && fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
}

/** Problems that are kept. More do not help anybody, and take memory. */
const maxProblems = 1_000;

function refused(places: readonly string[]): Refused {
  return new Refused({ code: "folder_refused" }, { places });
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
