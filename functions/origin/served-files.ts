import type { ReleaseFile, ReleaseFiles } from "../../edge/content/resolve.ts";
import { type CopyFacts, findCopyFacts } from "../files/copy-facts.ts";
import { type FileContent, findManifest } from "../files/manifests.ts";

/** Until when the facts of a manifest need not be looked for: it has no copies, or there were none a moment ago. */
const unknownUntil = new Map<string, number>();
const timesKept = 1_000;
/** For so long a function that many requests reach does not ask again. */
const unknownMilliseconds = 2_000;

/**
 * The files of a release as they may be sent: with the copies that are known to be true, and no other.
 *
 * @returns undefined if the project has no such manifest
 */
export async function findServedFiles(slug: string, digest: string): Promise<ReleaseFiles | undefined> {
  const key = `${slug} ${digest}`;
  const isUnknown = Date.now() < (unknownUntil.get(key) ?? 0);
  const [manifest, facts] = await Promise.all([
    findManifest(slug, digest),
    isUnknown ? undefined : findCopyFacts(slug, digest),
  ]);
  if (manifest === undefined) return undefined;
  if (facts === undefined && !isUnknown)
    noteUnknown(key, manifest.hasCopies ? Date.now() + unknownMilliseconds : Number.POSITIVE_INFINITY);
  return { settings: manifest.settings, find: (path) => servedFile(path, manifest.find(path), facts) };
}

function noteUnknown(key: string, until: number): void {
  if (unknownUntil.size >= timesKept) unknownUntil.clear();
  unknownUntil.set(key, until);
}

function servedFile(
  path: string,
  content: FileContent | undefined,
  facts: CopyFacts | undefined,
): ReleaseFile | undefined {
  if (content === undefined) return undefined;
  const { br, deltas = [], ...plain } = content;
  const file = { path, ...plain };
  if (br === undefined && deltas.length === 0) return plain;
  if (facts === undefined) return { ...plain, isUnchecked: true };
  const trueDeltas = deltas.filter((copy) => facts.isTrue({ file, copy }));
  return {
    ...plain,
    ...(br !== undefined && facts.isTrue({ file, copy: br }) && { br }),
    ...(trueDeltas.length > 0 && { deltas: trueDeltas }),
  };
}
