import * as fs from "node:fs";
import * as path from "node:path";
import { isWellFormedToken } from "../../contract/token-format.ts";
import { parseApi, showApi } from "./api-address.ts";
import { UserError } from "./errors.ts";
import { homeDirectory } from "./home-directory.ts";
import { makePrivateDirectory } from "./private-directory.ts";
import { hasErrorCode, systemReason } from "./system-error.ts";

/*
 * The file is plain text: a line for each API that was logged in to, the latest first, `<API address> <token>`.
 * A token is sent to the origin that stands before it and to no other.
 */

/** A token and the API that it was saved for. */
export interface SavedCredential {
  readonly api: URL;
  readonly token: string;
}

type Warn = (text: string) => void;

const isWindows = process.platform === "win32";
/** Windows has neither of them; there the flags are simply not set. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants as Partial<typeof fs.constants>;

/**
 * `$XDG_CONFIG_HOME/svc/credentials`, or `~/.config/svc/credentials` where the variable is unset, empty or relative
 * (XDG Base Directory Specification; a relative path must be ignored). Undefined where there is no home directory.
 */
export function credentialPath(
  environment: NodeJS.ProcessEnv = process.env,
  home: string = homeDirectory(),
  { isAbsolute, join }: Pick<typeof path, "isAbsolute" | "join"> = path,
): string | undefined {
  const configured = environment["XDG_CONFIG_HOME"] ?? "";
  if (isAbsolute(configured)) return join(configured, "svc", "credentials");
  return isAbsolute(home) ? join(home, ".config", "svc", "credentials") : undefined;
}

/**
 * {@link credentialPath} for whoever cannot do without it.
 *
 * @throws UserError where there is no home directory
 */
export function requireCredentialPath(): string {
  const path = credentialPath();
  if (path !== undefined) return path;
  throw new UserError("There is no home directory to keep the credential in.", {
    code: "no_home_directory",
    next: "Set HOME or XDG_CONFIG_HOME to an absolute path, or use SVC_TOKEN instead of a saved token.",
  });
}

/**
 * Reads the saved credentials, the latest first; none where the file does not exist. Repairs a mode that lets others
 * read or write the file, where it can, and says so.
 *
 * @throws UserError where the file is a symbolic link, no file, unreadable or damaged
 */
