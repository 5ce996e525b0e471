import { limits } from "../api/limits.ts";
import { manifestProblems, pathProblem } from "../api/releases/manifest-rules.ts";

/*
 * Problems with the files of a folder, before their hashes are known.
 */

/** Folder of the service's own pages in each game. */
const servicePath = ".well-known/svc/";

/** One sentence for each file that the API would refuse: by its path, its size, or beside the others. */
export function fileProblems(files: readonly { readonly path: string; readonly size: number }[]): string[] {
  const problems = files.flatMap(({ path, size }) => [
    ...[pathProblem(path)].filter((problem) => problem !== undefined).map((problem) => `${path}: ${problem}`),
    ...(size > limits.bytesPerFile
      ? [`${path}: is larger than ${mebibytes(limits.bytesPerFile)}, the limit for a file`]
      : []),
    ...(path.startsWith(servicePath)
      ? [`${path}: nobody would get it: below ${servicePath} the service responds itself`]
      : []),
  ]);
  // Different hashes, because the same hash with another size would be a problem.
  const asManifest = files.map((file) => ({ ...file, sha256: file.path }));
  const together = manifestProblems(asManifest).map(({ index, detail }) => {
    const path = files[index]?.path ?? "";
    // Two files on a disk, or in a zip, have one path only if their names are equal in Unicode normalisation form C.
    const isTwice = files.some((other, at) => at < index && other.path === path);
    return `${path}: ${isTwice ? "is there twice, with letters such as ö in two forms of Unicode, and both are one URL" : detail}`;
  });
  return [...problems, ...together];
}

function mebibytes(bytes: number): string {
  return `${bytes / 1_024 / 1_024} MiB`;
}

/** @param name of a file, or of a folder, which ends with a slash */
export function isWithin(path: string, name: string): boolean {
  return path === name || (name.endsWith("/") && path.startsWith(name));
}

/** The order of a release's files. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1;
}
