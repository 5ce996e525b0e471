import {
  changedSettings,
  defaultSettings,
  type ReleaseSettings,
} from "../../../contract/api/releases/release-settings.ts";
import { isWithin } from "../../../contract/folder/file-rules.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { projectFileWords } from "../../../contract/folder/setting-words.ts";
import type { Beginning } from "../../../publisher/beginning.ts";

/** Decisions that a publication takes over: settings that are no defaults, left-out paths and the chosen picture. */
export interface FromLive {
  readonly settings: readonly (keyof ReleaseSettings)[];
  readonly left_out: readonly string[];
  /** The path of the picture. */
  readonly picture: string | null;
}

/** @param paths those of the folder */
export function fromLive({ decided, choices }: Beginning, file: ProjectFile, paths: readonly string[]): FromLive {
  const changed = new Set(changedSettings(decided, defaultSettings));
  const names = Object.keys(defaultSettings) as (keyof ReleaseSettings)[];
  return {
    settings: names.filter((name) => changed.has(name) && file[name] === undefined),
    left_out: choices.leftOut.filter((name) => paths.some((path) => isWithin(path, name))),
    picture: choices.picture?.path ?? null,
  };
}

/** In sentences; none for nothing. */
export function fromLiveLines({ settings, left_out: leftOut, picture }: FromLive): string[] {
  const decisions = [
    ...settings.map(projectFileWords.nameOf),
    ...(leftOut.length > 0 ? [`${leftOut.join(", ")} left out`] : []),
    ...(picture === null ? [] : [`the picture that was chosen (${picture})`]),
  ];
  if (decisions.length === 0) return [];
  return [
    `As decided in the dashboard: ${decisions.join("; ")}. svc.toml decides the settings that it names; --fresh takes nothing.`,
  ];
}
