import { crc32, deflateSync } from "node:zlib";

/** A black image. */
export function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits of grey.
  header[8] = 8;
  const chunks: readonly (readonly [string, Buffer])[] = [
    ["IHDR", header],
    ["IDAT", deflateSync(Buffer.alloc((width + 1) * height))],
    ["IEND", Buffer.alloc(0)],
  ];
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    ...chunks.map(([name, bytes]) => chunkOf(name, bytes)),
  ]);
}

function chunkOf(name: string, bytes: Buffer): Buffer {
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(name), bytes]);
  size.writeUInt32BE(bytes.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, check]);
}
