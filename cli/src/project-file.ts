import * as fs from "node:fs";
import * as path from "node:path";
import { stringify } from "smol-toml";
import {
  type ProjectFile,
  ProjectFileProblem,
  parseProjectFile,
  projectFileKeys,
  projectFileName,
} from "../../contract/folder/project-file.ts";
import { UserError, usageError } from "./errors.ts";
import { readSmallFile } from "./small-file.ts";
import { closest } from "./suggest.ts";
import { hasErrorCode } from "./system-error.ts";
import { printable } from "./text.ts";

/** A svc.toml and its folder. */
export interface FoundProjectFile {
  readonly directory: string;
  readonly content: ProjectFile;
}

/**
 * Finds svc.toml in a directory or the nearest parent.
 *
 * @throws UserError (exit code 2) as {@link readProjectFile}, and if the one of a parent belongs to another user of this
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

/**
 * The folder that svc.toml names, relative to the current one. It is inside the folder of svc.toml, also through links, or a pull request
 * that changes svc.toml could publish any folder of the machine; another one is an argument of the command.
 *
 * @throws UserError (exit code 2) if it is outside
 */
export function folderOf(directory: string, dir = "."): string {
  const folder = path.join(directory, dir);
  const real = (of: string) => (fs.existsSync(of) ? fs.realpathSync(of) : path.resolve(of));
  const inside = path.relative(real(directory), real(path.isAbsolute(dir) ? dir : folder));
  if (!path.isAbsolute(inside) && inside.split(path.sep)[0] !== "..") return folder;
  throw usageError(
    `dir in ${projectFileName} is ${printable(dir)}, which is outside of the folder of ${projectFileName}.`,
    {
      code: "dir_outside",
      next: "If you want to publish it, name it: svc publish DIR",
    },
  );
}

function refuseOthers(file: string): void {
  const owner = fs.statSync(file, { throwIfNoEntry: false })?.uid;
  if (process.platform === "win32" || owner === undefined || owner === process.getuid?.()) return;
  throw usageError(`${file} belongs to another user of this machine.`, {
    code: "project_file_of_another",
    next: "Add --project PROJECT and the folder, or write a svc.toml here: svc init",
  });
}

/**
 * Reads svc.toml of a directory; undefined if there is none.
 *
 * @throws UserError (exit code 2) for invalid TOML, an unknown key, a token, or an API URL: with that, a pull request could
 *   send the publisher's token to another server
 */
function readProjectFile(directory: string): ProjectFile | undefined {
  const file = path.join(directory, projectFileName);
  const text = readSmallFile(file, (why) => invalid(why));
  if (text === undefined) return undefined;
  try {
    return parseProjectFile(text);
  } catch (problem) {
    if (!(problem instanceof ProjectFileProblem)) throw problem;
    const meant = problem.unknownKey === undefined ? undefined : closest(problem.unknownKey, projectFileKeys);
    throw invalid(`${printable(problem.message)}${meant === undefined ? "" : ` Did you mean ${meant}?`}`, problem.code);
  }
}

function invalid(why: string, code = "invalid_project_file"): UserError {
  return usageError(`${projectFileName} ${why}`, { code, next: `Correct ${projectFileName}, then try again.` });
}

/**
 * Writes a new svc.toml.
 *
 * @throws UserError if there is one already
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
