import { limits } from "../../../contract/api/limits.ts";
import { settingNames } from "../../../contract/api/releases/setting-words.ts";
import type { EntryPage } from "../../../contract/folder/entry-page.ts";
import { lfsAdvice } from "../../../contract/folder/git-lfs.ts";
import { type ProjectFile, projectFileName } from "../../../contract/folder/project-file.ts";
import { tokenAdvice } from "../../../contract/folder/secret-content.ts";
import { projectFileWords, type SettingWords } from "../../../contract/folder/setting-words.ts";
import { wayToBuild } from "../../../contract/folder/source-folder.ts";
import type { RefusalReason, Refused } from "../../../publisher/refused.ts";
import type { Choices } from "../../../publisher/settings.ts";
import { bytesInWords, counted } from "../format.ts";
import { type Offer, Refusal } from "./refusal.ts";

/* Ways on from a refusal, and the dashboard's words for settings. */

export function withOffer(choices: Choices, { choices: more }: Offer): Choices {
  return { ...choices, ...more, leftOut: [...new Set([...choices.leftOut, ...(more.leftOut ?? [])])] };
}

/** Advice names the switch, unless svc.toml decides. */
export function wordsFor(file: ProjectFile): SettingWords {
  return {
    isolation: file.isolation === undefined ? "the switch Threads" : projectFileWords.isolation,
    credentialless: file.isolation === undefined ? "the switch Threads" : projectFileWords.credentialless,
    spa: file.spa === undefined ? "the switch Single page" : projectFileWords.spa,
    immutable: (pattern) =>
      file.immutable === undefined ? "the switch Keep in browsers" : projectFileWords.immutable(pattern),
    place: "The review",
    nameOf: (setting) => settingNames[setting],
    undecided: "A token or a CI job set it there. Choose it here if it shall stay.",
  };
}

/** What the publisher refuses, in the dashboard's words. */
export function explainRefusal({ reason, places, offer }: Refused): Refusal {
  return new Refusal(wordsOf(reason), places, offer && { label: labelOf(offer), choices: offer });
}

function labelOf({ page, folder, isForced }: Partial<Choices>): string {
  if (isForced) return "Publish it anyway";
  if (page !== undefined) return `Publish ${page} as index.html`;
  return folder === undefined ? "Leave them out and continue" : `Publish the folder ${folder}`;
}

function wordsOf(reason: RefusalReason): string {
  if ("noGame" in reason) return `It ${reason.noGame.what}. ${reason.noGame.next}`;
  switch (reason.code) {
    case "folder_empty":
      return "There is nothing in it to publish. Build the game first.";
    case "too_many_files":
      return `It has more than ${counted(limits.filesPerRelease, "file")}, the limit. Pack small files together, or choose a smaller folder.`;
    case "folder_too_large":
      return `It has more than ${bytesInWords(limits.bytesPerRelease)}, the limit. Leave out what players do not load.`;
    case "folder_refused":
      return "Some files cannot be published. Rename them, or leave them out.";
    case "folder_changes":
      return "Some files changed while they were read. Wait until the build is finished, then choose the folder again.";
    case "folder_unreadable":
      return "Some files cannot be read. They may have changed: wait until the build is finished, then choose the folder again.";
    case "host_files":
      return "It has files that configure other hosts, and nothing here.";
    case "lfs_pointers":
      return `Some files are pointers of Git LFS, not the files themselves. ${lfsAdvice}`;
    case "token_in_folder":
      return `A file contains a token of svc. ${tokenAdvice}`;
    case "picture_gone":
      return "The picture that was chosen is not stored any more. Choose it again, or remove it.";
    case "no_index_html":
      return noIndexIn(reason.instead);
    case "source_folder":
      return `It ${reason.source.what}. ${wayToBuild(reason.source)}`;
    case "invalid_project_file":
      return `${projectFileName} ${reason.problem}`;
    case "folder_outside":
      return `${projectFileName} names a folder outside of this one (dir = "${reason.dir}"). Choose that folder itself.`;
    case "text_too_large":
      return `${reason.path} has more than 64 KiB.`;
    case "manifest_too_large":
      return `The list of its files has ${bytesInWords(reason.bytes)}; the limit is ${bytesInWords(limits.manifestBodyBytes)}. Shorten the paths, or pack small files together.`;
  }
}

function noIndexIn(instead: EntryPage | undefined): string {
  const none = "It has no index.html, the page that players open first";
  if (instead === undefined) return `${none}. Choose the folder that the build wrote.`;
  return "page" in instead ? `${none}, but ${instead.page}.` : `${none}. There is one in ${instead.folder}.`;
}
