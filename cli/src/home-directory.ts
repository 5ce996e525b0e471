import * as os from "node:os";

/**
 * The home directory; empty if HOME is unset and the system has no entry for this user, as in a container with an
 * arbitrary user id.
 */
export function homeDirectory(): string {
  try {
    return os.homedir();
  } catch {
    return "";
  }
}
