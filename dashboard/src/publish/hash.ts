import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { isScript, makesSharedMemory, readBytes } from "../../../contract/folder/build-advice.ts";
import { Chunker, indexOf } from "../../../contract/folder/chunks.ts";
import { ContentHash, type HashFunctions, isSentInParts } from "../../../contract/folder/content-hash.ts";
import { lfsHeadBytes } from "../../../contract/folder/git-lfs.ts";
import { type FoundSecrets, SecretScan } from "../../../contract/folder/secret-content.ts";
import { ZipProblem } from "../../../contract/folder/zip-problem.ts";
import { Refusal } from "./refusal.ts";
import type { SourceFile } from "./source.ts";
import { eachChunk } from "./spool.ts";

/** Results of one pass over a file's bytes. */
export interface FileHashes {
  /** In lower-case hexadecimal; the name by its parts, if it is sent in parts. */
  readonly sha256: string;
  /** The SHA-256 of each part of a file that is sent in parts. */
  readonly parts?: readonly string[];
  /** The index of its chunks. */
  readonly index?: SourceFile & { readonly sha256: string };
  readonly found: FoundSecrets | undefined;
  /** The bytes are not the Brotli that the name promises. */
  readonly isNoBrotli?: boolean;
  /** The first bytes, enough to know the kind of file. */
  readonly head: Uint8Array;
  readonly makesSharedMemory: boolean;
  /** Text of the index.html at the top; undefined for every other file. */
  readonly text: string | undefined;
}

/**
 * Hashes a file piece by piece.
 *
 * @param onBytes called with how many more bytes are hashed
 * @throws Refusal if the file cannot be read, or changed meanwhile
 */
export async function hashed(file: SourceFile, onBytes: (bytes: number) => void): Promise<FileHashes> {
  const [hash, scan] = [new ContentHash(nobleHashes, file.size), new SecretScan(file)];
  const chunker = isSentInParts(file.size) ? new Chunker() : undefined;
  const isText = isScript(file.path);
  let [head, size, text] = [new Uint8Array(), 0, ""];
  const isIndex = file.path === "index.html";
  const decoder = new TextDecoder(isIndex ? "utf-8" : "latin1");
  try {
    await eachChunk(file.stream(), (chunk) => {
      hash.update(chunk);
      chunker?.update(chunk);
      scan.update(chunk);
      if (size === 0) head = chunk.slice(0, lfsHeadBytes);
      size += chunk.length;
      if (isText && text.length < readBytes) text += decoder.decode(chunk, { stream: true });
      onBytes(chunk.length);
    });
  } catch (error) {
    if (error instanceof Refusal || error instanceof ZipProblem) throw error;
    throw new Refusal(
      `${file.path} cannot be read. It may have changed: wait until the build is finished, then choose it again.`,
    );
  }
  if (size !== file.size) throw new Refusal(`${file.path} changed while it was read. Choose the folder again.`);
  return {
    sha256: hash.digest(),
    ...(chunker && { parts: hash.parts(), index: indexFile(file.path, indexOf(chunker.chunks())) }),
    found: scan.found(),
    head,
    makesSharedMemory: isText && makesSharedMemory(text),
    text: isIndex ? text : undefined,
  };
}

function indexFile(path: string, bytes: Uint8Array<ArrayBuffer>): NonNullable<FileHashes["index"]> {
  const blob = new Blob([bytes]);
  const of = { path: `${path} (index)`, size: blob.size, stream: () => blob.stream(), blob: async () => blob };
  return { ...of, sha256: bytesToHex(sha256(bytes)) };
}

/** Hashes in JavaScript: WebCrypto takes a content only whole. */
const nobleHashes: HashFunctions = {
  sha256: () => {
    const hash = sha256.create();
    return { update: (chunk) => hash.update(chunk), digest: () => bytesToHex(hash.digest()) };
  },
  sha512: (bytes) => bytesToHex(sha512(bytes)),
};
