import * as fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CopyFacts } from "../../../publisher/copies.ts";
import { ChangedFile, type SourceFile, UnreadableFile } from "../../../publisher/source.ts";
import { hasErrorCode, isSystemError, systemReason } from "../system-error.ts";

/** A file to publish, as it was when the folder was read. */
export interface LocalFile extends SourceFile {
  /** Path on this machine, with all links resolved. */
  readonly location: string;
  readonly mtimeMs: number;
}

/** A file with the SHA-256 of its bytes in lower-case hexadecimal. */
export interface HashedFile extends LocalFile, CopyFacts {}

/** The same as it is sent, by its location. */
export type SentFile = Omit<HashedFile, "stream">;

/** @throws what the system throws */
export function localFile(path: string, location: string): LocalFile {
  const { size, mtimeMs } = fs.statSync(location);
  return asLocalFile({ path, location, size, mtimeMs });
}

export function asLocalFile(file: Omit<LocalFile, "stream">): LocalFile {
  return { ...file, stream: () => unchangedBytes(file) };
}

/** Small enough for the processor's cache, large enough that most files take one read. */
const maxReadBytes = 256 * 1024;
/** Bytes that are read before signals and progress run. */
const bytesPerTurn = 16 * 1024 * 1024;
let bytesInTurn = 0;

/** Fails if the size or the time of the file differ from those when the folder was read. */
function unchangedBytes({ location, size, mtimeMs }: Omit<LocalFile, "stream">): ReadableStream<Uint8Array> {
  const atOnce = Math.min(maxReadBytes, size + 1);
  let [descriptor, length]: [number | undefined, number] = [undefined, 0];
  const close = () => {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    descriptor = undefined;
  };
  const readNext = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    descriptor ??= fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    const piece = Buffer.allocUnsafeSlow(atOnce);
    const read = fs.readSync(descriptor, piece, 0, atOnce, null);
    length += read;
    bytesInTurn += read;
    // A short read is the end of a regular file.
    const isOver = read < atOnce || length > size;
    if (isOver) {
      const status = fs.fstatSync(descriptor);
      if (length !== size || status.size !== size || status.mtimeMs !== mtimeMs) throw new ChangedFile();
      close();
    }
    if (read > 0) controller.enqueue(piece.subarray(0, read));
    if (isOver) controller.close();
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      readNext(controller);
    } catch (failure) {
      close();
      throw asReadFailure(failure);
    }
    if (bytesInTurn < bytesPerTurn) return;
    bytesInTurn = 0;
    await nextTurn();
  };
  return new ReadableStream({ pull, cancel: close }, { highWaterMark: 0 });
}

function asReadFailure(failure: unknown): unknown {
  if (hasErrorCode(failure, "ENOENT", "ELOOP")) return new ChangedFile();
  return isSystemError(failure) ? new UnreadableFile(systemReason(failure), { cause: failure }) : failure;
}
