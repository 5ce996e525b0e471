import { limits } from "../contract/api/limits.ts";
import type { Content, ManifestFile } from "../contract/api/releases/manifest-rules.ts";
import type { ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { OpenedRelease } from "./upload-release.ts";

/** What the API would respond to the dry run of a first release, for a project that does not exist yet: everything is new. */
export function openedInNewProject(files: readonly ManifestFile[], settings: ReleaseSettings): OpenedRelease {
  const none = { count: 0, paths: [] };
  const sizes = new Map(files.flatMap(objectsOf).map(({ sha256, size }) => [sha256, size]));
  return {
    ...{ release: null, current_release: null, changed_settings: [], returning_players: null },
    settings: settings as OpenedRelease["settings"],
    added: { count: files.length, paths: files.slice(0, limits.changedPathsListed).map(({ path }) => path) },
    ...{ changed: none, removed: none, unchanged: none },
    ...{ missing: [...sizes.keys()], first_uploads: null, indexes: [], older_files: [] },
    bytes_to_send: [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** The objects that a file is stored as. */
function objectsOf(file: ManifestFile): Content[] {
  const { index, br, deltas = [] } = file;
  return [file, index, br, br?.index, ...deltas].filter((object) => object !== undefined);
}
