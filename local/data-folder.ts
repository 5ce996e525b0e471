import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./configuration.ts";
import type { Part } from "./part.ts";
import { isRunning } from "./table/guarded-process.ts";

/**
 * Creates a service's data folder and locks it for this process, because two services must not use the same folder. The
 * lock of a killed service is ignored.
 *
 * @throws UsageError if it cannot be written, is shared, or another service runs on it
 */
export function lockDataFolder(folder: string): Part {
  const file = join(folder, "service.pid");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    keepFromOthers(folder);
    const holder = holderIn(file);
    if (holder !== undefined)
      throw new UsageError(
        `Another service, process ${holder}, uses ${folder}. Stop it, or choose another folder with SVC_DATA.`,
      );
    rmSync(file, { force: true });
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`SVC_DATA must name a folder that svc can write to. ${folder} is not one (${code}).`);
  }
  return { endpoint: folder, stop: async () => rmSync(file, { force: true }) };
}

/**
 * Lets nobody else on this machine read a folder, also one that was there before: it has the table and the keys that sign.
 *
 * @throws UsageError if it is another user's, or everybody may write to it, as to /tmp
 */
function keepFromOthers(folder: string): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(folder);
  const isShared = (mode & 0o1000) !== 0 || uid !== process.getuid?.();
  if (isShared)
    throw new UsageError(`SVC_DATA must name a folder of your own, which nobody else can read. ${folder} is shared.`);
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** The running process whose id is in the file. Our own id is from before a restart of the container, so it does not count. */
function holderIn(file: string): number | undefined {
  try {
    const holder = Number(readFileSync(file, "utf8"));
    return holder !== process.pid && isRunning(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}
