import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../home.ts";

/** The file in which the local service at a port notes the environment of its functions (local/local-parts.ts). */
export function localServiceFile(port: string): string {
  return join(root, "build/local", `${port}.json`);
}

/** The settings of a process that changes the data of the local service at this port; undefined if none runs. */
export function readLocalService(port: string): Readonly<Record<string, string>> | undefined {
  try {
    return JSON.parse(readFileSync(localServiceFile(port), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
