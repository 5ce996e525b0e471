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
}

export const projectFileWords: SettingWords = {
  isolation: "isolation = true in svc.toml",
  credentialless: 'isolation = true, or "credentialless", in svc.toml',
  spa: "spa = true in svc.toml",
  immutable: (pattern) => `immutable = ["${pattern}"] in svc.toml`,
  place: "svc.toml",
};
