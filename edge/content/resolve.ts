import type { Content, Delta } from "../../contract/api/releases/manifest-rules.ts";
import type { ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { urlPathOf } from "../../contract/folder/url-path.ts";

/** The files of one release by their paths, and how they are sent. */
export interface ReleaseFiles {
  readonly settings: ReleaseSettings;
  find(path: string): ReleaseFile | undefined;
}

export interface ReleaseFile extends Content {
  readonly br?: Content | undefined;
  readonly deltas?: readonly Delta[] | undefined;
  /** Set: it has copies that are not checked yet, and are not sent. */
  readonly isUnchecked?: true | undefined;
  /** Sent as it is stored, whatever its name says. */
  readonly encoding?: "identity" | undefined;
}

/** A file of a release at its path. */
interface ResolvedFile {
  readonly path: string;
  readonly file: ReleaseFile;
}

/** Redirect to the slash for a folder that has an index.html. */
interface Redirect {
  readonly location: string;
}

/** What a path leads to. */
export type Resolved = ResolvedFile | Redirect;

export const indexPage = "index.html";

/** Finds what a decoded path leads to: a file, the index.html of a folder or the redirect to it, or a page without its ending. */
export function resolve(decoded: string, files: ReleaseFiles): Resolved | undefined {
  const path = decoded.normalize("NFC");
  const filePath = path === "" || path.endsWith("/") ? path + indexPage : path;
  const file = files.find(filePath);
  if (file !== undefined) return { path: filePath, file };
  if (files.find(`${path}/${indexPage}`) !== undefined) return { location: `/${urlPathOf(path)}/` };
  const page = `${path}.html`;
  const named = filePath === path ? files.find(page) : undefined;
  return named && { path: page, file: named };
}

/**
 * The first page of a single-page application, for a path without a file: where a person opens a page, or where the path
 * has no extension. A script or an image that is missing is missing.
 */
export function resolvePage(path: string, files: ReleaseFiles, isOpened: boolean): ResolvedFile | undefined {
  const hasExtension = path.lastIndexOf(".") > path.lastIndexOf("/");
  if (!files.settings.spa || (hasExtension && !isOpened)) return undefined;
  const file = files.find(indexPage);
  return file && { path: indexPage, file };
}
