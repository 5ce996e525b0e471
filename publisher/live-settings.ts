import type { ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Client } from "../contract/client.ts";
import { type Activation, activateRelease } from "./going-live.ts";
import { settingsBody } from "./release.ts";
import { type Choices, type Switches, settingsFrom, switchesFor } from "./settings.ts";
import { idOf, openRelease } from "./upload-release.ts";

/* Other settings for the files that are live, which need no folder and no upload. */

/** Choices of a person for settings of what is live. */
export type SettingChoices = Pick<Choices, "isolation" | "spa" | "immutable" | "frame" | "whole">;

/** Switches of the live release, as a person has set them: neither svc.toml nor the build decides here. */
export function liveSwitches(live: ReleaseSettings, choices: SettingChoices): Switches {
  return switchesFor({ file: {}, choices, decided: live, live, threads: undefined, hashedNames: undefined });
}

/** The settings that a person has chosen; those of what is live if they have chosen nothing. */
export function chosenSettings(live: ReleaseSettings, choices: SettingChoices): ReleaseSettings {
  return settingsFrom(liveSwitches(live, choices), { file: {}, decided: live });
}

/** A release that is live, and the settings that it is to have. */
export interface SettingsChange {
  readonly slug: string;
  /** The id of the live release. */
  readonly current: string;
  readonly settings: ReleaseSettings;
}

/**
 * Makes a release live that has the files of the live one and other settings. If another release went live meanwhile, that stays.
 *
 * @throws ApiError `current_release_changed` then; ReleaseReplaced
 */
export async function publishSettings(
  client: Client,
  { slug, current, settings }: SettingsChange,
): Promise<Activation> {
  const opened = await openRelease(client, slug, settingsBody({ filesOf: current, settings }));
  return await activateRelease(client, { slug, id: idOf(opened) }, { expectCurrent: current });
}
