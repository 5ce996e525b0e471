import { storedEncodingOf } from "../contract/api/releases/content-types.ts";
import type { Content } from "../contract/api/releases/manifest-rules.ts";
import { isScript, makesSharedMemory, readBytes } from "../contract/folder/build-advice.ts";
import { Chunker, type Chunks } from "../contract/folder/chunks.ts";
import { ContentHash, isSentInParts } from "../contract/folder/content-hash.ts";
import { isLfsPointer, lfsHeadBytes, lfsPlaces } from "../contract/folder/git-lfs.ts";
import { bothFound, type FoundSecrets, packingOf, SecretScan, tokenPlaces } from "../contract/folder/secret-content.ts";
import type { Platform } from "./ports.ts";
import { type Progress, tallyOf } from "./progress.ts";
import { Refused } from "./refused.ts";
import { ChangedFile, eachPiece, type SourceFile, UnreadableFile } from "./source.ts";

/** What one pass over a file's bytes tells. */
export interface FileFacts extends Omit<Content, "size"> {
  /** The SHA-256 of each part, and the chunks, of a file that is sent in parts. */
  readonly parts?: readonly string[];
  readonly chunks?: Chunks;
  /** Secrets in its bytes, and in what they unpack to. */
  readonly secrets: FoundSecrets | undefined;
  readonly isLfsPointer: boolean;
  /** The bytes are what a name that ends with .gz or .br promises. */
  readonly isEncoded: boolean;
  readonly makesSharedMemory: boolean;
}

export type FileWithFacts<File extends SourceFile> = File & FileFacts;

export interface ReadOptions {
  readonly platform: Platform;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  /** Facts from an earlier reading, by how each file is read: its path may be another one. */
  readonly earlierFacts?: Map<SourceFile["stream"], FileFacts> | undefined;
}

/**
 * Reads and hashes the files.
 *
 * @throws Refused if a file has changed or cannot be read, is a pointer of Git LFS, or contains a token of this service
 */
export async function withFacts<File extends SourceFile>(
  files: readonly File[],
  options: ReadOptions,
): Promise<FileWithFacts<File>[]> {
  const { progress, signal, earlierFacts } = options;
  const read: FileWithFacts<File>[] = [];
  const changed: string[] = [];
  const unreadable: string[] = [];
  progress.start("Hashing", tallyOf(files));
  try {
    for (const file of files) {
      try {
        const earlier = earlierFacts?.get(file.stream);
        if (earlier) progress.add({ files: 0, bytes: file.size });
        const facts = earlier ?? (await factsOf(file, options));
        earlierFacts?.set(file.stream, facts);
        read.push({ ...file, ...facts });
      } catch (failure) {
        signal?.throwIfAborted();
        if (failure instanceof ChangedFile) changed.push(`${file.path}: changed while it was read`);
        else if (failure instanceof UnreadableFile || failure instanceof DOMException)
          unreadable.push(`${file.path}: cannot be read: ${failure.message}`);
        else throw failure;
      }
      progress.add({ files: 1, bytes: 0 });
    }
  } finally {
    progress.end();
  }
  refuse("folder_changes", changed);
  refuse("folder_unreadable", unreadable);
  refuse("token_in_folder", tokenPlaces(read));
  refuse("lfs_pointers", lfsPlaces(read));
  return read;
}

function refuse(
  code: "folder_changes" | "folder_unreadable" | "token_in_folder" | "lfs_pointers",
  places: readonly string[],
): void {
  if (places.length > 0) throw new Refused({ code }, { places });
}

async function factsOf(file: SourceFile, options: ReadOptions): Promise<FileFacts> {
  const { platform, progress, signal } = options;
  const [hash, scan] = [new ContentHash(platform.hashes, file.size), new SecretScan(file)];
  const chunker = isSentInParts(file.size) ? new Chunker() : undefined;
  const [isText, decoder] = [isScript(file.path), new TextDecoder("latin1")];
  let [head, size, text] = [new Uint8Array(), 0, ""];
  await eachPiece(file.stream(), (piece) => {
    signal?.throwIfAborted();
    hash.update(piece);
    chunker?.update(piece);
    scan.update(piece);
    if (size === 0) head = piece.slice(0, lfsHeadBytes);
    size += piece.length;
    if (isText && text.length < readBytes) text += decoder.decode(piece, { stream: true });
    progress.add({ files: 0, bytes: piece.length });
  });
  if (size !== file.size) throw new ChangedFile();
  const packing = packingOf(file.path, head);
  const inner = packing && (await unpackedFacts(file, packing, options));
  return {
    sha256: hash.digest(),
    ...(chunker && { parts: hash.parts(), chunks: chunker.chunks() }),
    secrets: bothFound(scan.secrets(), inner?.secrets),
    isLfsPointer: isLfsPointer(head),
    isEncoded: packing?.encoding === storedEncodingOf(file.path)?.encoding && inner?.isDamaged !== true,
    makesSharedMemory: isText && makesSharedMemory(text),
  };
}

/**
 * Secrets in what a compressed file unpacks to, up to the first byte that cannot be unpacked. Brotli has no magic number: whether a file is
 * what its name promises only unpacking tells. Of gzip the first bytes do.
 */
async function unpackedFacts(
  file: SourceFile,
  { encoding, innerPath }: NonNullable<ReturnType<typeof packingOf>>,
  { platform, signal }: ReadOptions,
): Promise<{ readonly secrets: FoundSecrets | undefined; readonly isDamaged: boolean }> {
  const scan = new SecretScan({ path: innerPath });
  const gzip = () => new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>;
  let isDamaged = false;
  try {
    const bytes = encoding === "gzip" ? file.stream().pipeThrough(gzip()) : await platform.brotli.unpacked(file);
    await eachPiece(bytes, (piece) => {
      signal?.throwIfAborted();
      return scan.update(piece);
    });
  } catch (failure) {
    signal?.throwIfAborted();
    if (failure instanceof ChangedFile || failure instanceof UnreadableFile) throw failure;
    isDamaged = encoding === "br";
  }
  return { secrets: scan.secrets(), isDamaged };
}
