import { unfinishedUploads } from "../../files/multipart.ts";
import { factsPrefix, filesPrefix, manifestsPrefix, proofsPrefix } from "../../files/object-keys.ts";
import { listObjects, type StoredObject } from "../../files/store.ts";
import { compact, inHexadecimal, type Reading, referencedParts } from "./referenced-objects.ts";

/** An object, or an unfinished upload of one, that no release needs. */
export interface UnreferencedObject {
  readonly kind: "file" | "manifest" | "facts" | "proof" | "upload";
  /** SHA-256 of the file, or digest of the manifest that it is or is about. */
  readonly sha256: string;
  /** Digest of the opener, of a proof. */
  readonly opener?: string;
  readonly upload?: { readonly key: string; readonly id: string };
}

/** What is needed of a project. */
export interface Referenced {
  readonly manifests: ReadonlySet<string>;
  /** Manifests for whose files an opener may have proofs, by the folder of these. */
  readonly proving: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Usage of a project by stored objects that are needed, or by objects that one of its releases names and that are perhaps not
 * uploaded yet.
 */
export interface ReferencedUsage {
  bytes: number;
  objects: number;
}

/**
 * The objects of a project that none of these manifests names, and the unfinished uploads of such, whose parts take room too: its list of
 * the bucket, which is sorted, is merged with the hashes that the manifests name.
 *
 * @param needed is increased by what they name
 * @throws OutOfTime if reading the manifests takes too long
 */
export async function* unreferencedObjects(
  slug: string,
  { manifests, proving }: Referenced,
  needed: ReferencedUsage,
  reading: Reading,
): AsyncGenerator<UnreferencedObject> {
  for await (const { name, size } of listed(manifestsPrefix(slug), "", undefined)) {
    const digest = /^([0-9a-f]{64})\.zst$/.exec(name)?.[1];
    if (digest !== undefined && manifests.has(digest)) count(needed, size);
    else if (digest !== undefined) yield { kind: "manifest", sha256: digest };
  }
  // What is known of copies is the service's own, and counts for nobody.
  for await (const { name } of listed(factsPrefix(slug), "", undefined)) {
    const digest = /^([0-9a-f]{64})\.json$/.exec(name)?.[1];
    if (digest !== undefined && !manifests.has(digest)) yield { kind: "facts", sha256: digest };
  }
  yield* unneededProofs(slug, proving, reading);
  const uploads = await unfinishedUploads(filesPrefix(slug));
  for await (const { above, upTo, sizes } of referencedParts(slug, manifests, reading)) {
    for (const { key, id } of uploads) {
      const sha256 = key.slice(filesPrefix(slug).length);
      const hash = compact(sha256);
      const isOfPart = hash > above && (upTo === undefined || hash <= upTo);
      if (isOfPart && !sizes.has(hash)) yield { kind: "upload", sha256, upload: { key, id } };
    }
    for (const size of sizes.values()) count(needed, size);
    for await (const { name, size } of listed(filesPrefix(slug), inHexadecimal(above), upTo && inHexadecimal(upTo))) {
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      const named = sizes.get(compact(name));
      // Only a wrong manifest names another length than that of the stored file.
      if (named !== undefined) needed.bytes += Math.max(size - named, 0);
      else yield { kind: "file", sha256: name };
    }
  }
}

/**
 * The proofs that no open release of their opener needs, and the unfinished uploads of such. They are not counted beside the files: when a
 * draft is opened what its opener must send is counted as a draft's.
 */
async function* unneededProofs(
  slug: string,
  proving: Referenced["proving"],
  reading: Reading,
): AsyncGenerator<UnreferencedObject> {
  const all = proofsPrefix(slug);
  let needed: { readonly prefix: string; readonly hashes: ReadonlySet<string> } | undefined;
  const proofOf = async (name: string) => {
    const [, opener = "", sha256 = ""] = /^([0-9a-f]{64})\/([0-9a-f]{64})$/.exec(name) ?? [];
    const prefix = `${all}${opener}/`;
    if (needed?.prefix !== prefix)
      needed = { prefix, hashes: await hashesIn(slug, proving.get(prefix) ?? new Set(), reading) };
    return needed.hashes.has(compact(sha256)) ? undefined : { opener, sha256 };
  };
  for (const { key, id } of await unfinishedUploads(all)) {
    const proof = await proofOf(key.slice(all.length));
    if (proof) yield { kind: "upload", ...proof, upload: { key, id } };
  }
  for await (const { name } of listed(all, "", undefined)) {
    const proof = await proofOf(name);
    if (proof) yield { kind: "proof", ...proof };
  }
}

async function hashesIn(slug: string, manifests: ReadonlySet<string>, reading: Reading): Promise<Set<string>> {
  const hashes = new Set<string>();
  for await (const { sizes } of referencedParts(slug, manifests, reading))
    for (const hash of sizes.keys()) hashes.add(hash);
  return hashes;
}

function count(needed: ReferencedUsage, size: number): void {
  needed.bytes += size;
  needed.objects += 1;
}

/** Keys in one list of S3, its maximum. */
const pageSize = 1_000;

/** The objects below a prefix in the order of their names, which are what follows it. */
export async function* listed(
  prefix: string,
  above: string,
  upTo: string | undefined,
): AsyncGenerator<{ name: string; size: number }> {
  for (let startAfter = prefix + above; ; ) {
    const { objects, isTruncated } = await listObjects({ prefix, startAfter, maximum: pageSize });
    for (const { key, size } of objects) {
      const name = key.slice(prefix.length);
      if (upTo !== undefined && name > upTo) return;
      yield { name, size };
    }
    const last: StoredObject | undefined = objects.at(-1);
    if (!isTruncated || last === undefined) return;
    startAfter = last.key;
  }
}
