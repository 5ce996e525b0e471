import { limits } from "../../../contract/api/limits.ts";
import { Refusal } from "./refusal.ts";

/** A file of a folder or of a zip. */
export interface SourceFile {
  /** Relative, `/`-separated, in Unicode normalisation form C. */
  readonly path: string;
  readonly size: number;
  /** The bytes, anew with each call. */
  stream(): ReadableStream<Uint8Array>;
  /** The bytes, on disk if they are many. */
  blob(): Promise<Blob>;
}

/** More files than a release can have, and those that are left out of it, are no game. @throws Refusal */
export function assertCount(count: number): void {
  if (count > 5 * limits.filesPerRelease)
    throw new Refusal("There are more than 100,000 files in it. Choose the folder that the build wrote.");
}
