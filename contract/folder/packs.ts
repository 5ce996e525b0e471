/*
 * A pack: small objects of a release that are sent as one. After a mark it has of each its SHA-256 (32 bytes), its length (4 bytes, big-endian)
 * and its bytes. A file that has a Brotli copy is not in it, but the copy, from which the service makes the file: so nothing is sent twice,
 * and that the copy is its file is known at once.
 */

const mark = new TextEncoder().encode("svcpack1");
const headerBytes = 32 + 4;

/** An object of a release, with its bytes. */
export interface PackedObject {
  /** In hexadecimal. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The length of a pack of objects of these lengths. */
export function packBytes(contents: readonly { readonly size: number }[]): number {
  return contents.reduce((sum, { size }) => sum + headerBytes + size, mark.length);
}

export function packOf(objects: readonly PackedObject[]): Uint8Array<ArrayBuffer> {
  const pack = new Uint8Array(packBytes(objects.map(({ bytes }) => ({ size: bytes.length }))));
  const view = new DataView(pack.buffer);
  pack.set(mark);
  let at = mark.length;
  for (const { sha256, bytes } of objects) {
    for (let index = 0; index < 32; index += 1)
      pack[at + index] = Number.parseInt(sha256.slice(2 * index, 2 * index + 2), 16);
    view.setUint32(at + 32, bytes.length);
    pack.set(bytes, at + headerBytes);
    at += headerBytes + bytes.length;
  }
  return pack;
}

export function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes are no pack, or end before an object does. */
export class CutPack extends Error {
  override readonly name = "CutPack";
}

/**
 * The objects of a pack, one after the other. What it says of their hashes is not checked.
 *
 * @throws CutPack, after the objects that are whole
 */
export function* objectsIn(pack: Uint8Array): Generator<PackedObject> {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  if (mark.some((byte, index) => pack[index] !== byte)) throw new CutPack("It does not begin like a pack");
  for (let at = mark.length; at < pack.length; ) {
    if (at + headerBytes > pack.length) throw new CutPack("It ends within the header of an object");
    const end = at + headerBytes + view.getUint32(at + 32);
    if (end > pack.length) throw new CutPack("It ends within an object");
    yield { sha256: hexadecimal(pack.subarray(at, at + 32)), bytes: pack.subarray(at + headerBytes, end) };
    at = end;
  }
}
