import { olderFileHeader } from "../../../contract/api/headers.ts";
import { limits } from "../../../contract/api/limits.ts";
import { type FileContent, readManifest } from "../../files/manifests.ts";
import { fileKey } from "../../files/object-keys.ts";
import { programUrl } from "../../files/store.ts";
import type { ProjectActor } from "../authentication.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { assertNotWithdrawn, findVisible } from "./releases.ts";

/** A folder of a release, with all that is in it, at any depth. */
export interface ReleaseFolder {
  /** It ends with a slash. */
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

interface SizedFile extends Pick<FileContent, "size" | "sha256"> {
  readonly path: string;
}

/** A file of a release, and where a person of the project loads it from. */
export interface ReleaseFile extends SizedFile {
  /** Null if it may be missing, or nobody may have it. */
  readonly url: string | null;
}

export interface ReleaseFiles {
  readonly folders: readonly ReleaseFolder[];
  readonly files: readonly ReleaseFile[];
  readonly nextCursor: string | null;
}

interface FilesQuery extends Page {
  readonly releaseId: string;
  /** Only this folder, `""` is the one of all; undefined: every file. */
  readonly folder?: string | undefined;
}

/**
 * One page of a release's files. Only what was once public has URLs: an open release may lack files, and a suspended project's are given to
 * nobody.
 *
 * @throws ServiceError `release_not_found`, `release_withdrawn`, `invalid_cursor`
 */
export async function listFiles(actor: ProjectActor, query: FilesQuery, now: Date): Promise<ReleaseFiles> {
  const { releaseId, folder } = query;
  const { slug, suspension } = actor.project;
  const list = `files of ${releaseId} in ${folder ?? "all"}`;
  // A manifest never changes, so a place in it is where the next page begins.
  const { limit, after } = sliceOf(query, list);
  const release = await findVisible(actor, releaseId, now);
  assertNotWithdrawn(release);
  const all = (await readManifest(slug, release.manifest)).list();
  const { folders, files } = folder === undefined ? { folders: [], files: all } : filesIn(folder, all);
  const start = Number(after ?? 0);
  const end = start + limit;
  const isDownloadable = release.publishedAt !== undefined && suspension === undefined;
  const urlOf = ({ sha256 }: SizedFile) =>
    isDownloadable ? programUrl(fileKey(slug, sha256), { [olderFileHeader]: "1" }, limits.readUrlSeconds, now) : null;
  const shown = files.slice(Math.max(0, start - folders.length), Math.max(0, end - folders.length));
  return {
    folders: folders.slice(start, end),
    files: shown.map(({ path, size, sha256 }) => ({ path, size, sha256, url: urlOf({ path, size, sha256 }) })),
    nextCursor: cursorAfter(end < folders.length + files.length ? String(end) : undefined, list),
  };
}

/**
 * The folders and the files of a folder, by the paths of all files, each in their order.
 *
 * @internal
 */
export function filesIn<File extends SizedFile>(
  folder: string,
  all: readonly File[],
): { readonly folders: readonly ReleaseFolder[]; readonly files: readonly File[] } {
  const files: File[] = [];
  const folders = new Map<string, { path: string; files: number; bytes: number }>();
  for (const file of all) {
    if (!file.path.startsWith(folder)) continue;
    const end = file.path.indexOf("/", folder.length);
    if (end === -1) {
      files.push(file);
      continue;
    }
    const path = file.path.slice(0, end + 1);
    const sums = folders.get(path) ?? { path, files: 0, bytes: 0 };
    folders.set(path, { path, files: sums.files + 1, bytes: sums.bytes + file.size });
  }
  return { folders: [...folders.values()], files };
}
