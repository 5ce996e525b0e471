/*
 * Pointers of Git LFS: small texts that stand for large files in a repository whose large files were not fetched. Players would get the
 * text instead of the picture or the level. Their first line is in no other file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */

const firstLine = new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\n");

/** Bytes at the beginning of a file that {@link isLfsPointer} needs. */
export const lfsHeadBytes = firstLine.length;

/** Whether a file is a pointer, by its first bytes. */
export function isLfsPointer(head: Uint8Array): boolean {
  return firstLine.every((byte, index) => head[index] === byte);
}

/** One line for each pointer. */
export function lfsPlaces(files: readonly { readonly path: string; readonly isLfsPointer: boolean }[]): string[] {
  return files.filter((file) => file.isLfsPointer).map(({ path }) => `${path}: is a pointer of Git LFS, not the file`);
}

/** Follows {@link lfsPlaces}. */
export const lfsAdvice =
  "Fetch the files: git lfs pull. In GitHub Actions: actions/checkout with lfs: true, in the job that builds the game.";