export function readCredentials(file: string, warn: Warn): SavedCredential[] {
  let descriptor: number;
  try {
    if (O_NOFOLLOW === 0) refuseLink(file);
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw unreadable(file, error);
  }
  try {
    const status = fs.fstatSync(descriptor);
    if (!status.isFile()) throw notAFile(file);
    if (!isWindows && (status.mode & 0o077) !== 0) warn(narrowMode(file, descriptor, status.mode));
    return parse(file, fs.readFileSync(descriptor, "utf8"));
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Repairs the mode where the file can be changed, and says how it was. */
function narrowMode(file: string, descriptor: number, mode: number): string {
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  const advice = "If other people use this machine, revoke the token and create a new one.";
  try {
    fs.fchmodSync(descriptor, 0o600);
    return `${file} was open to others (mode ${octal}); it is 0600 now. ${advice}`;
  } catch (error) {
    return `${file} is open to others (mode ${octal}), which cannot be changed: ${systemReason(error)}. ${advice}`;
  }
}

function parse(file: string, text: string): SavedCredential[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .flatMap((line, index) => {
      if (line === "" || line.startsWith("#")) return [];
      const [address = "", token = "", ...more] = line.split(/\s+/);
      if (more.length > 0 || !isWellFormedToken(token))
        throw new UserError(`Line ${index + 1} of ${file} is damaged.`, {
          code: "credential_file_damaged",
          next: "svc login writes it anew.",
        });
      return [{ api: parseApi(address, `line ${index + 1} of ${file}`), token }];
    });
}

/**
 * Saves a credential before those for other APIs and in place of the one for the same origin. The file is there whole
 * with mode 0600 at every moment, the old one or the new one: a temporary file beside it is written, synced and renamed.
 * Creates missing directories with mode 0700 and leaves the mode of existing ones alone.
 *
 * @throws UserError where the file is a symbolic link or cannot be written; then nothing is changed
 */
export function saveCredential(file: string, { api, token }: SavedCredential, warn: Warn): void {
  const directory = path.dirname(file);
  try {
    makePrivateDirectory(directory);
    refuseLink(file);
    const others = readOthers(file, warn).filter((other) => other.api.origin !== api.origin);
    removeTemporaryFiles(directory, 60_000);
    writeCredentials(file, [{ api, token }, ...others]);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`The credential cannot be saved in ${file}: ${systemReason(error)}.`, {
      code: "credential_not_saved",
      next: "Free the disk or repair the directory, then log in again. Nothing was changed.",
      cause: error,
    });
  }
}

function writeCredentials(file: string, saved: readonly SavedCredential[]): void {
  const lines = saved.map(({ api, token }) => `${showApi(api)} ${token}\n`);
  replaceFile(file, `# Tokens of svc, the latest login first. Keep this file to yourself.\n${lines.join("")}`);
}

/**
 * Forgets tokens and keeps the others, those too that were saved meanwhile. With the last one the file is removed.
 *
 * @throws UserError where the file cannot be read or written; then nothing is changed
 */
export function forgetTokens(file: string, tokens: ReadonlySet<string>): void {
  const kept = readCredentials(file, () => {}).filter(({ token }) => !tokens.has(token));
  if (kept.length === 0) removeCredentials(file);
  else writeCredentials(file, kept);
}

function readOthers(file: string, warn: Warn): SavedCredential[] {
  try {
    return readCredentials(file, warn);
  } catch (error) {
    if (!(error instanceof UserError && error.code === "credential_file_damaged")) throw error;
    warn(`${error.message} It is replaced.`);
    return [];
  }
}

function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  const flags = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | O_NOFOLLOW;
  const descriptor = fs.openSync(temporary, flags, 0o600);
  try {
    try {
      // The mode of open is narrowed by umask; 0600 always is what the file has.
      if (!isWindows) fs.fchmodSync(descriptor, 0o600);
      fs.writeFileSync(descriptor, text);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(path.dirname(file));
}

/** Makes the rename last through a power cut. Not every file system can; the file is whole in any case. */
function syncDirectory(directory: string): void {
  if (isWindows) return;
  try {
    const descriptor = fs.openSync(directory, fs.constants.O_RDONLY);
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {}
}

/**
 * Removes the credential file, and what an interrupted login left beside it.
 *
 * @returns whether there was a file. Through a symbolic link nothing is removed but the link itself.
 */
export function removeCredentials(file: string): boolean {
  try {
    removeTemporaryFiles(path.dirname(file), 0);
    fs.unlinkSync(file);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw new UserError(`${file} cannot be removed: ${systemReason(error)}.`, {
      code: "credential_not_removed",
      cause: error,
    });
  }
}

/** A killed login leaves its temporary file, with the token in it. Those of a login that still runs are younger than a minute. */
function removeTemporaryFiles(directory: string, olderThanMilliseconds: number): void {
  for (const name of fs.readdirSync(directory)) {
    if (!/^credentials\.\d+-[0-9a-z]+\.tmp$/.test(name)) continue;
    const temporary = path.join(directory, name);
    const status = fs.lstatSync(temporary, { throwIfNoEntry: false });
    if (status !== undefined && Date.now() - status.mtimeMs >= olderThanMilliseconds)
      fs.rmSync(temporary, { force: true });
  }
}

function refuseLink(file: string): void {
  const status = fs.lstatSync(file, { throwIfNoEntry: false });
  if (status !== undefined && !status.isFile()) throw notAFile(file);
}

function notAFile(file: string): UserError {
  return new UserError(`${file} is a symbolic link or no regular file; svc keeps tokens in a file of its own only.`, {
    code: "credential_file_refused",
    next: `Remove ${file}, then log in again.`,
  });
}

function unreadable(file: string, error: unknown): UserError {
  if (hasErrorCode(error, "ELOOP", "EMLINK")) return notAFile(file);
  return new UserError(`${file} cannot be read: ${systemReason(error)}.`, {
    code: "credential_file_unreadable",
    next: "Make it readable for you, or remove it and log in again. SVC_TOKEN needs no file.",
    cause: error,
  });
}
