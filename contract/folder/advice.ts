import type { ReleaseSettings } from "../api/releases/release-settings.ts";
import { projectFileWords, type SettingWords } from "./setting-words.ts";

/*
 * Advice about what is published: likely mistakes that players would notice. It is found as data; the words for it are here too, the
 * same for the command line and the dashboard.
 */

/** Evidence that a build has threads. */
export interface Threads {
  readonly path: string;
  readonly evidence: "worker" | "shared_memory";
}

/** Advice of which the places say all. */
type PlainCode =
  | "bytes_changed_where_immutable"
  | "files_of_other_hosts"
  | "git_ignored_published"
  | "names_guessed"
  | "page_not_utf8"
  | "patterns_unmatched"
  | "picture_too_large"
  | "preload_not_in_folder"
  | "settings_file_unread"
  | "twice_compressed"
  | "workers_kept_without_isolation";

/** A likely mistake. Codes are permanent. */
export type Advice = {
  /** Paths, or what else is named, that the advice is about. */
  readonly places: readonly string[];
} & (
  | { readonly code: PlainCode }
  | { readonly code: "compressed_by_build"; readonly bytes: number; readonly isUnity: boolean }
  | { readonly code: "hashed_names"; readonly pattern: string }
  | { readonly code: "picture_slow"; readonly bytes: number }
  | { readonly code: "project_differs"; readonly project: string; readonly slug: string }
  | { readonly code: "reference_insecure" | "reference_missing" | "reference_case_differs"; readonly reference: string }
  | { readonly code: "secret_in_file"; readonly secret: string }
  /** Settings of the live release that only a token or a CI job has set; places: what was left out there. */
  | { readonly code: "settings_undecided"; readonly settings: readonly (keyof ReleaseSettings)[] }
  | { readonly code: "threads_credentialless" | "threads_not_isolated"; readonly threads: Threads }
);

/** One piece of advice about all of the places; none if there are none. */
export function aboutPlaces(code: PlainCode, places: readonly string[]): Advice[] {
  return places.length === 0 ? [] : [{ code, places }];
}

/** The sentence for a piece of advice. */
export function adviceInWords(advice: Advice, words: SettingWords = projectFileWords): string {
  const { places } = advice;
  const [first = ""] = places;
  const [some, isOne] = [someOf(places), places.length === 1];
  switch (advice.code) {
    case "bytes_changed_where_immutable":
      return `${some} has other bytes than in the live release, but browsers keep what is immutable for a year: give changed files new names.`;
    case "compressed_by_build": {
      const way = advice.isUnity ? "in Unity set Compression Format to Disabled" : "export uncompressed";
      const mebibytes = (advice.bytes / 1_024 / 1_024).toFixed(1);
      return `${some} ${isOne ? "is" : "are"} compressed by the build, so returning players load all ${mebibytes} MiB again after each change: ${way}; svc compresses it.`;
    }
    case "files_of_other_hosts":
      return `Published as files only, because they configure other hosts: ${places.join(", ")}. ${words.place} has the settings here.`;
    case "git_ignored_published":
      return `${some} ${isOne ? "is published although git ignores it" : "are published although git ignores them"}: name what is no part of the game in .svcignore.`;
    case "hashed_names":
      return `File names such as ${first} contain hashes: with ${words.immutable(advice.pattern)} browsers cache such files for a year.`;
    case "names_guessed":
      return `${some}: the zip does not say how these names are written. If they are wrong here, publish the folder itself.`;
    case "page_not_utf8":
      return `${first} is not in UTF-8, as which it is sent, so players see other letters: save it as UTF-8.`;
    case "patterns_unmatched":
      return `Nothing in the folder matches ${places.join(", ")}.`;
    case "picture_slow":
      return `${first} has ${Math.round(advice.bytes / 1_000)} kB, so on a phone the game's page may show it only after more than 1.5 seconds: make it at most 200 kB, for example as WebP.`;
    case "picture_too_large":
      return `${first} has more than 2 MiB, so it is not the game's picture. Make it smaller.`;
    case "preload_not_in_folder":
      return `preload names ${first}, which is not in the folder, so it is not loaded with the page.`;
    case "project_differs":
      return `${first} belongs to the project ${advice.project}; here it is published to ${advice.slug}.`;
    case "reference_case_differs":
      return `index.html refers to ${advice.reference}, but the file is named ${first}: upper and lower case differ.`;
    case "reference_insecure":
      return `${first} loads ${advice.reference}, which browsers block, because it is not https: write https:// instead.`;
    case "reference_missing":
      return `${first} refers to ${advice.reference}, which is not in the folder.`;
    case "secret_in_file":
      return `${some} ${isOne ? "contains" : "contain"} what looks like ${advice.secret}. Published files are public: if it is one, remove it and change it where it is used.`;
    case "settings_file_unread":
      return first.endsWith(".svcignore")
        ? `${first} is ignored. svc reads .svcignore only beside svc.toml, and at the top of what is published.`
        : `${first} is ignored. svc reads svc.toml only from the current folder or above it, and the dashboard from the top of the dropped folder.`;
    case "settings_undecided": {
      const leftOut = places.length > 0 ? [`${places.join(", ")} left out`] : [];
      return `Not as in the live release: ${[...advice.settings.map(words.nameOf), ...leftOut].join("; ")}. ${words.undecided}`;
    }
    case "threads_credentialless":
      return `${threadsInWords(advice.threads)}, and isolation = "credentialless" isolates nothing in Safari and Firefox for Android: only ${projectFileWords.isolation} starts threads there.`;
    case "threads_not_isolated":
      return `${threadsInWords(advice.threads)}, so the game may need ${words.isolation}.`;
    case "twice_compressed":
      return `${places.join(" and ")} are the same file with different compression: remove those that the build does not use.`;
    case "workers_kept_without_isolation":
      return `${some} may be kept by browsers without the headers of isolation, and an isolated page refuses such a worker: give scripts new names.`;
  }
}

/** The beginning of a sentence. */
export function threadsInWords({ path, evidence }: Threads): string {
  return evidence === "worker" ? `${path} belongs to a build with threads` : `${path} makes shared memory`;
}

/** The first, and how many more there are. */
function someOf([first = "", ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}
