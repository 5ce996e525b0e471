import type { Frame, ReleaseSettings } from "./release-settings.ts";

/** Names of a release's settings for people, the same in the dashboard and on the command line. */
export const settingNames: Readonly<Record<keyof ReleaseSettings, string>> = {
  isolation: "Threads",
  immutable: "Keep in browsers",
  spa: "Single page",
  frame: "Embedding",
  preload: "Preload",
  updates: "Load whole files",
};

/** The settings that a release changes, in words. */
export function settingsInWords(names: readonly (keyof ReleaseSettings)[]): string {
  return names.map((name) => settingNames[name]).join(", ");
}

/** Sites that may show the game on their page, in words. */
export function frameInWords(frame: Frame): string {
  if (frame === "everybody") return "every site";
  return frame === "nobody" ? "no site" : [...frame].sort().join(", ");
}

/** The value of a setting, as the dashboard shows it. */
export function settingInWords(settings: ReleaseSettings, name: keyof ReleaseSettings): string {
  if (name === "frame") return frameInWords(settings.frame);
  if (name === "isolation" && settings.isolation === "credentialless") return "on, without credentials";
  if (name === "immutable" || name === "preload") return settings[name].join(", ") || "nothing";
  return (name === "updates" ? settings.updates === "whole" : settings[name]) ? "on" : "off";
}
