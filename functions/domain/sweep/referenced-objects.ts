import { readManifest } from "../../files/manifests.ts";

/** The objects that all manifests name, for a part of the hashes: those after `above`, up to `upTo`. */
export interface ReferencedPart {
  /** In the form of {@link compact}; empty: from the first one on. */
  readonly above: string;
  /** Undefined: up to the last one. */
  readonly upTo: string | undefined;
  /** Sizes by hash, in the form of {@link compact}. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Makes 32 characters of 64. A substring would keep the whole text in memory. */
export function compact(sha256: string): string {
  return Buffer.from(sha256, "hex").toString("latin1");
}

/** Hash that {@link compact} made, in hexadecimal again. */
export function inHexadecimal(hash: string): string {
  return Buffer.from(hash, "latin1").toString("hex");
}

const hashesAtOnce = 250_000;

/** Options for reading the manifests of a project. */
export interface Reading {
  /** Whether there is time for one more manifest. */
  readonly hasTime: () => boolean;
  /** Number of hashes in memory at once. */
  readonly partSize?: number;
}

/** The time was over before all manifests were read. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/**
 * The distinct hashes that manifests of a project name, in ascending order, a part at a time, so that the memory does not
 * grow with the project. For each part every manifest is read.
 *
 * @throws OutOfTime
 */
export async function* referencedParts(
  slug: string,
  manifests: Iterable<string>,
  { hasTime, partSize = hashesAtOnce }: Reading,
): AsyncGenerator<ReferencedPart> {
  const digests = [...manifests];
  for (let above = ""; ; ) {
    const part = await namedPart(slug, digests, { above, partSize, hasTime });
    yield part;
    if (part.upTo === undefined) return;
    above = part.upTo;
  }
}

async function namedPart(
  slug: string,
  digests: readonly string[],
  { above, partSize, hasTime }: { above: string; partSize: number; hasTime: () => boolean },
): Promise<ReferencedPart> {
  let upTo: string | undefined;
  let sizes = new Map<string, number>();
  const cutBeyond = (maxHashes: number) => {
    if (sizes.size <= maxHashes) return;
    const first = [...sizes.keys()].sort().slice(0, partSize);
    upTo = first.at(-1);
    sizes = new Map(first.map((hash) => [hash, sizes.get(hash) as number]));
  };
  for (const digest of digests) {
    if (!hasTime()) throw new OutOfTime();
    for (const [sha256, size] of (await readManifest(slug, digest)).sizes()) {
      const hash = compact(sha256);
      if (hash <= above || (upTo !== undefined && hash > upTo)) continue;
      // A manifest may name a wrong length. The greatest one counts, because too little must never be counted.
      sizes.set(hash, Math.max(size, sizes.get(hash) ?? 0));
    }
    cutBeyond(2 * partSize);
  }
  cutBeyond(partSize);
  return { above, upTo, sizes };
}
