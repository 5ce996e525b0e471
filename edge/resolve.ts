import type { Content } from "../contract/manifest-rules.ts";
import type { ReleaseSettings } from "../contract/release-settings.ts";

/** The files of one release by their paths, and how they are sent. */
export interface ReleaseFiles {
  readonly settings: ReleaseSettings;
  find(path: string): ReleaseFile | undefined;
}

export interface ReleaseFile extends Content {
  readonly br?: Content | undefined;
}

/** What a path leads to in one release. */
export type Resolved =
  | { readonly kind: "file"; readonly path: string; readonly file: ReleaseFile }
  /** A folder that has an index.html and was asked for without the slash at its end. */
  | { readonly kind: "redirect"; readonly path: string };

const indexPage = "index.html";

/** Finds what a decoded path leads to: a file, the index.html of a folder, or the redirect to it. */
export function resolve(path: string, files: ReleaseFiles): Resolved | undefined {
  const isFolder = path === "" || path.endsWith("/");
  const wanted = isFolder ? path + indexPage : path;
  const file = files.find(wanted);
  if (file !== undefined) return { kind: "file", path: wanted, file };
  if (isFolder || files.find(`${path}/${indexPage}`) === undefined) return undefined;
  return { kind: "redirect", path: `/${path.split("/").map(encodeURIComponent).join("/")}/` };
}
