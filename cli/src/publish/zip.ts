import * as fs from "node:fs";
import * as path from "node:path";
import { pipeline } from "node:stream/promises";
import type { IgnoreRules } from "../../../contract/folder/ignore-rules.ts";
import { filesOfZip, type ZipFile } from "../../../contract/folder/zip.ts";
import { ZipProblem } from "../../../contract/folder/zip-problem.ts";
import { type Progress, tallyOf } from "../../../publisher/progress.ts";
import { Refused } from "../../../publisher/refused.ts";
import { type Selection, selected } from "../../../publisher/selection.ts";
import { textAt } from "../../../publisher/source.ts";
import { UserError } from "../errors.ts";
import { isSystemError, systemReason } from "../system-error.ts";
import { workFolder } from "./copy-folder.ts";
import { type LocalFile, localFile } from "./local-file.ts";
import { nodeStream } from "./node-platform.ts";
import { explainRefusal } from "./refusal-words.ts";

/*
 * A zip to publish. What the rules leave of it is unpacked while it is published, because bytes that are sent again, or in parts, are
 * read from their place. The files are named by numbers, so no name of a zip gets to the disk.
 */

export interface OpenZip {
  /** The text of the .svcignore at its top. */
  readonly ignoreFile: string | undefined;
  /** What of it is published. */
  select(rules: IgnoreRules): Selection<ZipFile>;
  /** @throws UserError, or the signal's reason */
  unpack(files: readonly ZipFile[], options: UnpackOptions): Promise<LocalFile[]>;
  /** Removes what is unpacked. */
  close(): void;
}

interface UnpackOptions {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** @throws UserError for a zip that cannot be unpacked safely */
export async function openZip(zip: string): Promise<OpenZip> {
  const all = await filesOfZip(await fs.openAsBlob(zip)).catch((error: unknown) => {
    throw explained(zip, error);
  });
  let folder: string | undefined;
  return {
    ignoreFile: await textAt(all, ".svcignore").catch((error: unknown) => {
      throw error instanceof Refused ? explainRefusal(error, zip) : explained(zip, error);
    }),
    select: (rules) => selected(all, rules),
    unpack: (files, options) => {
      folder ??= workFolder("unpacked", zip, process.env);
      return unpackAll(zip, files, folder, options);
    },
    close() {
      if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Enough for many small files. */
const unpackedAtOnce = 8;

async function unpackAll(
  zip: string,
  files: readonly ZipFile[],
  folder: string,
  { progress, signal }: UnpackOptions,
): Promise<LocalFile[]> {
  const unpacked: LocalFile[] = [];
  const failures: unknown[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const queue = files.entries();
  const work = async () => {
    for (const [index, file] of queue) {
      const location = path.join(folder, String(index));
      const source = nodeStream(file.stream());
      source.on("data", (chunk: Uint8Array) => progress.add({ files: 0, bytes: chunk.length }));
      await pipeline(source, fs.createWriteStream(location, { mode: 0o600 }), { signal: either });
      const { isNameGuessed } = file;
      unpacked[index] = { ...localFile(file.path, location), ...(isNameGuessed && { isNameGuessed }) };
      progress.add({ files: 1, bytes: 0 });
    }
  };
  const fail = (failure: unknown) => {
    failures.push(failure);
    stop.abort();
  };
  progress.start("Unpacking", tallyOf(files));
  await Promise.all(Array.from({ length: unpackedAtOnce }, () => work().catch(fail)));
  progress.end();
  signal.throwIfAborted();
  if (failures.length > 0) throw explained(zip, failures[0]);
  return unpacked;
}

function explained(zip: string, error: unknown): unknown {
  if (error instanceof ZipProblem) return refused(zip, error.message, error.places);
  if (!isSystemError(error)) return error;
  return new UserError(`${zip} cannot be unpacked: ${systemReason(error)}; nothing was sent.`, {
    code: "zip_not_unpacked",
    next: "svc unpacks into its cache folder ($XDG_CACHE_HOME, or ~/.cache), which needs room for the whole game.",
  });
}

function refused(zip: string, why: string, places: readonly string[] = []): UserError {
  return new UserError(`${zip} cannot be published: ${why} Nothing was sent.`, { code: "zip_refused", places });
}
