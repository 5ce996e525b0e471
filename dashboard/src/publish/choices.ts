import { limits } from "../../../contract/api/limits.ts";
import {
  defaultSettings,
  type Frame,
  type Isolation,
  type ReleaseSettings,
} from "../../../contract/api/release-settings.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { projectFileWords, type SettingWords } from "../../../contract/folder/setting-words.ts";
import type { RequestBody } from "../api.ts";

/* Choices of a person in the review, and their effect beside a svc.toml and recognised settings. */

/** Choices that a person has made; those that they have not made are undefined. */
export interface Choices {
  readonly isolation?: boolean;
  readonly spa?: boolean;
  readonly immutable?: boolean;
  readonly frame?: Frame;
  readonly whole?: boolean;
  readonly picture?: ChosenPicture | KeptPicture | undefined;
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

/** Choices as the service keeps them. */
export type ReleaseChoices = NonNullable<RequestBody<"createRelease">["choices"]>;

/** A picture that was chosen for the live release, whose bytes the service has. */
export interface KeptPicture {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** The URL at which it can be seen; null if nothing is live. */
  readonly url: string | null;
}

/** Settings of the release that is live, or else was live last, with which a publication begins. */
export interface LiveSettings extends ReleaseSettings {
  /** Somebody turned isolation off though the build seems to need it. */
  readonly isolationOff?: boolean;
  /** Nothing is live now. */
  readonly isPast?: boolean;
}

/** A way on for somebody whose selection is refused. */
export interface Offer {
  readonly label: string;
  /** Added to what was chosen before. */
  readonly choices: Partial<Choices>;
}

export function withOffer(choices: Choices, { choices: more }: Offer): Choices {
  return { ...choices, ...more, leftOut: [...new Set([...choices.leftOut, ...(more.leftOut ?? [])])] };
}

/** A setting, and who has decided it: svc.toml, else the person, else the build, else the release that is live. */
export interface Switch {
  readonly isOn: boolean;
  readonly by: "file" | "person" | "build" | "live" | "nobody";
  /** The same of the live release; undefined if nothing is live. */
  readonly live: boolean | undefined;
}

export interface Switches {
  readonly isolation: Switch & { readonly why: string | undefined };
  readonly spa: Switch;
  readonly immutable: Switch & { readonly patterns: readonly string[] };
  /** Sites that may show the game in a frame. */
  readonly frame: { readonly value: Frame; readonly isByFile: boolean; readonly live: Frame | undefined };
  /** Files that browsers load with each page. */
  readonly preload: { readonly paths: readonly string[]; readonly isByFile: boolean };
  /** Every file is loaded from its own URL. */
  readonly whole: Switch;
}

interface Known {
  readonly file: ProjectFile;
  readonly choices: Choices;
  /** Undefined if nothing was ever live. */
  readonly live: LiveSettings | undefined;
  /** Evidence that the build has threads. */
  readonly threads: string | undefined;
  /** The folder of files that are named by their content. */
  readonly hashedNames: string | undefined;
}

/**
 * Threads are set already where the build has them, because it does not start without. Files that seem to be named by their
 * content are only offered: a name can deceive, and a browser would keep such a file for a year.
 */
export function switchesFor({ file, choices, live, threads, hashedNames }: Known): Switches {
  const patterns =
    file.immutable ??
    (live && live.immutable.length > 0 ? live.immutable : hashedNames === undefined ? [] : [hashedNames]);
  const beside = live?.isPast ? undefined : live;
  return {
    isolation: {
      ...decided({
        file: file.isolation === undefined ? undefined : file.isolation !== false,
        person: choices.isolation,
        build: threads === undefined || live?.isolationOff ? undefined : true,
        live: live && live.isolation !== false,
      }),
      live: beside && beside.isolation !== false,
      why: threads,
    },
    spa: { ...decided({ file: file.spa, person: choices.spa, live: live?.spa }), live: beside?.spa },
    immutable: {
      ...decided({
        file: file.immutable && file.immutable.length > 0,
        person: choices.immutable,
        live: live && live.immutable.length > 0,
      }),
      live: beside && beside.immutable.length > 0,
      patterns,
    },
    frame: {
      value: file.frame ?? choices.frame ?? live?.frame ?? defaultSettings.frame,
      isByFile: file.frame !== undefined,
      live: beside?.frame,
    },
    preload: {
      paths: file.preload ?? live?.preload ?? defaultSettings.preload,
      isByFile: file.preload !== undefined,
    },
    whole: {
      ...decided({
        file: file.updates && file.updates === "whole",
        person: choices.whole,
        live: live && live.updates === "whole",
      }),
      live: beside && beside.updates === "whole",
    },
  };
}

function decided(by: Partial<Record<"file" | "person" | "build" | "live", boolean | undefined>>): Omit<Switch, "live"> {
  for (const who of ["file", "person", "build", "live"] as const) {
    const isOn = by[who];
    if (isOn !== undefined) return { isOn, by: isOn || who !== "live" ? who : "nobody" };
  }
  return { isOn: false, by: "nobody" };
}

/** Choices as the service keeps them with a release, for the next publication. What it does not take is chosen again. */
export function keptWith(choices: Choices, isolation: Switches["isolation"]): ReleaseChoices {
  const isShort = (path: string) => path.length <= limits.chosenPathLength && path.isWellFormed();
  return {
    left_out: choices.leftOut.filter(isShort).slice(0, limits.leftOutPaths),
    ...(choices.page && isShort(choices.page) && { index: choices.page }),
    picture: choices.picture !== undefined,
    isolation_off: isolation.why !== undefined && !isolation.isOn && isolation.by !== "file",
  };
}

/** Settings that the switches mean for a release. */
export function settingsFrom(switches: Switches, { file, live }: Pick<Known, "file" | "live">): ReleaseSettings {
  const { isolation, spa, immutable, frame, preload, whole } = switches;
  const kind: Isolation = file.isolation || live?.isolation || true;
  return {
    isolation: isolation.isOn && kind,
    spa: spa.isOn,
    immutable: immutable.isOn ? immutable.patterns : [],
    frame: frame.value,
    preload: preload.paths,
    updates: whole.isOn ? "whole" : "content",
  };
}

/** A warning names the switch, unless svc.toml decides. */
export function wordsFor(file: ProjectFile): SettingWords {
  return {
    isolation: file.isolation === undefined ? "the switch Threads" : projectFileWords.isolation,
    credentialless: file.isolation === undefined ? "the switch Threads" : projectFileWords.credentialless,
    spa: file.spa === undefined ? "the switch Single page" : projectFileWords.spa,
    immutable: (pattern) =>
      file.immutable === undefined ? "the switch Keep in browsers" : projectFileWords.immutable(pattern),
    place: "The review",
  };
}
