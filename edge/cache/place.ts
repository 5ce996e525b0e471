/*
 * Under which name the cache keeps a file, so that a release leaves in it what it does not change. A release that changes files
 * adds a filter of their paths to the project's pointer; a path is kept under the mark of the newest filter that has it, and under
 * that of none if no filter has it. So the name is another one exactly if the file may be another one
 * (docs/decisions/0050-the-pointer.md#what-a-release-leaves-in-the-cache).
 */

/** Changes that the pointer tells, since a release by which everything changed. */
export interface Places {
  /** 8 characters, other ones after each such release. */
  readonly era: string;
  /** One for each release that changed files since then, the newest one last: 4 characters that mark it, and its filter. */
  readonly changes: readonly string[];
  /** Number of them in each of the pointer's earlier releases; less than 0 for a release of another era. */
  readonly counts: readonly number[];
  /** Marks of the deltas that the live release has, the most useful ones: {@link deltaMark}. */
  readonly deltas: readonly string[];
}

const markLength = 4;

interface VersionedRelease {
  readonly live: string;
  readonly earlier: readonly string[];
  /** Undefined if the cache keeps all files under the names of releases. */
  readonly places?: Places | undefined;
}

/** Two numbers that stand for a path in all filters. */
export type PathHash = readonly [number, number];

/** Polynomials modulo two primes below 2^31, because the viewer's runtime need not have `Math.imul`. */
export function hashOf(path: string): PathHash {
  let [first, second] = [1, 1];
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    first = (first * 65_599 + code) % 2_147_483_647;
    second = (second * 69_069 + code) % 2_147_483_629;
  }
  return [first, second];
}

/** Characters of {@link deltaMark}. */
export const deltaMarkLength = 6;

/**
 * Stands for a delta in the pointer and in keys of the cache, so that what a stranger says to have makes no key of its own: another dictionary
 * for the path with the same mark gets the same key.
 *
 * @param dictionary SHA-256 in base64url of what a browser has
 */
export function deltaMark(path: string, dictionary: string): string {
  return hashOf(dictionary + path)[0]
    .toString(36)
    .padStart(deltaMarkLength, "0");
}

/** Bits of a filter per path. With eight, a fiftieth of other paths is in it too. */
const bitsPerPath = 5;
/** A character of a filter has six bits: 0 is `0`, 63 is `o`. */
const bitsPerCharacter = 6;
const zero = 48;

function bitOf([first, second]: PathHash, turn: number, length: number): number {
  return (first + turn * second) % (length * bitsPerCharacter);
}

/** Whether a filter may have a path; never false for one that it was made of. */
export function mayHave(filter: string, path: PathHash): boolean {
  for (let turn = 0; turn < bitsPerPath; turn += 1) {
    const bit = bitOf(path, turn, filter.length);
    const character = filter.charCodeAt(Math.floor(bit / bitsPerCharacter)) - zero;
    if (((character >> (bit % bitsPerCharacter)) & 1) === 0) return false;
  }
  return true;
}

/** A filter of so many characters that has these paths. */
export function filterOf(paths: readonly PathHash[], length: number): string {
  const characters = Array.from({ length }, () => 0);
  for (const path of paths)
    for (let turn = 0; turn < bitsPerPath; turn += 1) {
      const bit = bitOf(path, turn, length);
      const index = Math.floor(bit / bitsPerCharacter);
      characters[index] = (characters[index] ?? 0) | (1 << (bit % bitsPerCharacter));
    }
  return String.fromCharCode(...characters.map((bits) => zero + bits));
}

/**
 * Text that has one form alone: manifests have paths in Unicode's form NFC, and the viewer's runtime cannot bring a requested one
 * into it. All of these characters are in that form whatever stands beside them (Unicode's NFC_Quick_Check, and combining class 0).
 */
const hasOneForm = /^[\0-\u02ff\u0400-\u0481\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;

/**
 * The place in the cache of a file of a release.
 *
 * @param path decoded
 * @returns undefined if it has changed since that release, or may have: then only the release's own name is right
 */
export function placeOf(
  path: string,
  { live, earlier, places }: VersionedRelease,
  release: string,
): string | undefined {
  if (places === undefined || !hasOneForm.test(path)) return undefined;
  const { era, changes, counts } = places;
  const count = release === live ? changes.length : (counts[earlier.indexOf(release)] ?? -1);
  const hash = hashOf(path);
  let mark = "";
  // Number of changes that a release must have.
  let least = changes.length;
  while (least > 0 && mark === "") {
    const change = changes[least - 1] || "";
    if (mayHave(change.slice(markLength), hash)) mark = change.slice(0, markLength);
    else least -= 1;
  }
  return count < least ? undefined : `~${era}${mark}`;
}
