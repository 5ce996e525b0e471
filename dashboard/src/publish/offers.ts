import { limits } from "../../../contract/api/limits.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { settingNames } from "../../../contract/api/releases/setting-words.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { projectFileWords, type SettingWords } from "../../../contract/folder/setting-words.ts";
import type { Refused } from "../../../publisher/refused.ts";
import type { Choices } from "../../../publisher/settings.ts";
import { bytesInWords } from "../format.ts";
import { type Offer, Refusal } from "./refusal.ts";

/* Ways on from a refusal, and the dashboard's words for settings. */

export function withOffer(choices: Choices, { choices: more }: Offer): Choices {
  return { ...choices, ...more, leftOut: [...new Set([...choices.leftOut, ...(more.leftOut ?? [])])] };
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

/** A warning if players lose settings of the live release that only a token or a CI job has set. */
export function undecidedAdvice(settings: readonly (keyof ReleaseSettings)[], leftOut: readonly string[]): string[] {
  const lost = [
    ...settings.map((name) => settingNames[name]),
    ...(leftOut.length > 0 ? [`${leftOut.join(", ")} left out`] : []),
  ];
  if (lost.length === 0) return [];
  return [
    `Not as in the live release: ${lost.join("; ")}. A token or a CI job set it there. Choose it here if it shall stay.`,
  ];
}

/** What the publisher refuses, in the dashboard's words. */
export function explainRefusal({ bytes }: Refused): Refusal {
  return new Refusal(
    `The list of its files has ${bytesInWords(bytes)}; the limit is ${bytesInWords(limits.manifestBodyBytes)}. Shorten the paths, or pack small files together.`,
  );
}
