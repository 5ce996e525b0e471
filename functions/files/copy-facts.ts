import { randomBytes } from "node:crypto";
import { seenBytesOf } from "../../contract/api/releases/manifest-rules.ts";
import type { CheckRequest } from "./copy-requests.ts";
import { StoreRefusal } from "./http-client.ts";
import { type CopyClaim, claimKey, type Manifest } from "./manifests.ts";
import { checkKey, factsKey } from "./object-keys.ts";
import { readObject, writeObject } from "./store.ts";

/*
 * What the service found out about copies (docs/decisions/0073-deltas.md#a-copy-is-a-claim). It stands beside a manifest and not in it, because
 * the manifest is the publisher's.
 */

/** The result for all copies that a manifest names. */
export class CopyFacts {
  readonly #wrong: ReadonlyMap<string, "different" | "unusable">;
  readonly #areOfUnpacked: boolean;

  /**
   * @param wrong by {@link claimKey}
   * @param areOfUnpacked whether deltas of files that are stored in Brotli were unpacked, too: an earlier version of the service did not see them
   */
  constructor(wrong: ReadonlyMap<string, "different" | "unusable">, { areOfUnpacked = true } = {}) {
    this.#wrong = wrong;
    this.#areOfUnpacked = areOfUnpacked;
  }

  /** Whether the copy was unpacked and is the file. */
  isTrue(claim: CopyClaim): boolean {
    const isKnown = this.#areOfUnpacked || seenBytesOf(claim.file) === claim.file.sha256;
    return isKnown && !this.#wrong.has(claimKey(claim));
  }

  /** Whether the copy was unpacked and is not the file. */
  isDifferent(claim: CopyClaim): boolean {
    return this.#wrong.get(claimKey(claim)) === "different";
  }

  /** How many copies were unpacked and are not their files. */
  get falseCopies(): number {
    return [...this.#wrong.values()].filter((verdict) => verdict === "different").length;
  }

  /** As it is stored. */
  pack(): Buffer {
    return Buffer.from(JSON.stringify({ wrong: Object.fromEntries(this.#wrong), areOfUnpacked: this.#areOfUnpacked }));
  }

  static unpack(packed: Buffer): CopyFacts {
    const { wrong, areOfUnpacked = false } = JSON.parse(packed.toString());
    return new CopyFacts(new Map(Object.entries(wrong)), { areOfUnpacked });
  }
}

/** Facts that a warm function keeps: they never change. */
const cache = new Map<string, CopyFacts>();
const keptFacts = 1_000;
/** Nearly all copies are true. Facts of a release with thousands of wrong ones take megabytes, and are read each time. */
const largestKept = 16_384;

/** The facts of a manifest; undefined if its copies are not checked. */
export async function findCopyFacts(slug: string, digest: string): Promise<CopyFacts | undefined> {
  const key = factsKey(slug, digest);
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  try {
    const packed = await readObject(key);
    const facts = CopyFacts.unpack(packed);
    if (packed.byteLength <= largestKept) cache.set(key, facts);
    const [oldest = ""] = cache.keys();
    if (cache.size > keptFacts) cache.delete(oldest);
    return facts;
  } catch (error) {
    // S3 says 403 of a missing object to a role that may not list the bucket.
    if (error instanceof StoreRefusal && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

/** Of two that write, one wins: both have found out the same. */
export async function writeCopyFacts(slug: string, digest: string, facts: CopyFacts): Promise<void> {
  await writeObject(factsKey(slug, digest), facts.pack());
}

/**
 * Asks for a check of the copies that a manifest names: the object starts the function that checks.
 *
 * @param request beside the manifest itself
 */
export async function requestCheck(
  slug: string,
  digest: string,
  request: Omit<CheckRequest, "digest" | "slug">,
  now: Date,
): Promise<void> {
  const name = `${now.toISOString().replace(/\W/g, "")}-${randomBytes(6).toString("hex")}`;
  await writeObject(checkKey(slug, digest, name), Buffer.from(JSON.stringify(request)));
}

/** Paths with a copy that was unpacked and is not their file. */
export function pathsThatDiffer(manifest: Manifest, facts: CopyFacts): string[] {
  return [...manifest.files()].flatMap(([path, content]) => {
    const file = { path, ...content };
    const copies = [...(file.br ? [file.br] : []), ...(file.deltas ?? [])];
    return copies.some((copy) => facts.isDifferent({ file, copy })) ? [path] : [];
  });
}
