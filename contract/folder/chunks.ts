import { limits } from "../api/limits.ts";
import type { Content } from "../api/releases/manifest-rules.ts";
import { isSentInParts, partSizes } from "./content-hash.ts";
import type { Copy, KnownParts } from "./known-parts.ts";

/*
 * Chunks of a large file, cut where its content says so, so that bytes that were moved, or follow what was inserted, are the same chunks
 * again. By them a publication finds which parts the store has in other files: docs/decisions/0059-large-files-in-parts.md. What they say
 * is a guess, because the store compares each part; so their checksums are fast and not secure.
 */

/** Lengths and checksums of a content's chunks, in their order. */
export interface Chunks {
  readonly lengths: readonly number[];
  readonly checksums: readonly number[];
}

/** A chunk has 16 KiB at least, 256 at most, and 80 KiB mostly. Other numbers make other chunks, so nothing would be found once. */
const minBytes = 16 * 1024;
const maxBytes = 256 * 1024;
const boundaryMask = 0xffff0000;
/** A gear hash is one of so many bytes before. */
const gearBytes = 32;
const { imul } = Math;

/** Random numbers, the same for ever (mulberry32): a byte changes the hash of the 32 bytes after it. */
const gears = Int32Array.from({ length: 256 }, (_, index) => {
  const seeded = imul(index + 1, 0x6d2b79f5);
  const once = imul(seeded ^ (seeded >>> 15), seeded | 1);
  const twice = once ^ (once + imul(once ^ (once >>> 7), once | 61));
  return twice ^ (twice >>> 14);
});

const emptyChecksum = 0x811c9dc5 | 0;

/** Cuts a content that comes piece by piece: a gear hash of the last bytes says where, and FNV-1a is the checksum. */
export class Chunker {
  readonly #lengths: number[] = [];
  readonly #checksums: number[] = [];
  #length = 0;
  #gear = 0;
  #checksum = emptyChecksum;

  /** @param onChunk called with the place behind each chunk that ends in this piece, and the number by which it was cut */
  update(piece: Uint8Array, onChunk?: (end: number, cut: number) => void): void {
    let [length, gear, checksum] = [this.#length, this.#gear, this.#checksum];
    for (let index = 0; index < piece.length; ) {
      // No boundary is looked for here: this loop and that below take half the time of one for both.
      const quiet = Math.min(piece.length, index + minBytes - gearBytes - length);
      if (index < quiet) {
        length += quiet - index;
        gear = 0;
        for (; index < quiet; index += 1) checksum = imul(checksum ^ (piece[index] as number), 0x01000193);
      }
      const begin = index - length;
      const end = Math.min(piece.length, begin + maxBytes);
      let isBoundary = false;
      while (index < end && !isBoundary) {
        const byte = piece[index] as number;
        gear = ((gear << 1) + (gears[byte] as number)) | 0;
        checksum = imul(checksum ^ byte, 0x01000193);
        index += 1;
        isBoundary = (gear & boundaryMask) === 0 && index - begin >= minBytes;
      }
      length = index - begin;
      if (!isBoundary && length < maxBytes) break;
      this.#lengths.push(length);
      this.#checksums.push(checksum);
      onChunk?.(index, gear);
      [length, checksum] = [0, emptyChecksum];
    }
    [this.#length, this.#gear, this.#checksum] = [length, gear, checksum];
  }

  /** Called once, at the end. */
  chunks(): Chunks {
    if (this.#length > 0) {
      this.#lengths.push(this.#length);
      this.#checksums.push(this.#checksum);
    }
    return { lengths: this.#lengths, checksums: this.#checksums };
  }
}

/**
 * The offsets at which a compressor of these bytes begins anew what it writes, so that after a change it soon writes the same bytes
 * again. Every fourth chunk or so, by its content.
 */
export function flushPoints({ lengths, checksums }: Chunks): number[] {
  let end = 0;
  return lengths.flatMap((length, number) => {
    end += length;
    return ((checksums[number] as number) & 3) === 0 ? [end] : [];
  });
}

/*
 * The index of a file, an object beside it: "svc1", then of each chunk its length in three bytes and its checksum in four, the lowest first.
 */
const magic = [0x73, 0x76, 0x63, 0x31] as const;
const bytesPerChunk = 7;

/** The chunks as the object that is stored. */
export function indexOf({ lengths, checksums }: Chunks): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(magic.length + bytesPerChunk * lengths.length));
  for (const [at, byte] of magic.entries()) view.setUint8(at, byte);
  for (const [number, length] of lengths.entries()) {
    const at = magic.length + bytesPerChunk * number;
    view.setUint16(at, length & 0xffff, true);
    view.setUint8(at + 2, length >>> 16);
    view.setInt32(at + 3, checksums[number] as number, true);
  }
  return new Uint8Array(view.buffer);
}

/** The chunks that an index names; none if it is none. */
export function chunksIn(index: Uint8Array): Chunks {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const count = (index.length - magic.length) / bytesPerChunk;
  const isIndex = Number.isInteger(count) && magic.every((byte, at) => index[at] === byte);
  const places = Array.from({ length: isIndex ? count : 0 }, (_, number) => magic.length + bytesPerChunk * number);
  return {
    lengths: places.map((at) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)),
    checksums: places.map((at) => view.getInt32(at + 3, true)),
  };
}

