import { createHash } from "node:crypto";
import { limits } from "../../../contract/api/limits.ts";
import type { Content } from "../../../contract/api/manifest-rules.ts";
import { type Chunks, type Copy, chunksIn, copiesFrom, indexOf } from "../../../contract/folder/chunks.ts";
import { isSentInParts, partSizes } from "../../../contract/folder/content-hash.ts";
import type { Client, ResponseTo } from "../client.ts";
import { send } from "../http/send.ts";
import type { HashedFile } from "./hash.ts";
import { checkUploadUrl } from "./upload-url.ts";
import type { Variant } from "./variant-cache.ts";

/*
 * Parts of large files that the service has in files of the live release, by the indexes of their chunks:
 * docs/decisions/0059-large-files-in-parts.md.
 */

/** The index of a file or a variant: an object of the release, like these. */
export interface Index extends Content {
  readonly bytes: Uint8Array;
  readonly chunks: Chunks;
}

/** By the hash of the bytes whose chunks it names. */
export type Indexes = ReadonlyMap<string, Index>;

/** The indexes of large files, and of large variants. */
export function indexesOf(files: readonly HashedFile[], variants: ReadonlyMap<string, NonNullable<Variant>>): Indexes {
  const ofFiles = files.flatMap(({ sha256, chunks }) => (chunks ? [[sha256, indexOf(chunks)] as const] : []));
  const ofVariants = [...variants.values()].flatMap(({ size, sha256, index }) =>
    isSentInParts(size) && index !== undefined ? [[sha256, Buffer.from(index, "base64")] as const] : [],
  );
  return new Map([...ofFiles, ...ofVariants].map(([of, bytes]) => [of, asObject(bytes)]));
}

function asObject(bytes: Uint8Array): Index {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { size: bytes.length, sha256, bytes, chunks: chunksIn(bytes) };
}

/** Copies in place of parts that need not be sent, by the file's hash. */
export type KnownParts = ReadonlyMap<string, readonly Copy[]>;

/** Bytes of the parts that are known of a file. */
export function knownBytes(size: number, copies: readonly Copy[] = []): number {
  const sizes = partSizes(size);
  return copies.reduce((sum, { number }) => sum + (sizes[number - 1] ?? 0), 0);
}

/** Reads the indexes of the live release's files and finds parts in these. What cannot be read finds nothing: those parts are sent. */
export async function knownParts(
  client: Client,
  { indexes, missing }: Pick<ResponseTo<"createRelease">, "indexes" | "missing">,
  contents: readonly (Content & { readonly chunks: Chunks })[],
): Promise<KnownParts> {
  const wanted = new Set(missing);
  const large = contents.filter(({ sha256, size }) => wanted.has(sha256) && isSentInParts(size));
  if (large.length === 0) return new Map();
  // An API of before sends none.
  const named = (indexes ?? []).slice(0, limits.indexesListed);
  const stored = await Promise.all(
    named.map(async ({ sha256, size, url }) => ({ sha256, size, chunks: chunksIn(await indexAt(url, client)) })),
  );
  return new Map(large.map((content) => [content.sha256, copiesFrom(stored, content)]));
}

const timeoutMilliseconds = 10_000;

async function indexAt(given: string, { api }: Client): Promise<Uint8Array> {
  try {
    const { url } = checkUploadUrl({ url: given, headers: {} }, api);
    const { status, body } = await send({ method: "GET", url, headers: {}, timeoutMilliseconds });
    return status === 200 && body.length <= limits.indexBytes ? body : new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}
