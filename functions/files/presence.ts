import { batchesOf } from "../batches-of.ts";
import type { FileContent } from "./manifests.ts";
import { filesPrefix } from "./object-keys.ts";
import { listObjects } from "./store.ts";

/** Keys in one list of S3, its maximum. */
const pageSize = 1_000;
const parallelLists = 16;
/** Below this many files, request fewer keys. */
const fewFiles = 8;
/** Keys of other files that a short list may contain. They cost less than one more request. */
const roomForOthers = 100;
/** Hashes are spread evenly, but not exactly: a list covers a little less than its share of the objects. */
const unevenness = 1.1;

/** The project whose files are listed. */
interface ListedProject {
  readonly slug: string;
  /** At least as many as are stored, if that is known; only a hint at how many lists to begin with. */
  readonly usedObjects?: number | undefined;
}

/**
 * Returns the files that the store lacks, each hash once. A file whose stored length differs counts as missing, because
 * its manifest is wrong.
 *
 * It lists keys instead of asking file by file: a list that begins at a wanted hash covers every hash up to its last key.
 * As many lists as the project has objects for are requested at once, so that a store far away is waited for once; those that
 * did not reach their last file are continued the same way. There are never more requests than wanted files, and usually far
 * fewer: a HEAD for each of 20,000 files costs $0.008, and 20 lists cost $0.0001. Lists are strongly consistent.
 *
 * @param prefix the folder that is listed
 */
export async function findMissing(
  { slug, usedObjects = 0 }: ListedProject,
  wanted: ReadonlyMap<string, number>,
  prefix = filesPrefix(slug),
): Promise<FileContent[]> {
  const missing: FileContent[] = [];
  let left = [...wanted].map(([sha256, size]) => ({ sha256, size })).sort(byHash);
  let lists = Math.ceil((usedObjects * unevenness) / pageSize);
  while (left.length > 0) {
    const maxParts = Math.max(parallelLists, Math.ceil(left.length / pageSize));
    const parts = batchesOf(left, Math.ceil(left.length / Math.max(1, Math.min(lists, maxParts))));
    const listed = await Promise.all(parts.map((part) => ask(prefix, part)));
    missing.push(...listed.flatMap((part) => part.missing));
    const rest = listed.flatMap((part) => part.rest);
    // If each list covers as many wanted files as those of this round did.
    const covered = Math.ceil((left.length - rest.length) / parts.length);
    lists = Math.ceil(rest.length / Math.max(fewFiles, covered));
    left = rest;
  }
  return missing;
}

function byHash(a: FileContent, b: FileContent): number {
  return a.sha256 < b.sha256 ? -1 : 1;
}

interface ListedPart {
  readonly missing: readonly FileContent[];
  /** Those that the list did not reach. */
  readonly rest: readonly FileContent[];
}

/** Requests one list that begins at the first wanted file: a whole page, unless few files are wanted. */
async function ask(prefix: string, wanted: readonly FileContent[]): Promise<ListedPart> {
  const [first] = wanted;
  if (first === undefined) return { missing: [], rest: [] };
  const maximum = wanted.length > fewFiles ? pageSize : wanted.length + roomForOthers;
  const { objects, isTruncated } = await listObjects({
    prefix,
    // Without its last character, a hash sorts directly before itself.
    startAfter: prefix + first.sha256.slice(0, -1),
    maximum,
  });
  const held = new Map(objects.map(({ key, size }) => [key.slice(prefix.length), size]));
  const last = isTruncated ? objects.at(-1)?.key.slice(prefix.length) : undefined;
  // At least one, so that the loop ends whatever the store responds: a file that is not listed counts as missing.
  const end = last === undefined ? wanted.length : Math.max(countUpTo(wanted, last), 1);
  const missing = wanted.slice(0, end).filter(({ sha256, size }) => held.get(sha256) !== size);
  return { missing, rest: wanted.slice(end) };
}

function countUpTo(files: readonly FileContent[], last: string): number {
  const index = files.findIndex(({ sha256 }) => sha256 > last);
  return index === -1 ? files.length : index;
}
