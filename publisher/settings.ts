import { limits } from "../contract/api/limits.ts";
import type { Frame, Isolation, ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Threads } from "../contract/folder/advice.ts";
import type { ProjectFile } from "../contract/folder/project-file.ts";

/* The settings of a release, and who decides each: svc.toml, else the person, else the build, else what a person decided before. */

/** Choices that a person has made; those that they have not made are undefined. */
export interface Choices {
  readonly isolation?: boolean;
  readonly spa?: boolean;
  readonly immutable?: boolean;
  readonly frame?: Frame;
  readonly whole?: boolean;
  /** Publishes a source in place of a build, too. */
  readonly isForced?: boolean;
  readonly picture?: ChosenPicture | KeptPicture | FolderPicture | undefined;
  /** Paths that are not published; a folder ends with a slash. */
  readonly leftOut: readonly string[];
  /** The folder of the selection that is published, with its slash. */
  readonly folder?: string;
  /** The file at its top that is published as index.html. */
  readonly page?: string;
}

/** A picture that is a file of the release without being one of the folder. */
export interface ChosenPicture {
  /** Path in the release. */
  readonly path: "cover.jpg" | "cover.png";
  /** Base64. */
  readonly bytes: string;
}

export function pictureBytes({ bytes }: ChosenPicture): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
}

/** Paths of {@link ChosenPicture}. */
const besidePaths: readonly string[] = ["cover.jpg", "cover.png"] satisfies ChosenPicture["path"][];

/** One of the folder's files: each release shows its own, as long as it has one. */
export interface FolderPicture {
  readonly path: string;
}

/** Whether a chosen picture is a file beside the folder's, and takes the place of one at its path. */
export function isBesideFolder(picture: NonNullable<Choices["picture"]>): picture is ChosenPicture | KeptPicture {
  return "bytes" in picture || ("sha256" in picture && besidePaths.includes(picture.path));
}

/** A picture that was chosen before, whose bytes the service has; at another path than a {@link ChosenPicture} it was a {@link FolderPicture}. */
export interface KeptPicture {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** The URL at which it can be seen; null if nothing is live. */
  readonly url: string | null;
}

/** Settings that a person decided before, with which a publication begins. */
export interface DecidedSettings extends ReleaseSettings {
  /** Somebody turned isolation off though the build seems to need it. */
  readonly isolationOff?: boolean;
}

export interface Switch {
  readonly isOn: boolean;
  /** Who decides it; kept: a person did so for an earlier release. */
  readonly by: "file" | "person" | "build" | "kept" | "nobody";
  /** The same of the live release; undefined if nothing is live. */
  readonly live: boolean | undefined;
}

export interface Switches {
  readonly isolation: Switch & { readonly why: Threads | undefined };
  readonly spa: Switch;
  readonly immutable: Switch & { readonly patterns: readonly string[] };
  /** Sites that may show the game in a frame. */
  readonly frame: { readonly value: Frame; readonly isByFile: boolean; readonly live: Frame | undefined };
  /** Files that browsers load with each page. */
  readonly preload: { readonly paths: readonly string[]; readonly isByFile: boolean };
  /** Every file is loaded from its own URL. */
  readonly whole: Switch;
}

/** Everything from which the settings follow. */
export interface SettingSources {
  readonly file: ProjectFile;
  readonly choices: Omit<Choices, "leftOut">;
  readonly decided: DecidedSettings;
  /** Settings of the release that is live; undefined if none is. */
  readonly live: ReleaseSettings | undefined;
  /** Evidence that the build has threads. */
  readonly threads: Threads | undefined;
  /** The folder of files that are named by their content. */
  readonly hashedNames: string | undefined;
}

/**
 * Threads are set already where the build has them, because it does not start without. Files that seem to be named by their
 * content are only offered: a name can deceive, and a browser would keep such a file for a year.
 */
export function switchesFor({ file, choices, decided, live, threads, hashedNames }: SettingSources): Switches {
  const offered = hashedNames === undefined ? [] : [hashedNames];
  return {
    isolation: {
      ...switchBy({
        file: file.isolation === undefined ? undefined : file.isolation !== false,
        person: choices.isolation,
        build: threads === undefined || decided.isolationOff ? undefined : true,
        kept: decided.isolation !== false,
      }),
      live: live && live.isolation !== false,
      why: threads,
    },
    spa: { ...switchBy({ file: file.spa, person: choices.spa, kept: decided.spa }), live: live?.spa },
    immutable: {
      ...switchBy({
        file: file.immutable && file.immutable.length > 0,
        person: choices.immutable,
        kept: decided.immutable.length > 0,
      }),
      live: live && live.immutable.length > 0,
      patterns: file.immutable ?? (decided.immutable.length > 0 ? decided.immutable : offered),
    },
    frame: {
      value: file.frame ?? choices.frame ?? decided.frame,
      isByFile: file.frame !== undefined,
      live: live?.frame,
    },
    preload: { paths: file.preload ?? decided.preload, isByFile: file.preload !== undefined },
    whole: {
      ...switchBy({
        file: file.updates && file.updates === "whole",
        person: choices.whole,
        kept: decided.updates === "whole",
      }),
      live: live && live.updates === "whole",
    },
  };
}

function switchBy(by: Partial<Record<"file" | "person" | "build" | "kept", boolean | undefined>>) {
  for (const who of ["file", "person", "build", "kept"] as const) {
    const isOn = by[who];
    if (isOn !== undefined) return { isOn, by: isOn || who !== "kept" ? who : ("nobody" as const) };
  }
  return { isOn: false, by: "nobody" as const };
}

/** Settings that the switches mean for a release. */
export function settingsFrom(
  switches: Switches,
  { file, decided }: Pick<SettingSources, "file" | "decided">,
): ReleaseSettings {
  const { isolation, spa, immutable, frame, preload, whole } = switches;
  const kind: Isolation = file.isolation || decided.isolation || true;
  return {
    isolation: isolation.isOn && kind,
    spa: spa.isOn,
    immutable: immutable.isOn ? immutable.patterns : [],
    frame: frame.value,
    preload: preload.paths,
    updates: whole.isOn ? "whole" : "content",
  };
}

/** Choices as the service keeps them with a release, for the next publication. What it does not take is chosen again. */
export function keptWith(choices: Choices, isolation: Switches["isolation"]) {
  const isShort = (path: string) => path.length <= limits.chosenPathLength && path.isWellFormed();
  return {
    left_out: choices.leftOut.filter(isShort).slice(0, limits.leftOutPaths),
    ...(choices.page && isShort(choices.page) && { index: choices.page }),
    // A cover of the folder would look like a picture beside it to the next publication, and stay when the folder's changes.
    picture:
      choices.picture !== undefined && (isBesideFolder(choices.picture) || !besidePaths.includes(choices.picture.path)),
    isolation_off: isolation.why !== undefined && !isolation.isOn && isolation.by !== "file",
  };
}
