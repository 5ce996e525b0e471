import * as os from "node:os";

/**
 * The person's home directory; empty where HOME is unset and the system knows no other, as in a container under an
 * invented user id.
 */
export function homeDirectory(): string {
  try {
    return os.homedir();
  } catch {
    return "";
  }
}
