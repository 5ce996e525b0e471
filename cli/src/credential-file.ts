import * as fs from "node:fs";
import * as path from "node:path";
import { isWellFormedToken } from "../../contract/api/tokens/token-format.ts";
import { formatApiUrl, parseApiUrl } from "./api-url.ts";
import { UserError, usageError } from "./errors.ts";
import { homeDirectory } from "./home-directory.ts";
import { makePrivateDirectory } from "./private-directory.ts";
import { renameFile } from "./rename-file.ts";
import { hasErrorCode, systemReason } from "./system-error.ts";
import { printable } from "./text.ts";

/*
 * The file is plain text: one line for each account at an API, the latest login first: `<API URL> <token> <uid> <name>`, the last two
 * percent-encoded, and missing in files of older versions and after --no-verify. A token is sent to the origin on its line and to no other,
 * and logging in to staging does not log out of production.
 */

/** Whose token it is, as the API said at the login. */
export interface SavedAccount {
  readonly uid: string;
  readonly name: string;
}

/** A token and the API that it was saved for. */
export interface SavedCredential {
  readonly api: URL;
  readonly token: string;
  readonly account?: SavedAccount | undefined;
}

/** The credentials of an account, which is named by its uid or, if nobody else there has it, by its name. */
export function ofAccount(saved: readonly SavedCredential[], named: string): SavedCredential[] {
  const byUid = saved.filter(({ account }) => account?.uid === named);
  if (byUid.length > 0) return byUid;
  const byName = saved.filter(({ account }) => account?.name.toLowerCase() === named.toLowerCase());
  return new Set(byName.map(({ account }) => account?.uid)).size === 1 ? byName : [];
}

/** The error for an account that {@link ofAccount} does not find. */
export function noSuchAccount(saved: readonly SavedCredential[], named: string): UserError {
  const accounts = saved.map(({ api, account }) => `${accountInWords(account)} at ${formatApiUrl(api)}`);
  return usageError(`No account ${printable(named)} is logged in on this machine, or several have that name.`, {
    code: "account_not_saved",
    places: accounts,
    next: accounts.length === 0 ? "svc login" : "Name one of these by the user ID in parentheses, or log in: svc login",
  });
}

export function accountInWords(account: SavedAccount | undefined): string {
  return account === undefined
    ? "an account of an earlier login"
    : `${printable(account.name)} (${printable(account.uid)})`;
}

type Warn = (text: string) => void;

const isWindows = process.platform === "win32";
/** Windows has neither of these flags. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants as Partial<typeof fs.constants>;

/**
 * `$XDG_CONFIG_HOME/svc/credentials`, or `~/.config/svc/credentials` if the variable is unset, empty or relative
 * (XDG Base Directory Specification; a relative path must be ignored). Undefined if there is no home directory.
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
 * {@link credentialPath}, which must exist.
 *
 * @throws UserError if there is no home directory
 */
export function requireCredentialPath(): string {
  const path = credentialPath();
  if (path !== undefined) return path;
  throw new UserError("There is no home directory in which to save the token.", {
    code: "no_home_directory",
    next: "Set HOME or XDG_CONFIG_HOME to an absolute path, or use SVC_TOKEN instead of a saved token.",
  });
}

/**
 * Reads the saved credentials, the latest login first; none if the file does not exist. If other users can read or
 * write the file, repairs its mode if possible, and warns.
 *
 * @throws UserError if the file is a symbolic link, no file, unreadable or damaged
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
    if (!isWindows && (status.mode & 0o077) !== 0) warn(repairMode(file, descriptor, status.mode));
    return parse(file, fs.readFileSync(descriptor, "utf8"));
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Repairs the mode if possible, and returns the warning. */
function repairMode(file: string, descriptor: number, mode: number): string {
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  const advice = "If other people use this machine, revoke the token and create a new one.";
  try {
    fs.fchmodSync(descriptor, 0o600);
    return `Other users could open ${file} (mode ${octal}); its mode is 0600 now. ${advice}`;
  } catch (error) {
    return `Other users can open ${file} (mode ${octal}), and its mode cannot be changed: ${systemReason(error)}. ${advice}`;
  }
}

