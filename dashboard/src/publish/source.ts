import { limits } from "../../../contract/api/limits.ts";
import { textIn } from "../../../contract/folder/text-encoding.ts";
import type { ZipFile } from "../../../contract/folder/zip.ts";
import { Refusal } from "./refusal.ts";

/** A file of a folder or of a zip. */
export interface SourceFile extends ZipFile {
  /** The bytes, on disk if they are many. */
  blob(): Promise<Blob>;
}

/** Refuses five times as many files as a release can have, left-out ones included. @throws Refusal */
export function assertCount(count: number): void {
  if (count > 5 * limits.filesPerRelease)
    throw new Refusal("There are more than 100,000 files in it. Choose the folder that the build wrote.");
}

const smallFileBytes = 64 * 1024;

/** The text of one of the files, if there is such a file. @throws Refusal for one above 64 KiB */
export async function textAt(all: readonly SourceFile[], path: string): Promise<string | undefined> {
  const file = all.find((one) => one.path === path);
  if (file === undefined) return undefined;
  if (file.size > smallFileBytes) throw new Refusal(`${path} has more than 64 KiB.`);
  return textIn(new Uint8Array(await (await file.blob()).arrayBuffer()));
}
