import type { KnownParts } from "../../../contract/folder/known-parts.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import type { Beginning } from "../../../publisher/beginning.ts";
import type { ReleaseFile, SentContent } from "../../../publisher/manifest.ts";
import type { PreparedRelease } from "../../../publisher/prepare.ts";
import type { Choices } from "../../../publisher/settings.ts";
import type { SourceFile } from "../../../publisher/source.ts";
import type { OpenedRelease } from "../../../publisher/upload-release.ts";
import type { Offer } from "./refusal.ts";

/* Messages between the page and its worker. */

/** Selection of files that a person has dropped or chosen. */
export type Selection =
  | { readonly kind: "folder"; readonly name: string; readonly files: readonly PickedFile[] }
  | { readonly kind: "zip"; readonly name: string; readonly file: File };

export interface PickedFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly file: File;
}

/** Bytes to upload, with what a person calls them. */
export interface NamedContent extends SentContent {
  readonly path: string;
}

/** Folder that can be published. */
export interface PreparedFolder
  extends Pick<PreparedRelease<SourceFile>, "settings" | "switches" | "choices" | "title" | "picture" | "advice"> {
  /** Sorted by path. */
  readonly files: readonly ReleaseFile[];
  /** The svc.toml that was read. */
  readonly file: ProjectFile;
  /** Entries at the top of the folder, with those that the person has left out. */
  readonly entries: readonly Entry[];
  /** Paths that are not published because they may contain secrets. */
  readonly secrets: readonly string[];
  /** Number of other paths that are not published. */
  readonly leftOut: number;
}

/** A file or a folder at the top. */
export interface Entry {
  /** A folder's ends with a slash. */
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  readonly isLeftOut: boolean;
}

/** Progress of the worker. */
export interface Reading {
  readonly step: "reading" | "compressing";
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
}

export interface Preparation {
  /** Undefined for a game that has no project yet. */
  readonly slug: string | undefined;
  readonly choices: Choices;
  readonly beginning: Beginning;
}

/** A file of a release, and where it is. */
export interface DownloadedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly url: string;
}

export type ToWorker =
  /** Again with other choices: what is hashed and compressed is kept. */
  | ({ readonly kind: "prepare"; readonly picked: Selection } & Preparation)
  | { readonly kind: "bytes"; readonly sha256: string }
  /** Parts of what is missing that the service has in other files. */
  | ({ readonly kind: "known" } & Pick<OpenedRelease, "missing" | "indexes">)
  /** Adds files of a release to a zip, which begins with the first ones. */
  | { readonly kind: "pack"; readonly files: readonly DownloadedFile[]; readonly releaseBytes: number }
  /** Completes it. */
  | { readonly kind: "zip" }
  | { readonly kind: "stop" };

/** A release as one file. */
export interface ZippedRelease {
  readonly blob: Blob;
  /** Paths of files whose bytes could not be checked. */
  readonly unchecked: readonly string[];
}

export type FromWorker =
  | ({ readonly kind: "reading" } & Reading)
  | { readonly kind: "prepared"; readonly prepared: PreparedFolder }
  | { readonly kind: "bytes"; readonly blob: Blob }
  | { readonly kind: "known"; readonly known: KnownParts }
  /** How many bytes of the files are packed; all of them are. */
  | { readonly kind: "packing"; readonly bytes: number }
  | { readonly kind: "packed" }
  | { readonly kind: "zip"; readonly zip: ZippedRelease }
  /** Message that the person's selection cannot be published. */
  | {
      readonly kind: "refused";
      readonly why: string;
      readonly places: readonly string[];
      readonly offer: Offer | undefined;
    }
  | { readonly kind: "failed"; readonly message: string };
