import * as fs from "node:fs";
import * as path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { byPath } from "../../../contract/folder/file-rules.ts";
import type { Judge } from "../../../contract/folder/ignore-rules.ts";
import { textIn } from "../../../contract/folder/text-encoding.ts";
import { filesOfZip, type ZipFile } from "../../../contract/folder/zip.ts";
import { guessedNames } from "../../../contract/folder/zip-names.ts";
import { ZipProblem } from "../../../contract/folder/zip-problem.ts";
import { UserError } from "../errors.ts";
import { isSystemError, systemReason } from "../system-error.ts";
import {
  assertWithinLimits,
  checkFiles,
  type FolderContent,
  type FolderOptions,
  type LocalFile,
  noIndex,
} from "./folder.ts";
import type { HashOptions } from "./hash.ts";
import { refuseHostFiles } from "./host-files.ts";
import { tallyOf } from "./progress.ts";
import { workFolder } from "./variant-cache.ts";

/*
 * A zip to publish. What the rules leave of it is unpacked while it is published, because bytes that are sent again, or in parts, are
 * read from their place. The files are named by numbers, so no name of a zip gets to the disk.
 */

export interface OpenZip {
  /** The text of the .svcignore at its top. */
  readonly ignoreFile: string | undefined;
  /**
   * Unpacks what is published.
   *
   * @throws UserError for a zip that cannot be a release, before anything is unpacked if its directory shows it
   */
  read(judge: Judge, options: HashOptions, page: FolderOptions): Promise<FolderContent>;
  /** Removes what is unpacked. */
  close(): void;
}

/** @throws UserError for a zip that cannot be unpacked safely */
export async function openZip(zip: string): Promise<OpenZip> {
  const all = await filesOfZip(await fs.openAsBlob(zip)).catch((error: unknown) => {
    throw explained(zip, error);
  });
  let folder: string | undefined;
  return {
    ignoreFile: await textOf(zip, all, ".svcignore"),
    async read(judge, options, { page }) {
      const { files, secrets, ignored } = judged(zip, all, judge, page);
      folder ??= workFolder("unpacked", zip, process.env);
      const unpacked = await unpackAll(zip, files, folder, options);
      refuseHostFiles(zip, unpacked);
      return { files: unpacked, secrets, ignored, folders: [], advice: guessedNames(files) };
    },
    close() {
      if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws UserError for one above 64 KiB */
async function textOf(zip: string, all: readonly ZipFile[], name: string): Promise<string | undefined> {
  const file = all.find((one) => one.path === name);
  if (file === undefined) return undefined;
  if (file.size > 64 * 1024) throw refused(zip, `${name} in it has more than 64 KiB.`);
  const bytes = await new Response(file.stream()).bytes().catch((error: unknown) => {
    throw explained(zip, error);
  });
  return textIn(bytes);
}

/** @throws UserError */
function judged(zip: string, all: readonly ZipFile[], judge: Judge, page = "index.html") {
  const verdicts = all.map((file) => judge(file.path));
  const of = (verdict: ReturnType<Judge>) => all.filter((_, index) => verdicts[index] === verdict);
  const pathsOf = (verdict: ReturnType<Judge>) =>
    of(verdict)
      .map((file) => file.path)
      .sort();
  const files = of("publish")
    .map((file) => (file.path === page ? { ...file, path: "index.html" } : file))
    .sort(byPath);
  assertWithinLimits(zip, files.length, tallyOf(files).bytes);
  const hasIndex = files.some((file) => file.path === "index.html");
  if (files.length > 0 && !hasIndex)
    throw noIndex(
      zip,
      files.map((file) => file.path),
    );
  checkFiles(zip, files, []);
  return { files, secrets: pathsOf("secret"), ignored: pathsOf("ignored") };
}

/** Enough for many small files. */
const unpackedAtOnce = 8;

async function unpackAll(
  zip: string,
  files: readonly ZipFile[],
  folder: string,
  { progress, signal }: HashOptions,
): Promise<LocalFile[]> {
  const unpacked: LocalFile[] = [];
  const failures: unknown[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const queue = files.entries();
  const work = async () => {
    for (const [index, file] of queue) {
      const location = path.join(folder, String(index));
      const source = Readable.fromWeb(file.stream());
      source.on("data", (chunk: Uint8Array) => progress.add({ files: 0, bytes: chunk.length }));
      await pipeline(source, fs.createWriteStream(location, { mode: 0o600 }), { signal: either });
      const { size, mtimeMs } = fs.statSync(location);
      unpacked[index] = { path: file.path, location, size, mtimeMs };
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
