import * as fs from "node:fs";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as zlib from "node:zlib";
import type { StoredEncoding } from "../../../contract/api/releases/content-types.ts";
import { mayHaveVariant } from "../../../contract/api/releases/manifest-rules.ts";
import { matchesPattern } from "../../../contract/api/releases/release-settings.ts";
import { Chunker, type Chunks } from "../../../contract/folder/chunks.ts";
import { ContentHash, isSentInParts } from "../../../contract/folder/content-hash.ts";
import { isLfsPointer, lfsAdvice, lfsPlaces } from "../../../contract/folder/git-lfs.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import {
  bothFound,
  type FoundSecrets,
  packingOf,
  SecretScan,
  tokenAdvice,
  tokenPlaces,
} from "../../../contract/folder/secret-content.ts";
import { UserError } from "../errors.ts";
import { hasErrorCode, isSystemError, systemReason } from "../system-error.ts";
import type { LocalFile } from "./folder.ts";
import { type Progress, tallyOf } from "./progress.ts";

/** A file with the SHA-256 of its bytes in lower-case hexadecimal. */
export interface HashedFile extends LocalFile {
  readonly sha256: string;
  /** The SHA-256 of each part of a file that is sent in parts, and its chunks. */
  readonly parts?: readonly string[] | undefined;
  readonly chunks?: Chunks | undefined;
  readonly isLfsPointer?: true;
  /** svc.toml says that players get it without compression. */
  readonly isUncompressed?: boolean;
  /** Secrets in its bytes. */
  readonly found?: FoundSecrets | undefined;
}

/** Marks the files that svc.toml leaves uncompressed. @param patterns `uncompressed` of svc.toml */
export function withUncompressed(files: readonly HashedFile[], patterns: readonly string[] = []): HashedFile[] {
  return files.map((file) => ({ ...file, isUncompressed: matchesPattern(file.path, patterns) }));
}

/** Whether a Brotli copy of a file is made if that saves enough. */
export function mayBeCompressed(file: Pick<HashedFile, "path" | "size" | "isUncompressed">): boolean {
  return !file.isUncompressed && mayHaveVariant(file);
}

/** The hash of a file with these bytes. */
export function nameOf(bytes: Buffer): string {
  const hash = new ContentHash(nodeHashes, bytes.length);
  hash.update(bytes);
  return hash.digest();
}

/** Small enough for the processor's cache, large enough that most files take one read. */
const bufferBytes = 256 * 1024;
/** Bytes that are hashed before signals and progress run. */
const bytesPerTurn = 16 * 1024 * 1024;

