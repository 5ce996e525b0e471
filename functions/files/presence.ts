import type { FileContent } from "./manifests.ts";
import { filesPrefix } from "./object-keys.ts";
import { listObjects } from "./store.ts";

/** As many keys as one list may have. */
const pageSize = 1_000;
const parallelLists = 16;
/** Below this many files, request fewer keys and start no parallel walk. */
const fewFiles = 8;
/** How many keys of other files a short list may contain. They cost less than one more request. */
const roomForOthers = 100;

/**
 * Returns the files that the store lacks, each hash once. A file whose stored length differs counts as missing, because
 * its manifest is wrong.
 *
 * It lists keys instead of asking file by file: a list that begins at a wanted hash covers every hash up to its last key.
 * One list is enough for a project with up to 1,000 files. For a larger one, lists run in parallel, as many as the first
 * list makes likely. There are never more requests than wanted files, and usually far fewer.
 */
export async function findMissing(slug: string, wanted: ReadonlyMap<string, number>): Promise<FileContent[]> {
  const files = [...wanted].map(([sha256, size]) => ({ sha256, size })).sort(byHash);
  const prefix = filesPrefix(slug);
  const { missing, rest } = await ask(prefix, files);
  const walks = Math.max(Math.ceil(rest.length / pageSize), Math.min(parallelLists, listsFor(rest, files)));
  const share = Math.ceil(rest.length / walks);
  const parts = Array.from({ length: walks }, (_, index) => rest.slice(index * share, (index + 1) * share));
  return [...missing, ...(await Promise.all(parts.map((part) => walk(prefix, part)))).flat()];
}

/** How many lists the rest needs if each covers as many wanted files as the first: hashes are spread evenly. */
function listsFor(rest: readonly FileContent[], files: readonly FileContent[]): number {
  return Math.ceil(rest.length / Math.max(fewFiles, files.length - rest.length));
}

function byHash(a: FileContent, b: FileContent): number {
  return a.sha256 < b.sha256 ? -1 : 1;
}

/** Checks the wanted files in the order of their hashes, one list after the other. */
async function walk(prefix: string, wanted: readonly FileContent[]): Promise<FileContent[]> {
  const found: FileContent[] = [];
  let left = wanted;
  while (left.length > 0) {
    const { missing, rest } = await ask(prefix, left);
    found.push(...missing);
    left = rest;
  }
  return found;
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
