import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { brotliDecompressSync, createBrotliDecompress, createZstdDecompress } from "node:zlib";
import type { Content } from "../../contract/api/releases/manifest-rules.ts";
import { ContentHash } from "../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../contract/folder/node-hashes.ts";

/*
 * Unpacking copies as browsers do, to compare them with their files. What two decoders could understand differently is refused.
 */

/** Bytes before the Zstandard frame of a delta, which the dictionary's SHA-256 follows (RFC 9842, section 5). */
const deltaMagic = Buffer.from("5e2a4d1820000000", "hex");
const headerBytes = deltaMagic.length + 32;
/** A dictionary that begins so is a formatted one for zlib, and bytes like others for a browser (RFC 8878, section 5; RFC 9842, section 2). */
const formattedDictionary = 0xec30a437;
/** Chromium takes no larger one, and it must be in memory whole. */
export const largestDictionary = 128 * 1024 * 1024;

/** What a copy gives. */
export interface UnpackedContent {
  readonly sha256: string;
  /** The name that a manifest has for it: of a file that is sent in parts not the SHA-256. */
  readonly name: string;
}

class TooLarge extends Error {}

/**
 * Unpacks a Brotli copy of a file of this size.
 *
 * @returns undefined if it is no Brotli, gives another size, or has bytes behind its end. No more than the size is unpacked.
 */
export async function unpackBrotli(
  copy: AsyncIterable<Buffer>,
  file: Pick<Content, "size">,
): Promise<UnpackedContent | undefined> {
  return await unpack(copy, createBrotliDecompress({ chunkSize: outputBytes }), file);
}

/**
 * Unpacks a Brotli copy of a small file at once, which takes a tenth of the time.
 *
 * @returns undefined as `unpackBrotli`
 */
export function unpackSmallBrotli(copy: Uint8Array, { size }: Pick<Content, "size">): Buffer | undefined {
  try {
    // The decoder takes no limit of 0 bytes.
    const { buffer, engine } = brotliDecompressSync(copy, {
      info: true,
      maxOutputLength: Math.max(size, 1),
    }) as unknown as InflatedSync;
    return engine.bytesWritten === copy.length && buffer.length === size ? buffer : undefined;
  } catch (error) {
    if (isOfDecoder(error) || (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

/** Result of zlib's synchronous functions with `info`, which its types lack. */
interface InflatedSync {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Unpacks a delta of a file of this size.
 *
 * @returns undefined as `unpackBrotli`, also for more than one frame, whose others some browsers may not unpack
 */
export async function unpackDelta(
  delta: Buffer,
  dictionary: Buffer,
  file: Pick<Content, "size">,
): Promise<UnpackedContent | undefined> {
  // Of one piece zlib unpacks the first frame alone.
  const frame = [delta.subarray(headerBytes)];
  return await unpack(Readable.from(frame), createZstdDecompress({ dictionary, chunkSize: outputBytes }), file);
}

/** Whether a delta says itself that this is its dictionary. */
export function isDeltaFrom(delta: Buffer, dictionary: string): boolean {
  const header = Buffer.concat([deltaMagic, Buffer.from(dictionary, "hex")]);
  return delta.subarray(0, headerBytes).equals(header);
}

/** Whether every decoder takes these bytes for the same dictionary. */
export function isPlainDictionary(bytes: Buffer): boolean {
  return bytes.length <= largestDictionary && !(bytes.length >= 4 && bytes.readUInt32LE(0) === formattedDictionary);
}

/**
 * Unpacks a file that is stored in Brotli, as a browser does that has it.
 *
 * @param packed the stored file
 * @param onPiece is called with each piece of what it unpacks to
 * @returns the bytes' length and SHA-256; undefined as `unpackBrotli`, and if they are more than a dictionary may have
 */
export async function unpackStored(
  packed: AsyncIterable<Buffer>,
  onPiece: (piece: Buffer) => void = () => {},
): Promise<Content | undefined> {
  const whole = createHash("sha256");
  const size = await unpackEach(
    packed,
    createBrotliDecompress({ chunkSize: outputBytes }),
    largestDictionary,
    (piece) => {
      whole.update(piece);
      onPiece(piece);
    },
  );
  return size === undefined ? undefined : { size, sha256: whole.digest("hex") };
}

const outputBytes = 256 * 1024;

async function unpack(
  packed: AsyncIterable<Buffer>,
  decoder: Decoder,
  { size }: Pick<Content, "size">,
): Promise<UnpackedContent | undefined> {
  const whole = createHash("sha256");
  const name = new ContentHash(nodeHashes, size);
  const bytes = await unpackEach(packed, decoder, size, (piece) => {
    whole.update(piece);
    name.update(piece);
  });
  return bytes === size ? { sha256: whole.digest("hex"), name: name.digest() } : undefined;
}

type Decoder = ReturnType<typeof createBrotliDecompress | typeof createZstdDecompress>;

/** @returns the length of what it unpacks to; undefined if the decoder refuses it, more is left behind its end, or it is longer than `maxBytes` */
async function unpackEach(
  packed: AsyncIterable<Buffer>,
  decoder: Decoder,
  maxBytes: number,
  onPiece: (piece: Buffer) => void,
): Promise<number | undefined> {
  let [packedBytes, bytes] = [0, 0];
  const counted = async function* () {
    for await (const piece of packed) {
      packedBytes += piece.length;
      yield piece;
    }
  };
  try {
    await pipeline(counted, decoder, async (unpacked: AsyncIterable<Buffer>) => {
      for await (const piece of unpacked) {
        bytes += piece.length;
        if (bytes > maxBytes) throw new TooLarge();
        onPiece(piece);
      }
    });
  } catch (error) {
    if (error instanceof TooLarge || isOfDecoder(error)) return undefined;
    throw error;
  }
  return decoder.bytesWritten === packedBytes ? bytes : undefined;
}

/** zlib's own errors have such a code, and those of the store none. That there was no memory says nothing of the copy. */
function isOfDecoder(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return /^(?:ERR__ERROR_|Z_|ZSTD_error_)/.test(code) && !/ALLOC|MEM|memory/.test(code);
}
