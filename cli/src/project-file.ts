import * as fs from "node:fs";
import * as path from "node:path";
import { parse, stringify } from "smol-toml";
import { limits } from "../../contract/limits.ts";
import { type Isolation, patternProblem, type ReleaseSettings } from "../../contract/release-settings.ts";
import { UserError, usageError } from "./errors.ts";
import { readSmallFile } from "./small-file.ts";
import { closest } from "./suggest.ts";
import { hasErrorCode } from "./system-error.ts";
import { containsToken, printable } from "./text.ts";

/** The content of svc.toml. */
export interface ProjectFile {
  readonly project?: string;
  /** The folder to publish, relative to svc.toml. */
  readonly dir?: string;
  /** Patterns of files that are not published, in the syntax of .svcignore. */
  readonly ignore?: readonly string[];
  /** Whether the game's responses have the headers that threads need (COOP and COEP), and which COEP. */
  readonly isolation?: Isolation;
  /** Patterns of paths whose content never changes: browsers cache them for a year. */
  readonly immutable?: readonly string[];
  /** Whether pages without a file get /index.html. */
  readonly spa?: boolean;
  /** Patterns of files named .gz or .br that the game decompresses itself. */
  readonly raw?: readonly string[];
}

/** How the files of a release are sent. */
export function settingsOf({ isolation = false, immutable = [], spa = false }: ProjectFile): ReleaseSettings {
  return { isolation, immutable, spa };
}

export const projectFileName = "svc.toml";
const keys = ["project", "dir", "ignore", "isolation", "immutable", "spa", "raw"];

/** A svc.toml and its folder. */
export interface FoundProjectFile {
  readonly directory: string;
  readonly content: ProjectFile;
}

/**
 * Finds svc.toml in a directory or the nearest parent.
 *
 * @throws UserError (exit code 2) as {@link readProjectFile}, and where the one of a parent belongs to another user of this
 *   machine, who could choose what is published
 */
export function findProjectFile(from: string): FoundProjectFile | undefined {
  for (let directory = from; ; directory = path.dirname(directory)) {
    const content = readProjectFile(directory);
    if (content !== undefined) {
      if (directory !== from) refuseOthers(path.join(directory, projectFileName));
      return { directory, content };
    }
    if (path.dirname(directory) === directory) return undefined;
  }
}

function refuseOthers(file: string): void {
  const owner = fs.statSync(file, { throwIfNoEntry: false })?.uid;
  if (process.platform === "win32" || owner === undefined || owner === process.getuid?.()) return;
  throw usageError(`${file} belongs to another user of this machine.`, {
    code: "project_file_of_another",
    next: "Add --project SLUG and the folder, or write a svc.toml here: svc init",
  });
}

/**
 * Reads svc.toml of a directory; undefined where there is none.
 *
 * @throws UserError (exit code 2) for invalid TOML, an unknown key, a token, or an API URL: with that, a pull request could
 *   send the publisher's token to another server
 */
function readProjectFile(directory: string): ProjectFile | undefined {
  const file = path.join(directory, projectFileName);
  const text = readSmallFile(file, (why) => invalid(why));
  if (text === undefined) return undefined;
  if (containsToken(text))
    throw invalid(
      "contains a token. Everybody who can read the repository can use it: revoke it, then save another with svc login.",
      "token_in_project_file",
    );
  return check(parseToml(text));
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    throw invalid(`is not valid TOML: ${String((error as Error).message).split("\n")[0]}`);
  }
}

function check(table: Record<string, unknown>): ProjectFile {
  for (const key of Object.keys(table)) {
    if (/token|secret|password/i.test(key))
      throw invalid(
        `must not contain a token (${key}). Save it with svc login, or set SVC_TOKEN in the publish step.`,
        "token_in_project_file",
      );
    if (/^(api|url|host|server|endpoint)/i.test(key))
      throw invalid(`must not choose the API (${key}). Use --api or SVC_API.`, "api_in_project_file");
    if (keys.includes(key)) continue;
    const meant = closest(key, keys);
    throw invalid(`has the unknown key ${key}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`);
  }
  const { project, dir, ignore, isolation, immutable, spa, raw } = table;
  if (project !== undefined && typeof project !== "string") throw invalid("must have a string as project.");
  if (dir !== undefined && typeof dir !== "string") throw invalid("must have a string as dir.");
  if (ignore !== undefined && !(Array.isArray(ignore) && ignore.every((pattern) => typeof pattern === "string")))
    throw invalid("must have a list of strings as ignore.");
  if (isolation !== undefined && typeof isolation !== "boolean" && isolation !== "credentialless")
    throw invalid('must have true, false or "credentialless" as isolation.');
  if (spa !== undefined && typeof spa !== "boolean") throw invalid("must have true or false as spa.");
  if (immutable !== undefined) checkPatterns("immutable", immutable);
  if (raw !== undefined) checkPatterns("raw", raw);
  return {
    ...(project !== undefined && { project }),
    ...(dir !== undefined && { dir }),
    ...(ignore !== undefined && { ignore: ignore as string[] }),
    ...(isolation !== undefined && { isolation }),
    ...(immutable !== undefined && { immutable: immutable as string[] }),
    ...(spa !== undefined && { spa }),
    ...(raw !== undefined && { raw: raw as string[] }),
  };
}

function checkPatterns(key: "immutable" | "raw", patterns: unknown): void {
  if (!(Array.isArray(patterns) && patterns.every((pattern) => typeof pattern === "string")))
    throw invalid(`must have a list of strings as ${key}.`);
  if (patterns.length > limits.immutablePatterns)
    throw invalid(`must have at most ${limits.immutablePatterns} patterns as ${key}.`);
  for (const pattern of patterns) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) throw invalid(`has a pattern in ${key} that ${problem}: ${printable(pattern)}`);
  }
}

function invalid(why: string, code = "invalid_project_file"): UserError {
  return usageError(`${projectFileName} ${why}`, { code });
}

/**
 * Writes a new svc.toml.
 *
 * @throws UserError where there is one already
 */
export function writeProjectFile(directory: string, content: ProjectFile): string {
  const file = path.join(directory, projectFileName);
  const text = `# What svc publishes. Tokens and API URLs do not belong here: see svc login --help.\n${stringify(content)}`;
  try {
    fs.writeFileSync(file, text.endsWith("\n") ? text : `${text}\n`, { flag: "wx" });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    throw new UserError(`${projectFileName} exists already.`, {
      code: "project_file_exists",
      next: "Edit it, or remove it first.",
    });
  }
  return file;
}
