import { spawnSync } from "node:child_process";
import { type Advice, aboutPlaces } from "../../../contract/folder/advice.ts";

/**
 * Advice if the folder has files that git ignores, which are often meant for this machine alone; none if git ignores the folder as a
 * whole, as it does with what a build writes, or if there is no git.
 */
export function gitIgnoredAdvice(folder: string, files: readonly { readonly path: string }[]): Advice[] {
  const git = (...args: string[]) => {
    // A repository of others must not choose a program that is run.
    const safely = ["-c", "core.fsmonitor=false", "-C", folder, ...args];
    return spawnSync("git", safely, { encoding: "utf8", timeout: 5_000, maxBuffer: 64 * 1024 * 1024 });
  };
  const notIgnored = 1;
  if (git("check-ignore", "--quiet", "--no-index", ".").status !== notIgnored) return [];
  const { status, stdout } = git(
    "ls-files",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--directory",
    "-z",
    "--",
    ".",
  );
  if (status !== 0) return [];
  const names = new Set(stdout.normalize("NFC").split("\0"));
  const published = files.map(({ path }) => path).filter((path) => isIn(names, path));
  return aboutPlaces("git_ignored_published", published);
}

/** @param names of files, and of folders with a slash */
function isIn(names: ReadonlySet<string>, path: string): boolean {
  if (names.has(path)) return true;
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
    if (names.has(path.slice(0, end + 1))) return true;
  return false;
}
