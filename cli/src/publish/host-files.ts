import { hostFileProblems, isHostFile } from "../../../contract/folder/host-files.ts";
import { UserError } from "../errors.ts";
import { readSmallFile } from "../small-file.ts";

/**
 * Refuses a folder with lines in `_headers` or `_redirects`: nothing here reads them, and players would get the game without what they
 * say.
 *
 * @throws UserError that names for each line what takes its place
 */
export function refuseHostFiles(
  folder: string,
  files: readonly { readonly path: string; readonly location: string }[],
): void {
  const places = files
    .filter(({ path }) => isHostFile(path))
    .flatMap(({ path, location }) => {
      const text = readSmallFile(location, (why) => refused(folder, [`${path} ${why}`])) ?? "";
      return hostFileProblems(path, text).map((problem) => `${path}, ${problem}`);
    });
  if (places.length > 0) throw refused(folder, places);
}

function refused(folder: string, places: readonly string[]): UserError {
  return new UserError(`${folder} has files that configure other hosts, and nothing here. Nothing was sent.`, {
    code: "host_files",
    places,
    next: 'Write what the game needs into svc.toml, and leave these files out: ignore = ["_headers", "_redirects"]',
  });
}
