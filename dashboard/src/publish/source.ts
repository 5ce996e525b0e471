import { limits } from "../../../contract/api/limits.ts";
import type { SourceFile } from "../../../publisher/source.ts";
import { Refusal } from "./refusal.ts";

/** A file of a folder or of a zip. */
export interface BlobFile extends SourceFile {
  /** The bytes, on disk if they are many. */
  blob(): Promise<Blob>;
}

export function fileOf(path: string, blob: Blob): BlobFile {
  return { path, size: blob.size, stream: () => blob.stream(), blob: async () => blob };
}

/** Refuses five times as many files as a release can have, left-out ones included. @throws Refusal */
export function assertCount(count: number): void {
  if (count > 5 * limits.filesPerRelease)
    throw new Refusal("There are more than 100,000 files in it. Choose the folder that the build wrote.");
}
