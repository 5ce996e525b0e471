import { randomBytes } from "node:crypto";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The size of every file of the measured folders. */
export const fileBytes = 16 * 1_024;

/**
 * Makes a folder with this number of files of random bytes, last changed an hour ago. They are named like pictures, which svc does
 * not try to compress: the area `play` measures that.
 */
export async function makeFolder(home: string, files: number): Promise<string> {
  const folder = join(home, `game-${files}`);
  const longAgo = new Date(Date.now() - 3_600_000);
  for (let index = 0; index < files; index += 1) {
    const path = join(folder, index === 0 ? "index.html" : `assets/${index % 50}/file-${index}.png`);
    if (index < 52) await mkdir(dirname(path), { recursive: true });
    await writeFile(path, randomBytes(fileBytes));
    await utimes(path, longAgo, longAgo);
  }
  return folder;
}
