import { randomBytes } from "node:crypto";
import { changedSettings } from "../../../contract/api/releases/release-settings.ts";
import { deltaMark, deltaMarkLength, filterOf, hashOf, mayHave, type PathHash } from "../../../edge/cache/place.ts";
import { keptEarlier, pointerBytes } from "../../../edge/project/pointer.ts";
import type { CachedPlaces, Project } from "../../entities/project.ts";
import type { FileContent, Manifest } from "../../files/manifests.ts";

/** Bytes of the pointer without the changes: two names, five earlier releases, and a time. */
const bytesWithoutChanges = 300;
/** A count of changes is one character of a pointer. */
const maxChanges = 64;
/** Deltas that the edge sends of a release, at most: 240 bytes of the pointer. */
const maxDeltas = 40;
/** Share of the unchanged files that may be fetched again after a release, at most; none of {@link largeBytes}. */
const wrongShare = 0.02;
const largeBytes = 1024 * 1024;

/**
 * Places of the live release that the edge's cache keeps, if this one takes its place (edge/cache/place.ts): one more change, with a
 * filter of the paths that may get another response. All that is kept is given up by a new era if the settings change, which go
 * into every response, or if the pointer has no room for the filter.
 *
 * @param project before the release goes live
 */
export function placesAfter(project: Project, live: Manifest | undefined, next: Manifest): CachedPlaces {
  const places = project.currentRelease?.places;
  const deltas = deltaMarks(next);
  const era = { era: randomBytes(6).toString("base64url"), changes: [], counts: {}, deltas };
  if (places === undefined || live === undefined || places.changes.length >= maxChanges) return era;
  if (changedSettings(live.settings, next.settings).length > 0) return era;
  const counts = countsOf(project, places);
  const { changed, unchanged } = comparedFiles(live, next);
  const used = places.changes.reduce((sum, change) => sum + change.length + 1, deltas.length * deltaMarkLength);
  const left = pointerBytes - bytesWithoutChanges - used;
  if (changed.length === 0) return left < 0 ? era : { ...places, counts, deltas };
  const filter = smallestFilter(changed, unchanged, left - 5);
  if (filter === undefined) return era;
  return { era: places.era, changes: [...places.changes, `${unusedMark(places.changes)}${filter}`], counts, deltas };
}

/** Marks of the deltas of a release, those first that save most. */
function deltaMarks(release: Manifest): string[] {
  const all = [...release.files()].flatMap(([path, { deltas = [], br, size }]) =>
    deltas.map((delta) => ({
      mark: deltaMark(path, Buffer.from(delta.dictionary, "hex").toString("base64url")),
      saved: (br?.size ?? size) - delta.size,
    })),
  );
  const marks = all.toSorted((a, b) => b.saved - a.saved).map(({ mark }) => mark);
  return [...new Set(marks)].slice(0, maxDeltas);
}

/** Counts of the releases that a pointer names as earlier ones. */
function countsOf({ currentRelease }: Project, { changes, counts }: CachedPlaces): CachedPlaces["counts"] {
  const { manifest = "", earlier = [] } = currentRelease ?? {};
  const entries = earlier.slice(0, keptEarlier).flatMap((digest) => {
    const count = counts[digest];
    return count === undefined ? [] : [[digest, count]];
  });
  return { ...Object.fromEntries(entries), [manifest]: changes.length };
}

interface UnchangedFile {
  readonly hash: PathHash;
  readonly isLarge: boolean;
}

function comparedFiles(live: Manifest, next: Manifest) {
  const [liveFiles, nextFiles] = [live.files(), next.files()];
  const changed: PathHash[] = [];
  const unchanged: UnchangedFile[] = [];
  for (const path of new Set([...liveFiles.keys(), ...nextFiles.keys()])) {
    const file = nextFiles.get(path);
    if (file && isSame(liveFiles.get(path), file))
      unchanged.push({ hash: hashOf(path), isLarge: file.size >= largeBytes });
    else changed.push(...requestedPaths(path).map(hashOf));
  }
  return { changed, unchanged };
}

/** Deltas do not count: what is at the file's path is the same with and without them. */
function isSame(one: FileContent | undefined, other: FileContent): boolean {
  const text = (file: FileContent | undefined) => JSON.stringify(file && { ...file, deltas: undefined });
  return text(one) === text(other);
}

/**
 * Paths that can be requested for a file: a page also without its ending, and an index.html also as its folder's page and as
 * the redirect to it.
 */
function requestedPaths(path: string): string[] {
  const named = path.endsWith(".html") ? [path, path.slice(0, -".html".length)] : [path];
  const [, folder, slash] = /^(?:(.*)(\/))?index\.html$/s.exec(path) ?? [];
  if (folder !== undefined && slash !== undefined) return [...named, `${folder}/`, folder];
  return path === "index.html" ? [...named, ""] : named;
}

/** Undefined if none of so many characters is good enough. */
function smallestFilter(
  changed: readonly PathHash[],
  unchanged: readonly UnchangedFile[],
  maxCharacters: number,
): string | undefined {
  // Shorter ones are never enough for many paths, and often for a few.
  const shortest = Math.ceil(changed.length * (changed.length > 20 ? 1.1 : 0.5));
  const maxWrong = unchanged.length * wrongShare;
  for (let length = shortest; length <= maxCharacters; length += 1 + (length >> 5)) {
    const filter = filterOf(changed, length);
    let wrong = 0;
    for (const { hash, isLarge } of unchanged) {
      if (mayHave(filter, hash)) wrong += isLarge ? Number.POSITIVE_INFINITY : 1;
      if (wrong > maxWrong) break;
    }
    if (wrong <= maxWrong) return filter;
  }
  return undefined;
}

/** Random, because a table that is restored from a backup makes changes again that the cache has seen. */
function unusedMark(changes: readonly string[]): string {
  const mark = randomBytes(3).toString("base64url");
  return changes.some((change) => change.startsWith(mark)) ? unusedMark(changes) : mark;
}
