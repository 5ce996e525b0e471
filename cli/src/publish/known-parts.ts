import { createHash } from "node:crypto";
import type { Content } from "../../../contract/api/releases/manifest-rules.ts";
import type { Client } from "../../../contract/client.ts";
import { type Chunks, chunksIn, indexOf } from "../../../contract/folder/chunks.ts";
import { isSentInParts } from "../../../contract/folder/content-hash.ts";
import { sendWithRetries } from "../http/send.ts";
import type { HashedFile } from "./hash.ts";
import { checkUploadUrl } from "./upload-url.ts";
import type { Variant } from "./variant-cache.ts";

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

const timeoutMilliseconds = 10_000;

/** Reads an index from the URL that the API gives. @throws UserError or NetworkError if it cannot be read */
export async function readIndex(given: string, { api }: Client): Promise<Uint8Array> {
  const { url } = checkUploadUrl({ url: given, headers: {} }, api);
  const { status, bytes } = await sendWithRetries({ method: "GET", url, headers: {}, timeoutMilliseconds });
  return status === 200 ? bytes : new Uint8Array();
}
