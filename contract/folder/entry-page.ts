/*
 * Page or folder that a folder has instead of an index.html at its top. Many programs that make a game of one page name it
 * after the game.
 */

/** A page at the top that can be published as index.html, or a folder that has an index.html, with its slash. */
export type EntryPage = { readonly page: string } | { readonly folder: string };

/** Folders of templates and sources, whose pages no build wrote. */
const sourceFolder = /(?:^|\/)(?:src|Assets|Packages|addons|templates)\//;

/** @param paths of all files that are published; undefined if nothing stands out */
export function insteadOfIndex(paths: readonly string[]): EntryPage | undefined {
  const pages = paths.filter((path) => /^[^/]+\.x?html?$/i.test(path));
  const named = pages.find((path) => /^index\.x?html?$/i.test(path));
  if (named !== undefined) return { page: named };
  // Templates of create-react-app and Vue have their page there, and what the build copies.
  const isSource = paths.includes("package.json") ? /^public\// : undefined;
  const [folder] = paths
    .filter((path) => path.endsWith("/index.html") && !sourceFolder.test(path) && !isSource?.test(path))
    .map((path) => path.slice(0, -"index.html".length))
    .toSorted((a, b) => a.split("/").length - b.split("/").length);
  if (folder !== undefined) return { folder };
  const [only, ...more] = pages;
  return only !== undefined && more.length === 0 ? { page: only } : undefined;
}
