import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { storedEncodingOf } from "../../../contract/api/releases/content-types.ts";
import { matchesPattern } from "../../../contract/api/releases/release-settings.ts";
import { readFailure } from "./file-failure.ts";
import type { LocalFile } from "./folder.ts";

/*
 * Files named .gz or .br are sent with Content-Encoding, so that browsers decompress them. If the bytes are not what the
 * name says, a browser would fail.
 */

/**
 * Bytes that are read: more than the longest block of Brotli (16 MiB, RFC 7932, section 9.2), since a block that is not compressed may be
 * any bytes.
 */
const readBytes = 20 * 1024 * 1024;
const decompressedBytes = 32 * 1024 * 1024;

/**
 * The paths that are sent as they are stored although they are named `.gz` or `.br`: their bytes are not compressed so, or
 * the game decompresses them itself.
 *
 * @param raw patterns of the files that the game decompresses
 */
export async function pathsSentAsStored(
  files: readonly LocalFile[],
  raw: readonly string[],
): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const file of files) {
    const stored = storedEncodingOf(file.path);
    if (stored === undefined) continue;
    if (matchesPattern(file.path, raw) || !(await isEncoded(file, stored.encoding))) paths.add(file.path);
  }
  return paths;
}

async function isEncoded(file: LocalFile, encoding: "br" | "gzip"): Promise<boolean> {
  if (encoding === "gzip") return (await firstBytes(file, 2)).toString("hex") === "1f8b";
  return await isBrotli(await firstBytes(file, readBytes), file.size > readBytes);
}

async function firstBytes(file: LocalFile, count: number): Promise<Buffer> {
  try {
    return await buffer(createReadStream(file.location, { end: count - 1, highWaterMark: 1024 * 1024 }));
  } catch (failure) {
    throw readFailure(failure, file);
  }
}

/** Node's types leave out what `info` adds to the result. */
const decompress = promisify(zlib.brotliDecompress) as (bytes: Buffer, options: zlib.BrotliOptions) => Promise<unknown>;

/** Brotli has no magic number, so this decompresses; bytes after its end are refused as an error. */
async function isBrotli(bytes: Buffer, isCut: boolean): Promise<boolean> {
  try {
    const options = { ...(isCut && { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }), info: true };
    const result = await decompress(bytes, { ...options, maxOutputLength: decompressedBytes });
    const { engine } = result as { engine: zlib.BrotliDecompress };
    return engine.bytesWritten === bytes.length;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
  }
}
