import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";

const deltas = new Map<string, Buffer>();

/** Delta that a browser with the older bytes gets of the newer ones (RFC 9842, section 4). */
export function deltaOf(older: string | Buffer, newer: string | Buffer): Buffer {
  const hash = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
  const dictionary = Buffer.from(older);
  const key = hash(older) + hash(newer);
  const header = Buffer.concat([Buffer.from("5e2a4d1820000000", "hex"), Buffer.from(hash(older), "hex")]);
  const params = { [constants.ZSTD_c_windowLog]: 22, [constants.ZSTD_c_compressionLevel]: 12 };
  const made = deltas.get(key) ?? Buffer.concat([header, zstdCompressSync(newer, { dictionary, params })]);
  deltas.set(key, made);
  return made;
}
