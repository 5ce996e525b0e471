import type { EntryPage } from "../contract/folder/entry-page.ts";
import type { NoGame } from "../contract/folder/no-game.ts";
import type { SourceFolder } from "../contract/folder/source-folder.ts";
import type { Choices } from "./settings.ts";

/** Why files cannot be a release. */
export type RefusalReason =
  | {
      readonly code:
        | "folder_empty"
        | "folder_refused"
        | "folder_changes"
        | "folder_unreadable"
        | "folder_too_large"
        | "host_files"
        | "lfs_pointers"
        | "picture_gone"
        | "token_in_folder"
        | "too_many_files";
    }
  | { readonly code: "no_index_html"; readonly instead: EntryPage | undefined }
  | { readonly code: NoGame["code"]; readonly noGame: NoGame }
  /** With a page, which cannot start, it is published if a person says so. */
  | { readonly code: "source_folder"; readonly source: SourceFolder; readonly hasPage: boolean }
  | { readonly code: "invalid_project_file"; readonly problem: string }
  /** `dir` of svc.toml names a folder that is not in the selection. */
  | { readonly code: "folder_outside"; readonly dir: string }
  | { readonly code: "text_too_large"; readonly path: string }
  /** How many bytes the list of files has. */
  | { readonly code: "manifest_too_large"; readonly bytes: number };

interface RefusalDetails {
  /** Problems with files, one line each: which file, and what is wrong with it. */
  readonly places?: readonly string[];
  /** Choices with which the files can be published. */
  readonly offer?: Partial<Choices>;
}

/** There can be no such release. The clients have the words for it. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason: RefusalReason;
  readonly places: readonly string[];
  readonly offer: Partial<Choices> | undefined;

  constructor(reason: RefusalReason, { places = [], offer }: RefusalDetails = {}) {
    super(reason.code);
    this.reason = reason;
    this.places = places;
    this.offer = offer;
  }
}
