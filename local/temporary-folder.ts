import { lstatSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "./table/guarded-process.ts";

/**
 * Makes a folder with our process id in its name. First removes those of killed services; only those of this user, because
 * in another user's folder a link could lead to our files.
 *
 * @param purpose a word: `svc-<purpose>-<process id>-…`
 */
export async function temporaryFolder(purpose: string): Promise<string> {
  const prefix = `svc-${purpose}-`;
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const abandoned = names.filter((name) => !isRunning(Number(name.split("-")[2]))).map((name) => join(tmpdir(), name));
  await Promise.allSettled(abandoned.filter(isOurFolder).map((path) => rm(path, { recursive: true, force: true })));
  return await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

function isOurFolder(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isDirectory() === true && (process.getuid === undefined || entry.uid === process.getuid());
}
