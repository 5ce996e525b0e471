import {
  type Content,
  type Delta,
  type ManifestFile,
  seenBytesOf,
} from "../../../contract/api/releases/manifest-rules.ts";
import type { Choices } from "../../../publisher/settings.ts";
import { type HashedFile, mayBeCompressed } from "./hash.ts";
import type { Indexes } from "./known-parts.ts";

/** The files of a release. */
export interface ReleaseContent {
  readonly files: readonly HashedFile[];
  /** The paths that are sent as they are stored, whatever their names say. */
  readonly asStored: ReadonlySet<string>;
}

/** Copies of files for those who can use them, by the hash of their file. */
export interface Copies {
  readonly variants: ReadonlyMap<string, Content>;
  /** By the bytes that they give: `seenBytesOf` a file. */
  readonly deltas: ReadonlyMap<string, readonly Delta[]>;
  readonly indexes: Indexes;
}

/** The files as the manifest names them. @param chosen a picture whose bytes the service has */
export function manifestFiles(
  { files, asStored }: ReleaseContent,
  { variants, deltas, indexes }: Copies,
  chosen: Choices["picture"],
): ManifestFile[] {
  const indexed = (content: Content) => ({ ...content, index: indexes.get(content.sha256) });
  const own = files.filter(({ path }) => path !== chosen?.path);
  const named = own.map((file) => {
    const { path, size, sha256 } = file;
    const br = mayBeCompressed(file) ? variants.get(sha256) : undefined;
    const encoding = asStored.has(path) ? ("identity" as const) : undefined;
    return {
      ...{ path, ...indexed({ size, sha256 }) },
      ...(br && { br: indexed(br) }),
      deltas: deltas.get(seenBytesOf({ path, sha256, encoding })),
      ...(encoding && { encoding }),
    };
  });
  return chosen && "sha256" in chosen ? [...named, chosen] : named;
}
