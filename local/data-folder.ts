import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./configuration.ts";
import { isRunning } from "./guarded-process.ts";
import type { Part } from "./part.ts";

/**
 * Makes the folder that keeps a service's data and holds it for this process: two stages on one folder would each take it
 * for theirs alone. What a killed service held is free.
 *
 * @throws UsageError where it cannot be written, or another service runs on it
 */
export function holdDataFolder(folder: string): Part {
  const file = join(folder, "stage.pid");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const holder = holderIn(file);
    if (holder !== undefined)
      throw new UsageError(
        `Another service, process ${holder}, keeps its data in ${folder}. Stop it, or choose another folder with SVC_DATA.`,
      );
    rmSync(file, { force: true });
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`SVC_DATA must name a folder that can be written. ${folder} is none (${code}).`);
  }
  return { endpoint: folder, stop: async () => rmSync(file, { force: true }) };
}

/** The running process whose id is in the file; our own id is what is left of one before a container was restarted. */
function holderIn(file: string): number | undefined {
  try {
    const holder = Number(readFileSync(file, "utf8"));
    return holder !== process.pid && isRunning(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}