export interface HashOptions {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** @throws UserError if a file has changed since the folder was read, cannot be read, is a pointer of Git LFS, or contains a token of this service */
export async function hashAll(files: readonly LocalFile[], options: HashOptions): Promise<HashedFile[]> {
  const { progress } = options;
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  const onRead = countingReads(options);
  const hashed: HashedFile[] = [];
  const changed: string[] = [];
  const unreadable: string[] = [];
  progress.start("Hashing", tallyOf(files));
  try {
    for (const file of files) {
      try {
        hashed.push({ ...file, ...(await hashFile(file, buffer, { onRead, signal: options.signal })) });
      } catch (error) {
        if (error instanceof ChangedError || hasErrorCode(error, "ENOENT", "ELOOP")) changed.push(file.path);
        else if (isSystemError(error)) unreadable.push(`${file.path}: cannot be read: ${systemReason(error)}`);
        else throw error;
      }
      progress.add({ files: 1, bytes: 0 });
    }
  } finally {
    progress.end();
  }
  if (changed.length > 0) throw folderChanged(changed);
  if (unreadable.length > 0) throw folderUnreadable(unreadable);
  const tokens = tokenPlaces(hashed);
  if (tokens.length > 0) throw tokenInFolder(tokens);
  const pointers = lfsPlaces(hashed.map(({ path, isLfsPointer: is = false }) => ({ path, isLfsPointer: is })));
  if (pointers.length > 0) throw lfsPointers(pointers);
  return hashed;
}

type OnRead = (bytes: number) => Promise<void> | undefined;

/** Counts what was read, and after every 16 MiB lets signals and progress run. */
function countingReads({ progress, signal }: HashOptions): OnRead {
  let bytesInTurn = 0;
  return (bytes) => {
    progress.add({ files: 0, bytes });
    bytesInTurn += bytes;
    if (bytesInTurn < bytesPerTurn) return undefined;
    bytesInTurn = 0;
    return nextTurn().then(() => signal.throwIfAborted());
  };
}

class ChangedError extends Error {}

async function hashFile(
  file: LocalFile,
  buffer: Buffer,
  { onRead, signal }: { readonly onRead: OnRead; readonly signal: AbortSignal },
): Promise<Pick<HashedFile, "sha256" | "parts" | "chunks" | "found" | "isLfsPointer">> {
  const [hash, scan] = [new ContentHash(nodeHashes, file.size), new SecretScan(file)];
  const chunker = isSentInParts(file.size) ? new Chunker() : undefined;
  let [packing, isPointer, offset]: [StoredEncoding | undefined, boolean, number] = [undefined, false, 0];
  for (const chunk of readUnchanged(file, buffer)) {
    if (offset === 0) [packing, isPointer] = [packingOf(file.path, chunk), isLfsPointer(chunk)];
    offset += chunk.length;
    hash.update(chunk);
    chunker?.update(chunk);
    scan.update(chunk);
    const pause = onRead(chunk.length);
    if (pause !== undefined) await pause;
  }
  const found = bothFound(scan.found(), packing && (await secretsUnpacked(file, packing, signal)));
  const sha256 = hash.digest();
  return {
    sha256,
    ...(chunker && { parts: hash.parts(), chunks: chunker.chunks() }),
    ...(found && { found }),
    ...(isPointer && { isLfsPointer: true as const }),
  };
}

/** Secrets in what a compressed file unpacks to, up to the first byte that cannot be unpacked. */
async function secretsUnpacked(
  { location }: LocalFile,
  { encoding, innerPath }: StoredEncoding,
  signal: AbortSignal,
): Promise<FoundSecrets | undefined> {
  const scan = new SecretScan({ path: innerPath });
  const unpack = encoding === "gzip" ? zlib.createGunzip() : zlib.createBrotliDecompress();
  const look = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) if (!scan.update(chunk)) break;
  };
  try {
    await pipeline(fs.createReadStream(location), unpack, look, { signal });
  } catch (error) {
    signal.throwIfAborted();
    // Its name promises what its bytes are not: there is nothing to unpack.
    if (!isUnpackingError(error)) throw error;
  }
  return scan.found();
}

function isUnpackingError(error: unknown): boolean {
  return /^(?:Z_|ERR_)/.test((error as NodeJS.ErrnoException).code ?? "");
}

/**
 * Reads a file into `buffer`, piece by piece.
 *
 * @throws ChangedError if its size or time differ from those when the folder was read
 */
function* readUnchanged({ location, size, mtimeMs }: LocalFile, buffer: Buffer): Generator<Buffer> {
  const descriptor = fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    let length = 0;
    for (;;) {
      const read = fs.readSync(descriptor, buffer, 0, bufferBytes, null);
      length += read;
      yield buffer.subarray(0, read);
      // A short read is the end of a regular file.
      if (read < bufferBytes || length > size) break;
    }
    const status = fs.fstatSync(descriptor);
    if (length !== size || status.size !== size || status.mtimeMs !== mtimeMs) throw new ChangedError();
  } finally {
    fs.closeSync(descriptor);
  }
}

/** @param paths of the files whose bytes are not those that were read first */
export function folderChanged(paths: readonly string[]): UserError {
  return new UserError("The folder changed while svc read it; nothing was sent.", {
    code: "folder_changes",
    places: paths.map((path) => `${path}: changed while it was read`),
    next: "Wait until the build is finished, then publish again.",
  });
}

function tokenInFolder(places: readonly string[]): UserError {
  return new UserError("A file contains a token of svc; nothing was sent.", {
    code: "token_in_folder",
    places,
    next: tokenAdvice,
  });
}

function lfsPointers(places: readonly string[]): UserError {
  return new UserError("Some files are pointers of Git LFS, not the files themselves; nothing was sent.", {
    code: "lfs_pointers",
    places,
    next: lfsAdvice,
  });
}

function folderUnreadable(places: readonly string[]): UserError {
  return new UserError("Some files cannot be read; nothing was sent.", {
    code: "folder_unreadable",
    places,
    next: "Make them readable, or exclude them with .svcignore.",
  });
}
