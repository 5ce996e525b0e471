import type { IgnoreRules } from "../../../contract/folder/ignore-rules.ts";
import type { Progress } from "../../../publisher/progress.ts";
import type { Selection } from "../../../publisher/selection.ts";
import type { SourceFile } from "../../../publisher/source.ts";
import { readFolder } from "./folder.ts";
import type { LocalFile } from "./local-file.ts";
import type { OpenZip } from "./zip.ts";

/** A folder, zip or page that is published. */
export interface ListingOptions {
  readonly folder: string;
  /** The opened zip, if {@link folder} is one. */
  readonly zip?: OpenZip | undefined;
  readonly rules: IgnoreRules;
  /** The file at its top that is published as index.html. */
  readonly page?: string | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What is published of it. */
export interface Listing extends Selection<SourceFile> {
  /** The same files on this machine: those of a zip are unpacked now. @throws UserError, or the signal's reason */
  local(): Promise<readonly LocalFile[]>;
}

/** @throws UserError, Refused, or the signal's reason */
export async function listed({ folder, zip, rules, page, signal, progress }: ListingOptions): Promise<Listing> {
  if (zip !== undefined) {
    const selection = zip.select(rules);
    return { ...selection, local: () => zip.unpack(selection.files, { signal, progress }) };
  }
  progress.start("Reading", { files: 0, bytes: 0 });
  try {
    const onFiles = (files: number) => progress.add({ files, bytes: 0 });
    const selection = await readFolder(folder, rules.judge, { signal, onFiles }, page);
    return { ...selection, local: async () => selection.files };
  } finally {
    progress.end();
  }
}
