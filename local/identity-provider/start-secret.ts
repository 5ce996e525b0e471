import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * The secret with which the local identity provider issues any ID token. Web pages and other users can send requests to this
 * machine, but cannot read our files.
 */
const folder = fileURLToPath(new URL("../../build/start-secrets/", import.meta.url));

/** The file of the secret of the provider that listens on a port. */
function fileOf(port: number): string {
  return join(folder, String(port));
}

/**
 * Makes a new secret for the provider that listens on `port` and writes it to a file with mode 0600, in a folder with
 * mode 0700.
 *
 * @returns the secret, and a function that removes the file
 */
export async function makeStartSecret(port: number): Promise<{ secret: string; forget(): Promise<void> }> {
  const secret = randomBytes(32).toString("base64url");
  const file = fileOf(port);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  // Removed first, because an existing file or link could belong to another user.
  await rm(file, { force: true });
  await writeFile(file, secret, { mode: 0o600, flag: "wx" });
  return { secret, forget: () => rm(file, { force: true }) };
}

/** The secret of the provider that listens on `port`; undefined: this user did not start one from this checkout. */
export async function readStartSecret(port: number): Promise<string | undefined> {
  return await readFile(fileOf(port), "utf8").catch(() => undefined);
}
