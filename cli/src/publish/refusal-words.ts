import * as path from "node:path";
import { limits } from "../../../contract/api/limits.ts";
import type { EntryPage } from "../../../contract/folder/entry-page.ts";
import { lfsAdvice } from "../../../contract/folder/git-lfs.ts";
import { tokenAdvice } from "../../../contract/folder/secret-content.ts";
import { type SourceFolder, wayToBuild } from "../../../contract/folder/source-folder.ts";
import type { RefusalReason, Refused } from "../../../publisher/refused.ts";
import { UserError } from "../errors.ts";
import { grouped, humanBytes } from "../text.ts";
import { isZip } from "./folder.ts";
import { quoted, UnconfirmedError } from "./unconfirmed.ts";

const nothing = "Nothing was sent.";
const leaveOut = "exclude some with .svcignore.";

/** What the publisher refuses, in the command line's words. @param folder as it was given */
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

  constructor(folder: string, found: EntryPage | undefined) {
    const none = `${folder} has no index.html, the page that visitors open first`;
    const page = found !== undefined && "page" in found ? found.page : undefined;
    const deeper = found !== undefined && "folder" in found ? path.join(folder, found.folder, ".") : undefined;
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
