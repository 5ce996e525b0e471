import * as path from "node:path";
import { limits } from "../../../contract/api/limits.ts";
import type { EntryPage } from "../../../contract/folder/entry-page.ts";
import { lfsAdvice } from "../../../contract/folder/git-lfs.ts";
import { tokenAdvice } from "../../../contract/folder/secret-content.ts";
import { type SourceFolder, wayToBuild } from "../../../contract/folder/source-folder.ts";
import { DecisionConflict } from "../../../publisher/beginning.ts";
import { ReleaseReplaced } from "../../../publisher/going-live.ts";
import { type RefusalReason, Refused } from "../../../publisher/refused.ts";
import { NoRoom } from "../../../publisher/room.ts";
import { exitCodes, UserError } from "../errors.ts";
import { grouped, humanBytes } from "../text.ts";
import { isZip } from "./folder.ts";
import { explainReplaced } from "./going-live.ts";
import { quoted, UnconfirmedError } from "./unconfirmed.ts";

const nothing = "Nothing was sent.";
const leaveOut = "exclude some with .svcignore.";

/** A failure of the publisher in the command line's words; every other one as it is. @param folder as it was given */
export function explainPublishing(failure: unknown, folder: string): unknown {
  if (failure instanceof Refused) return explainRefusal(failure, folder);
  if (failure instanceof NoRoom) return explainNoRoom(failure);
  if (failure instanceof DecisionConflict) return explainConflict(failure);
  return failure instanceof ReleaseReplaced ? explainReplaced(failure) : failure;
}

function explainNoRoom({ bytes, storedBytes, limitBytes }: NoRoom): UserError {
  const [what, whose] =
    storedBytes === undefined
      ? [`has ${humanBytes(bytes)}`, "project"]
      : [`needs ${humanBytes(bytes)} beside the ${humanBytes(storedBytes)} stored`, "account"];
  const limit = humanBytes(limitBytes);
  return new UserError(`The folder ${what}; the ${whose} may store ${limit}. Nothing was hashed or sent.`, {
    code: "quota_exceeded",
    exitCode: exitCodes.conflict,
    next: "Keep files out with .svcignore, or delete a project. svc whoami shows what is stored.",
  });
}

function explainConflict({ current }: DecisionConflict): UserError {
  return new UserError(`Release ${current ?? "none"} is live now, with other settings than when this began.`, {
    code: "current_release_changed",
    exitCode: exitCodes.conflict,
    next: "Run the same command again: it begins with those.",
  });
}

export function explainRefusal({ reason, places }: Refused, folder: string): UserError {
  if (reason.code === "no_index_html") return new NoIndexError(folder, reason.instead);
  if (reason.code === "source_folder") return sourceError(folder, reason);
  const [message, next] = wordsOf(reason, folder);
  return new UserError(message, { code: reason.code, places, ...(next !== undefined && { next }) });
}

type Simple = Exclude<RefusalReason, { readonly code: "no_index_html" | "source_folder" }>;

function wordsOf(reason: Simple, folder: string): readonly [message: string, next?: string] {
  if ("noGame" in reason) return [`${folder} ${reason.noGame.what}. ${nothing}`, reason.noGame.next];
  switch (reason.code) {
    case "folder_empty":
      return [`${folder} has no files to publish.`, "Build the game first."];
    case "folder_refused":
      return [
        `${folder} cannot be published; nothing was sent.`,
        "Rename or remove these files, or exclude them with .svcignore.",
      ];
    case "too_many_files":
      return [
        `${folder} has more than ${grouped(limits.filesPerRelease)} files, the limit. ${nothing}`,
        `Pack small files together, or ${leaveOut}`,
      ];
    case "folder_too_large":
      return [
        `${folder} has more than ${humanBytes(limits.bytesPerRelease)}, the limit. ${nothing}`,
        "Exclude what players do not load with .svcignore.",
      ];
    case "folder_changes":
      return [
        "The folder changed while svc read it; nothing was sent.",
        "Wait until the build is finished, then publish again.",
      ];
    case "folder_unreadable":
      return ["Some files cannot be read; nothing was sent.", "Make them readable, or exclude them with .svcignore."];
    case "host_files":
      return [
        `${folder} has files that configure other hosts, and nothing here. ${nothing}`,
        'Write what the game needs into svc.toml, and leave these files out: ignore = ["_headers", "_redirects"]',
      ];
    case "lfs_pointers":
      return ["Some files are pointers of Git LFS, not the files themselves; nothing was sent.", lfsAdvice];
    case "token_in_folder":
      return ["A file contains a token of svc; nothing was sent.", tokenAdvice];
    case "picture_gone":
      return ["The picture that was chosen is not stored any more.", "Choose it again in the dashboard."];
    case "manifest_too_large":
      return [
        `The list of files of ${folder} has ${humanBytes(reason.bytes)}; the limit for a request is ${humanBytes(limits.manifestBodyBytes)}. ${nothing}`,
        "Shorten the paths, or pack small files together.",
      ];
    case "text_too_large":
      return [`${reason.path} in ${folder} has more than 64 KiB. ${nothing}`];
    case "invalid_project_file":
      return [`svc.toml in ${folder} ${reason.problem}`];
    case "folder_outside":
      return [`svc.toml in ${folder} names a folder outside of it (dir = "${reason.dir}"). ${nothing}`];
  }
}

function sourceError(
  folder: string,
  { code, source, hasPage }: Extract<RefusalReason, { readonly code: "source_folder" }>,
): UserError {
  const message = `${folder} ${source.what}. ${nothing}`;
  const way = wayFrom(folder, source);
  if (!hasPage) return new UserError(message, { code, next: way });
  const next = `${way}${source.built === undefined ? " Or add --force" : ", or add --force"} to publish it as it is.`;
  return new UnconfirmedError(`${folder} ${source.what}. Publish it anyway?`, message, { code, next });
}

function wayFrom(folder: string, source: SourceFolder): string {
  const { built } = source;
  return built === undefined
    ? wayToBuild(source)
    : `Publish what the build wrote: svc publish ${quoted(path.join(folder, built, "."))}`;
}

/** A folder without index.html at its top. */
export class NoIndexError extends UserError {
  /** The file that can be it. */
  readonly page: string | undefined;

  constructor(folder: string, entry: EntryPage | undefined) {
    const none = `${folder} has no index.html, the page that visitors open first`;
    const page = entry !== undefined && "page" in entry ? entry.page : undefined;
    const deeper = entry !== undefined && "folder" in entry ? path.join(folder, entry.folder, ".") : undefined;
    const there = page === undefined ? deeper && `; there is one in ${deeper}` : `, but ${page}`;
    super(`${none}${there ?? ""}. ${nothing}`, {
      code: "no_index_html",
      next: isZip(folder)
        ? "Unpack it and publish the folder that has the page, or pack that folder with the page as index.html."
        : page === undefined
          ? `Give the folder that the build wrote: svc publish ${quoted(deeper ?? "DIR")}`
          : `Rename it to index.html, or publish this page alone: svc publish ${quoted(path.join(folder, page))}`,
    });
    this.page = page;
  }
}
