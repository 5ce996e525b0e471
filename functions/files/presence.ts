import type { FileContent } from "./manifests.ts";
import { filesPrefix } from "./object-keys.ts";
import { listObjects } from "./store.ts";

/** As many keys as one list may have. */
const pageSize = 1_000;
const sideBySide = 16;
const filesPerWalk = 8;
/** Keys of other files that a list has room for: they cost little against one more request. */
const roomForOthers = 100;

/**
 * Those of the files that the store does not hold, each hash once. One whose stored length is another does not count as
 * held: its manifest lies.
 *
 * Asks with lists, not file by file: a list that begins at a wanted hash tells of all that lie between it and its last
 * key. So there are never more requests than wanted files, and far fewer where the project does not hold many times as
 * many others.
 */
export async function findMissing(slug: string, wanted: ReadonlyMap<string, number>): Promise<FileContent[]> {
  const files = [...wanted].map(([sha256, size]) => ({ sha256, size })).sort(byHash);
  const walks = Math.max(
    Math.ceil(files.length / pageSize),
    Math.min(sideBySide, Math.ceil(files.length / filesPerWalk)),
  );
  const share = Math.ceil(files.length / walks);
  const parts = Array.from({ length: walks }, (_, index) => files.slice(index * share, (index + 1) * share));
  return (await Promise.all(parts.map((part) => walk(filesPrefix(slug), part)))).flat();
}

function byHash(a: FileContent, b: FileContent): number {
  return a.sha256 < b.sha256 ? -1 : 1;
}

/** Goes through the wanted files in the order of their hashes, from list to list. */
async function walk(prefix: string, wanted: readonly FileContent[]): Promise<FileContent[]> {
  const missing: FileContent[] = [];
  let rest = wanted;
  while (rest[0] !== undefined) {
    const { objects, isTruncated } = await listObjects({
      prefix,
      // One character less sorts right before the hash itself.
      startAfter: prefix + rest[0].sha256.slice(0, -1),
      maximum: Math.min(pageSize, rest.length + roomForOthers),
    });
    const held = new Map(objects.map(({ key, size }) => [key.slice(prefix.length), size]));
    const last = isTruncated ? objects.at(-1)?.key.slice(prefix.length) : undefined;
    // At least one, so that it ends whatever the store answers: a file that it does not name counts as missing.
    const end = last === undefined ? rest.length : Math.max(countUpTo(rest, last), 1);
    missing.push(...rest.slice(0, end).filter(({ sha256, size }) => held.get(sha256) !== size));
    rest = rest.slice(end);
  }
  return missing;
}

function countUpTo(files: readonly FileContent[], last: string): number {
  const index = files.findIndex(({ sha256 }) => sha256 > last);
  return index === -1 ? files.length : index;
}
