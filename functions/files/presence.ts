import type { FileContent } from "./manifests.ts";
import { filesPrefix } from "./object-keys.ts";
import { listObjects } from "./store.ts";

/** As many keys as one list may have. */
const pageSize = 1_000;
const sideBySide = 16;
/** Worth no walk of their own, nor a whole page of keys. */
const fewFiles = 8;
/** Keys of other files that a list has room for: they cost little against one more request. */
const roomForOthers = 100;

/**
 * Those of the files that the store does not hold, each hash once. One whose stored length is another does not count as
 * held: its manifest lies.
 *
 * Asks with lists, not file by file: a list that begins at a wanted hash tells of all that lie between it and its last
 * key. One list suffices for a project that holds up to 1,000 files; beyond them walks go side by side, as many as the
 * first list lets expect. So there are never more requests than wanted files, and far fewer where the project does not
 * hold many times as many others.
 */
export async function findMissing(slug: string, wanted: ReadonlyMap<string, number>): Promise<FileContent[]> {
  const files = [...wanted].map(([sha256, size]) => ({ sha256, size })).sort(byHash);
  const prefix = filesPrefix(slug);
  const { missing, rest } = await ask(prefix, files);
  const walks = Math.max(Math.ceil(rest.length / pageSize), Math.min(sideBySide, listsFor(rest, files)));
  const share = Math.ceil(rest.length / walks);
  const parts = Array.from({ length: walks }, (_, index) => rest.slice(index * share, (index + 1) * share));
  return [...missing, ...(await Promise.all(parts.map((part) => walk(prefix, part)))).flat()];
}

/** How many lists the rest needs if each tells of as many wanted files as the first: hashes lie evenly. */
function listsFor(rest: readonly FileContent[], files: readonly FileContent[]): number {
  return Math.ceil(rest.length / Math.max(fewFiles, files.length - rest.length));
}

function byHash(a: FileContent, b: FileContent): number {
  return a.sha256 < b.sha256 ? -1 : 1;
}

/** Goes through the wanted files in the order of their hashes, from list to list. */
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

/** Asks with one list from the first of the wanted files on: a whole page, unless they are few. */
async function ask(prefix: string, wanted: readonly FileContent[]): Promise<ListedPart> {
  const [first] = wanted;
  if (first === undefined) return { missing: [], rest: [] };
  const maximum = wanted.length > fewFiles ? pageSize : wanted.length + roomForOthers;
  const { objects, isTruncated } = await listObjects({
    prefix,
    // One character less sorts right before the hash itself.
    startAfter: prefix + first.sha256.slice(0, -1),
    maximum,
  });
  const held = new Map(objects.map(({ key, size }) => [key.slice(prefix.length), size]));
  const last = isTruncated ? objects.at(-1)?.key.slice(prefix.length) : undefined;
  // At least one, so that it ends whatever the store answers: a file that it does not name counts as missing.
  const end = last === undefined ? wanted.length : Math.max(countUpTo(wanted, last), 1);
  const missing = wanted.slice(0, end).filter(({ sha256, size }) => held.get(sha256) !== size);
  return { missing, rest: wanted.slice(end) };
}

function countUpTo(files: readonly FileContent[], last: string): number {
  const index = files.findIndex(({ sha256 }) => sha256 > last);
  return index === -1 ? files.length : index;
}