/** A file with its chunks. */
export interface StoredFile extends Content {
  readonly chunks: Chunks;
}

/** The response that opens a release, as far as it says what need not be sent. */
interface Opened {
  readonly missing: readonly string[];
  readonly indexes: readonly (Content & { readonly url: string })[];
}

/**
 * Reads the indexes of the live release's files and finds parts in these. What cannot be read finds nothing: those parts are sent.
 *
 * @param read responds with the body of a successful response
 */
export async function knownParts(
  { missing, indexes }: Opened,
  contents: readonly StoredFile[],
  read: (url: string) => Promise<Uint8Array>,
): Promise<KnownParts> {
  const missingHashes = new Set(missing);
  const large = contents.filter(({ sha256, size }) => missingHashes.has(sha256) && isSentInParts(size));
  if (large.length === 0) return new Map();
  const chunksAt = async (url: string) => {
    const index = await read(url).catch(() => new Uint8Array());
    return chunksIn(index.length <= limits.indexBytes ? index : new Uint8Array());
  };
  const stored = await Promise.all(
    indexes
      .slice(0, limits.indexesListed)
      .map(async ({ sha256, size, url }) => ({ sha256, size, chunks: await chunksAt(url) })),
  );
  return new Map(large.map((content) => [content.sha256, copiesFrom(stored, content)]));
}

/** A place in a stored file, from which a chunk of the new file is `distance` bytes away. */
interface Candidate {
  readonly source: Source;
  readonly distance: number;
}

interface Source extends Content {
  /** The chunk that begins at an offset. */
  readonly at: ReadonlyMap<number, string>;
}

/** A run of equal bytes has one chunk many times; the place that goes on from the part before is tried too. */
const maxPlaces = 8;

/** The parts of a file that are in files which the store has, as far as the chunks tell. */
export function copiesFrom(stored: readonly StoredFile[], { size, chunks }: { size: number; chunks: Chunks }): Copy[] {
  const places = new Map<string, { source: Source; offset: number }[]>();
  for (const { sha256, size: length, chunks: storedChunks } of stored) {
    const at = new Map(placed(storedChunks).map(({ offset, key }) => [offset, key]));
    const source = { sha256, size: length, at };
    for (const [offset, key] of at) {
      const sources = places.get(key) ?? [];
      if (sources.length < maxPlaces) places.set(key, [...sources, { source, offset }]);
    }
  }
  const chunksOfFile = placed(chunks);
  const copies: Copy[] = [];
  let candidate: Candidate | undefined;
  let [first, start] = [0, 0];
  for (const [index, length] of partSizes(size).entries()) {
    const end = start + length;
    while (first < chunksOfFile.length && (chunksOfFile[first] as Placed).end <= start) first += 1;
    const inPart: Placed[] = [];
    for (let next = first; next < chunksOfFile.length && (chunksOfFile[next] as Placed).offset < end; next += 1)
      inPart.push(chunksOfFile[next] as Placed);
    const isThere = ({ source, distance }: Candidate) =>
      start + distance >= 0 &&
      end + distance <= source.size &&
      inPart.length > 0 &&
      inPart.every(({ offset, key }) => source.at.get(offset + distance) === key);
    candidate = [...(candidate ? [candidate] : []), ...candidatesFor(inPart[0], places)].find(isThere);
    if (candidate)
      copies.push({ number: index + 1, sha256: candidate.source.sha256, offset: start + candidate.distance });
    start = end;
  }
  return copies;
}

function candidatesFor(
  chunk: Placed | undefined,
  places: ReadonlyMap<string, readonly { source: Source; offset: number }[]>,
): Candidate[] {
  if (chunk === undefined) return [];
  return (places.get(chunk.key) ?? []).map(({ source, offset }) => ({ source, distance: offset - chunk.offset }));
}

interface Placed {
  readonly offset: number;
  readonly end: number;
  /** The same for chunks that are taken for equal. */
  readonly key: string;
}

function placed({ lengths, checksums }: Chunks): Placed[] {
  let end = 0;
  return lengths.map((length, number) => {
    const offset = end;
    end += length;
    return { offset, end, key: `${length} ${checksums[number]}` };
  });
}
