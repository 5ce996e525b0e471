import { type Content, type Delta, type ManifestFile, seenBytesOf } from "../contract/api/releases/manifest-rules.ts";
import { type Chunks, indexOf, type StoredFile } from "../contract/folder/chunks.ts";
import type { HashFunctions } from "../contract/folder/content-hash.ts";
import { byPath } from "../contract/folder/file-rules.ts";
import { type CopyFacts, type CopyMaker, mayBeCompressed } from "./copies.ts";
import type { Platform } from "./ports.ts";
import type { PreparedFile, PreparedRelease } from "./prepare.ts";
import type { SourceFile } from "./source.ts";

/* The files of a release as its manifest names them. */

/** The index of a content that is sent in parts: an object of the release, like these. */
export interface Index extends Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** By the hash of the content whose chunks it names. */
export type Indexes = ReadonlyMap<string, Index>;

/** What is sent beside the files of a release. */
export interface Copies {
  /** Brotli copies, by the hash of their file. */
  readonly variants: ReadonlyMap<string, CopyFacts>;
  readonly indexes: Indexes;
  /** By the bytes that they give: `seenBytesOf` a file. */
  readonly deltas?: ReadonlyMap<string, readonly Delta[]>;
}

/** A content with the hashes of its parts, if it is sent in parts and they are known. */
export interface SentContent extends Content {
  readonly parts?: readonly string[];
  readonly index?: Content;
}

/** A file as the manifest names it, and as it is sent. */
export interface ReleaseFile extends Omit<ManifestFile, "br" | "index">, SentContent {
  readonly br?: SentContent;
}

/** What is sent beside the files of a release, and those files and copies that are sent in parts. */
export async function copiesOf<File extends SourceFile>(
  files: readonly PreparedFile<File>[],
  maker: CopyMaker<File>,
  { hashes }: Platform,
): Promise<Omit<Copies, "deltas"> & { readonly large: readonly StoredFile[] }> {
  const variants = await maker.of(files);
  const large = [...files, ...variants.values()].flatMap(({ size, sha256, chunks }) =>
    chunks ? [{ size, sha256, chunks }] : [],
  );
  return { variants, large, indexes: new Map(large.map(({ sha256, chunks }) => [sha256, indexFrom(chunks, hashes)])) };
}

function indexFrom(chunks: Chunks, hashes: HashFunctions): Index {
  const [bytes, hash] = [indexOf(chunks), hashes.sha256()];
  hash.update(bytes);
  return { size: bytes.length, sha256: hash.digest(), bytes };
}

export function manifestFiles(
  { files, keptPicture }: Pick<PreparedRelease<SourceFile>, "files" | "keptPicture">,
  { variants, indexes, deltas }: Copies,
): ReleaseFile[] {
  const sent = ({ size, sha256, parts }: SentContent): SentContent => {
    const index = indexes.get(sha256);
    return {
      ...{ size, sha256 },
      ...(parts && { parts }),
      ...(index && { index: { size: index.size, sha256: index.sha256 } }),
    };
  };
  const named = files.map((file: PreparedFile<SourceFile>): ReleaseFile => {
    const { path, encoding } = file;
    const br = mayBeCompressed(file) ? variants.get(file.sha256) : undefined;
    const fileDeltas = deltas?.get(seenBytesOf(file));
    return {
      ...{ path, ...sent(file) },
      ...(br && { br: sent(br) }),
      ...(fileDeltas && { deltas: fileDeltas }),
      ...(encoding && { encoding }),
    };
  });
  if (keptPicture === undefined) return named;
  const { path, size, sha256 } = keptPicture;
  return [...named, { path, size, sha256 }].sort(byPath);
}
