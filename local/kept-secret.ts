import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A secret of the data folder, in JSON: what is there, or a new one that is saved with mode 0600.
 *
 * @param dataFolder undefined: a new one that is not saved
 */
export async function keptSecret<T>(
  dataFolder: string | undefined,
  file: string,
  create: () => Promise<T>,
): Promise<T> {
  if (dataFolder === undefined) return await create();
  const path = join(dataFolder, file);
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const secret = await create();
  await writeFile(path, JSON.stringify(secret), { mode: 0o600 });
  return secret;
}
