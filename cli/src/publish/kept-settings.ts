import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "../../../contract/api/errors.ts";
import { changedSettings, defaultSettings, type ReleaseSettings } from "../../../contract/api/release-settings.ts";
import { settingNames } from "../../../contract/api/setting-words.ts";
import { isWithin } from "../../../contract/folder/file-rules.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import type { Client, ResponseTo } from "../client.ts";
import { exitCodes, UserError } from "../errors.ts";

/** Settings and choices that the project has, with which a publication begins. */
export interface KeptSettings {
  /** The release that is live; null: none. */
  readonly current: string | null;
  readonly settings: ReleaseSettings;
  readonly choices: ResponseTo<"compareRelease">["choices"];
}

export const nothingKept: Omit<KeptSettings, "current"> = {
  settings: defaultSettings,
  choices: { left_out: [], index: null, picture: null, isolation_off: false },
};

/**
 * Those of the release that is live, or else of the one that was live last.
 *
 * @param tries as of a call
 * @throws ApiError
 */
export async function keptSettings(client: Client, slug: string, tries?: { readonly tries: 1 }): Promise<KeptSettings> {
  try {
    const current = (await client.call("getProject", { params: { slug }, ...tries })).current_release?.id ?? null;
    const id = current ?? (await lastLive(client, slug, tries));
    if (id === undefined) return { current, ...nothingKept };
    const { settings, choices } = await client.call("compareRelease", { params: { slug, id }, ...tries });
    return { current, settings, choices };
  } catch (failure) {
    // It is reported when the release is opened, unless the project is created before.
    if (!(failure instanceof UserError && failure.code === ("project_not_found" satisfies ErrorCode))) throw failure;
    return { current: null, ...nothingKept };
  }
}

/** The release that was live last, while none is. */
async function lastLive(client: Client, slug: string, tries?: { readonly tries: 1 }): Promise<string | undefined> {
  const { releases } = await client.call("listReleases", { params: { slug }, ...tries });
  const earlier = releases.filter(({ status }) => status === "published");
  return earlier.toSorted((a, b) => ((a.published_at ?? "") < (b.published_at ?? "") ? 1 : -1)).at(0)?.id;
}

/**
 * Nobody's decision is taken back by a publication that began before it.
 *
 * @throws UserError if another release has gone live since, with other settings or choices
 */
export async function assertStillKept(client: Client, slug: string, before: KeptSettings): Promise<void> {
  const { current, ...now } = await keptSettings(client, slug);
  const { current: _, ...then } = before;
  if (isDeepStrictEqual(now, then)) return;
  throw new UserError(`Release ${current ?? "none"} is live now, with other settings than when this began.`, {
    code: "current_release_changed",
    exitCode: exitCodes.conflict,
    next: "Run the same command again: it begins with those.",
  });
}

/** Parts of the live release that a publication keeps: settings that are no defaults, left-out paths and the chosen picture. */
export interface FromLive {
  readonly settings: readonly (keyof ReleaseSettings)[];
  readonly left_out: readonly string[];
  /** The path of the picture. */
  readonly picture: string | null;
}

/** @param paths those of the folder */
export function fromLive(kept: KeptSettings | undefined, file: ProjectFile, paths: readonly string[]): FromLive {
  const { settings, choices } = kept ?? nothingKept;
  return {
    settings: changedSettings(defaultSettings, settings).filter((name) => file[name] === undefined),
    left_out: choices.left_out.filter((name) => paths.some((path) => isWithin(path, name))),
    picture: choices.picture?.path ?? null,
  };
}

/** In sentences; none for nothing. */
export function fromLiveLines({ settings, left_out: leftOut, picture }: FromLive): string[] {
  const kept = [
    ...settings.map((name) => `${settingNames[name]} (${name})`),
    ...(leftOut.length > 0 ? [`${leftOut.join(", ")} left out`] : []),
    ...(picture === null ? [] : [`the picture that was chosen (${picture})`]),
  ];
  if (kept.length === 0) return [];
  return [
    `As in the last live release: ${kept.join("; ")}. svc.toml decides the settings that it names; --fresh takes nothing.`,
  ];
}