function parse(file: string, text: string): SavedCredential[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .flatMap((line, index) => {
      if (line === "" || line.startsWith("#")) return [];
      const [api = "", token = "", uid, name = "", ...more] = line.split(/\s+/);
      try {
        if (more.length === 0 && isWellFormedToken(token)) {
          const account =
            uid === undefined ? undefined : { uid: decodeURIComponent(uid), name: decodeURIComponent(name) };
          return [{ api: parseApiUrl(api, file), token, account }];
        }
      } catch {}
      throw new UserError(`Line ${index + 1} of ${file} is damaged.`, {
        code: "credential_file_damaged",
        next: "svc login replaces the file.",
      });
    });
}

/**
 * Saves a credential as the first line, and removes the earlier ones for the same account at the same origin, and those there of which
 * nobody knows the account but `identified`. The file is complete and has
 * mode 0600 at every moment: a temporary file beside it is written, synced and renamed. Creates missing directories with
 * mode 0700; does not change the mode of existing ones.
 *
 * @throws UserError if the file is a symbolic link or cannot be written; then nothing is changed
 */
export function saveCredential(
  file: string,
  credential: SavedCredential,
  warn: Warn,
  identified: readonly SavedCredential[] = [],
): void {
  const { api, account } = credential;
  const directory = path.dirname(file);
  try {
    makePrivateDirectory(directory);
    refuseLink(file);
    const others = readOthers(file, warn).filter(
      (other) => other.api.origin !== api.origin || (other.account && other.account.uid !== account?.uid),
    );
    removeTemporaryFiles(directory, 60_000);
    writeCredentials(file, [credential, ...identified, ...others]);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`The token cannot be saved in ${file}: ${systemReason(error)}.`, {
      code: "credential_not_saved",
      next: "Nothing was changed. Free disk space or repair the directory, then log in again.",
      cause: error,
    });
  }
}

function writeCredentials(file: string, saved: readonly SavedCredential[]): void {
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
  const lines = saved.map(({ api, token, account }) => {
    const whose = account === undefined ? "" : ` ${encoded(account.uid)} ${encoded(account.name)}`.trimEnd();
    return `${formatApiUrl(api)} ${token}${whose}\n`;
  });
  replaceFile(file, `# Tokens of svc, the latest login first. Do not share this file.\n${lines.join("")}`);
}

/**
 * Removes these tokens from the file, and removes the file if no other token is left.
 *
 * @throws UserError if the file cannot be read or written; then nothing is changed
 */
export function removeTokens(file: string, tokens: ReadonlySet<string>): void {
  const others = readCredentials(file, () => {}).filter(({ token }) => !tokens.has(token));
  if (others.length === 0) removeCredentials(file);
  else writeCredentials(file, others);
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
      // umask may have removed more permissions than 0600 does.
      if (!isWindows) fs.fchmodSync(descriptor, 0o600);
      fs.writeFileSync(descriptor, text);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    renameFile(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(path.dirname(file));
}

/** Makes the rename durable after a power failure. Not every file system can do that; the file is complete anyway. */
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
 * Removes the credential file, and temporary files of interrupted logins. Of a symbolic link only the link is removed.
 *
 * @returns whether there was a file
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

/** A killed login leaves its temporary file, which contains the token. A login that still runs has one younger than a minute. */
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
  return new UserError(`${file} is not a regular file; svc saves tokens only in its own file, not through a link.`, {
    code: "credential_file_refused",
    next: `Remove ${file}, then log in again.`,
  });
}

function unreadable(file: string, error: unknown): UserError {
  if (hasErrorCode(error, "ELOOP", "EMLINK")) return notAFile(file);
  return new UserError(`${file} cannot be read: ${systemReason(error)}.`, {
    code: "credential_file_unreadable",
    next: "Make it readable for you, or remove it and log in again. With SVC_TOKEN no file is needed.",
    cause: error,
  });
}
