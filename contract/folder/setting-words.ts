import type { ReleaseSettings } from "../api/releases/release-settings.ts";
import { settingNames } from "../api/releases/setting-words.ts";

/*
 * Words for changing a setting: the command line names svc.toml, the dashboard its switches.
 */
export interface SettingWords {
  /** Follows "needs" and the like. */
  readonly isolation: string;
  readonly credentialless: string;
  readonly spa: string;
  immutable(pattern: string): string;
  /** Name of the place that has all settings; begins a sentence. */
  readonly place: string;
  nameOf(setting: keyof ReleaseSettings): string;
  /** Who has set what nobody decided, and what keeps it. */
  readonly undecided: string;
}

export const projectFileWords: SettingWords = {
  isolation: "isolation = true in svc.toml",
  credentialless: 'isolation = true, or "credentialless", in svc.toml',
  spa: "spa = true in svc.toml",
  immutable: (pattern) => `immutable = ["${pattern}"] in svc.toml`,
  place: "svc.toml",
  nameOf: (setting) => `${settingNames[setting]} (${setting})`,
  undecided: "Only svc.toml and a person in the dashboard decide such settings; write into svc.toml what shall stay.",
};
