import { limits } from "../limits.ts";
import { contentTypeOf } from "./content-types.ts";

/*
 * The picture that lists show of a game: one of the release's own files, which whoever publishes names
 * (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-picture-is-a-file-that-its-publisher-names). Without a schema library, like manifest-rules.ts.
 */

/** Problem with a path as the picture of a release with these files; undefined if the path is good. */
export function pictureProblem(
  files: readonly { readonly path: string; readonly size: number }[],
  picture: string,
): string | undefined {
  const file = files.find(({ path }) => path === picture);
  return file === undefined ? "must be the path of one of the files" : imageProblem(file);
}

/** The same of one of the files. */
export function imageProblem({ path, size }: { readonly path: string; readonly size: number }): string | undefined {
  if (!contentTypeOf(path).type.startsWith("image/")) return "must have the name of an image";
  if (size > limits.pictureBytes) return `must have at most ${limits.pictureBytes} bytes`;
  return undefined;
}
