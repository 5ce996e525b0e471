import * as path from "node:path";
import type { Build } from "../../../contract/folder/build-advice.ts";
import { type SourceFolder, sourceIn, wayToBuild } from "../../../contract/folder/source-folder.ts";
import { UserError } from "../errors.ts";
import { count } from "../text.ts";

/** A publication that is probably a mistake: a person is asked, and a job adds --force. */
export class UnconfirmedError extends UserError {
  readonly question: string;

  constructor(question: string, message: string, { code, next }: { readonly code: string; readonly next: string }) {
    super(message, { code, next });
    this.question = question;
  }
}

/** @throws UnconfirmedError if the folder is the source of a game, whose page cannot start */
export function assertBuilt(folder: string, build: Build): void {
  const source = sourceIn(build);
  if (source === undefined) return;
  throw new UnconfirmedError(
    `${folder} ${source.what}. Publish it anyway?`,
    `${folder} ${source.what}. Nothing was sent.`,
    {
      code: source.code,
      next: `${wayFrom(folder, source)}${source.built === undefined ? " Or add --force" : ", or add --force"} to publish it as it is.`,
    },
  );
}

/** The error for a folder that is a source without any page. */
export function sourceError(folder: string, source: SourceFolder): UserError {
  return new UserError(`${folder} ${source.what}. Nothing was sent.`, {
    code: source.code,
    next: wayFrom(folder, source),
  });
}

function wayFrom(folder: string, source: SourceFolder): string {
  const { built } = source;
  return built === undefined
    ? wayToBuild(source)
    : `Publish what the build wrote: svc publish ${quoted(path.join(folder, built, "."))}`;
}

/** @throws UnconfirmedError if a page alone takes the place of a release with more files */
export function assertKeepsFiles(page: string, removed: number): void {
  if (removed === 0) return;
  const taken = `${page} alone removes ${count(removed, "file")} of the live release`;
  throw new UnconfirmedError(`${taken}. Publish it anyway?`, `${taken}. Nothing is changed.`, {
    code: "page_removes_files",
    next: "Publish the folder: svc publish DIR. If the page is the whole game, add --force.",
  });
}

/** As a shell takes it. */
export function quoted(name: string): string {
  return /^[\w./\\-]+$/.test(name) ? name : `"${name}"`;
}
