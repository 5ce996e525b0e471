import type { ReleaseSettings } from "../../../contract/api/release-settings.ts";

/* What the page and its worker tell each other. */

/** What a person has dropped or chosen. */
export type Selection =
  | { readonly kind: "folder"; readonly name: string; readonly files: readonly PickedFile[] }
  | { readonly kind: "zip"; readonly name: string; readonly file: File };

export interface PickedFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly file: File;
}

/** A file as the manifest names it. */
export interface HashedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly encoding?: "identity";
  /** The SHA-256 of each part, where it is sent in parts. */
  readonly parts?: readonly string[];
}

/** What can be published. */
export interface PreparedFolder {
  /** Sorted by path. */
  readonly files: readonly HashedFile[];
  readonly settings: ReleaseSettings;
  /** The path of what lists show. */
  readonly picture: string | undefined;
  /** One sentence for each likely mistake. */
  readonly warnings: readonly string[];
  /** Paths that are not published because they may contain secrets. */
  readonly secrets: readonly string[];
  /** How many other paths are not published. */
  readonly leftOut: number;
}

/** How far reading and hashing is. */
export interface Reading {
  readonly files: number;
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
}

export type ToWorker =
  | { readonly kind: "prepare"; readonly picked: Selection; readonly slug: string }
  | { readonly kind: "bytes"; readonly path: string }
  | { readonly kind: "end" };

export type FromWorker =
  | ({ readonly kind: "reading" } & Reading)
  | { readonly kind: "prepared"; readonly prepared: PreparedFolder }
  | { readonly kind: "bytes"; readonly path: string; readonly blob: Blob }
  /** What the person gave cannot be published. */
  | { readonly kind: "refused"; readonly why: string; readonly places: readonly string[] }
  | { readonly kind: "failed"; readonly message: string };
