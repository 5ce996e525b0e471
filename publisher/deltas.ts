import type { Delta, ManifestFile } from "../contract/api/releases/manifest-rules.ts";
import type { ResponseBody } from "../contract/client.ts";
import { type CopyFacts, mayBeCompressed } from "./copies.ts";
import type { Copies } from "./manifest.ts";
import type { PreparedFile } from "./prepare.ts";
import type { SourceFile } from "./source.ts";

/** A file of an earlier release, and where its bytes are. */
export type OlderFile = ResponseBody<"createRelease">["older_files"][number];

/**
 * A file of the new release, with its length in Brotli if it has a variant and whether it is sent as it is stored, and one of an earlier
 * release that players may have.
 */
export interface DeltaSource<File extends SourceFile> extends Pick<ManifestFile, "br" | "encoding"> {
  readonly file: File & CopyFacts;
  readonly older: OlderFile;
}

/** Makes the deltas of one publication. */
export interface DeltaMaker<File extends SourceFile> {
  /** Whether a delta of a file of so many bytes can be made here. */
  canMake(file: Pick<SourceFile, "size">): boolean;
  /**
   * The deltas that save enough, the smallest first, by `seenBytesOf` the file.
   *
   * @throws Refused if a file changed after it was hashed
   */
  of(sources: readonly DeltaSource<File>[]): Promise<ReadonlyMap<string, readonly Delta[]>>;
  /** The deltas with these hashes, with their bytes. */
  toUpload(wanted: ReadonlySet<string>): readonly (File & CopyFacts)[];
}

/** Pairs of a file and an older one at its path. */
export function deltaSources<File extends SourceFile>(
  files: readonly PreparedFile<File>[],
  olderFiles: readonly OlderFile[],
  variants: Copies["variants"],
): DeltaSource<File>[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return olderFiles.flatMap((older) => {
    const file = byPath.get(older.path);
    const br = file && mayBeCompressed(file) ? variants.get(file.sha256) : undefined;
    return file ? [{ file, older, br, encoding: file.encoding }] : [];
  });
}
