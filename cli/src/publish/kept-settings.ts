import {
  changedSettings,
  defaultSettings,
  type ReleaseSettings,
} from "../../../contract/api/releases/release-settings.ts";
import type { Client } from "../../../contract/client.ts";
import { isWithin } from "../../../contract/folder/file-rules.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { projectFileWords } from "../../../contract/folder/setting-words.ts";
import { type Beginning, beginning, freshBeginning, otherBeginning } from "../../../publisher/beginning.ts";
import { assertPreparable } from "../../../publisher/prepare.ts";
import type { Choices } from "../../../publisher/settings.ts";
import type { SourceFile } from "../../../publisher/source.ts";
import { exitCodes, UserError } from "../errors.ts";

interface Deciding {
  readonly client: Client;
  readonly slug: string;
  readonly page?: string | undefined;
  readonly isForced: boolean;
  readonly isFresh: boolean;
}

/**
 * Checks files before they are hashed: as they are, and if they are refused, without what a person has left out of the project's releases.
 *
 * @throws Refused
 */
export async function assertPreparableAsDecided(
  { client, slug, page, isForced, isFresh }: Deciding,
  files: readonly SourceFile[],
): Promise<void> {
  const own = { isForced, ...(page !== undefined && { page }) };
  const check = (choices: Choices) =>
    assertPreparable(files, { choices: { ...choices, ...own }, words: projectFileWords });
  try {
    await check(freshBeginning.choices);
  } catch (refusal) {
    // Whoever cannot be reached is told what is wrong here.
    const begun = isFresh ? freshBeginning : await beginning(client.withOneTry(), slug).catch(() => freshBeginning);
    if (begun.choices.leftOut.length === 0) throw refusal;
    await check(begun.choices);
  }
}

/**
 * Nobody's decision is taken back by a publication that began before it.
 *
 * @throws UserError if a person has decided other settings or choices since
 */
export async function assertStillDecided(client: Client, slug: string, before: Beginning): Promise<void> {
  const now = await otherBeginning(client, slug, before);
  if (now === undefined) return;
  throw new UserError(`Release ${now.current ?? "none"} is live now, with other settings than when this began.`, {
    code: "current_release_changed",
    exitCode: exitCodes.conflict,
    next: "Run the same command again: it begins with those.",
  });
}

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
  const kept = [
    ...settings.map(projectFileWords.nameOf),
    ...(leftOut.length > 0 ? [`${leftOut.join(", ")} left out`] : []),
    ...(picture === null ? [] : [`the picture that was chosen (${picture})`]),
  ];
  if (kept.length === 0) return [];
  return [
    `As decided in the dashboard: ${kept.join("; ")}. svc.toml decides the settings that it names; --fresh takes nothing.`,
  ];
}
