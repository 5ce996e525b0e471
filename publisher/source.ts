import { textIn } from "../contract/folder/text-encoding.ts";
import { Refused } from "./refused.ts";

/* Files as the publisher reads them: of a folder, of a zip, or of what a person picked in a browser. */

export interface SourceFile {
  /** In the release: relative, `/`-separated, Unicode normalisation form C. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The zip does not say how its names are written, and others are possible. */
  readonly isNameGuessed?: true;
  /** The bytes, anew with each call. Fails with {@link ChangedFile} if it can be seen that they are not those that were listed. */
  stream(): ReadableStream<Uint8Array>;
}

/** The bytes are not those that were listed, or are gone. */
export class ChangedFile extends Error {
  override readonly name = "ChangedFile";
}

/** The system does not give the bytes; the message is its reason. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

/** Reads a stream to its end, or until `take` returns false. */
export async function eachPiece(
  stream: ReadableStream<Uint8Array>,
  take: (piece: Uint8Array<ArrayBuffer>) => boolean | undefined,
): Promise<void> {
  const reader = stream.getReader();
  let isWanted = true;
  try {
    while (isWanted) {
      const { done, value } = await reader.read();
      if (done) return;
      isWanted = take(value as Uint8Array<ArrayBuffer>) !== false;
    }
  } finally {
    // A stream that has failed, or is over, need not be told.
    void reader.cancel().catch(() => {});
  }
}

/** At least so many bytes at the beginning of a file, if it has them; none if it cannot be read. */
export async function beginningOf(file: SourceFile | undefined, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const take = (piece: Uint8Array<ArrayBuffer>) => {
    pieces.push(piece);
    length += piece.length;
    return length < bytes;
  };
  try {
    if (file) await eachPiece(file.stream(), take);
  } catch {
    return new Uint8Array();
  }
  return joined(pieces);
}

/** The bytes of a small file. @throws what reading it throws */
export async function wholeOf(file: SourceFile): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  await eachPiece(file.stream(), (piece) => void pieces.push(piece));
  return joined(pieces);
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const smallFileBytes = 64 * 1024;

/** The text of one of the files, in UTF-8 or UTF-16, if there is such a file. @throws Refused for one above 64 KiB, or what reading it throws */
export async function textAt(files: readonly SourceFile[], path: string): Promise<string | undefined> {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return undefined;
  if (file.size > smallFileBytes) throw new Refused({ code: "text_too_large", path });
  return textIn(await wholeOf(file));
}
