import type { ManifestFile } from "../../contract/api/releases/manifest-rules.ts";
import type { ReleaseSettings } from "../../contract/api/releases/release-settings.ts";

/** Choices of whoever published a release, which neither its files nor its settings say: the next publication begins with them. */
export interface ReleaseChoices {
  /** Paths that were left out; a folder ends with a slash. */
  readonly leftOut?: readonly string[];
  /** The file that was published as index.html. */
  readonly index?: string;
  /** Set if the picture was chosen, and is no file of the folder. */
  readonly picture?: true;
  /** Set if isolation is off though the build seems to need it. */
  readonly isolationOff?: true;
}

/** What a person decided when they last made a release live by a session: no token changes it. */
export interface Decisions {
  /** Those that are not the defaults. */
  readonly settings: Partial<ReleaseSettings>;
  readonly choices: Omit<ReleaseChoices, "picture"> & {
    readonly picture?: Pick<ManifestFile, "path" | "size" | "sha256">;
  };
}
