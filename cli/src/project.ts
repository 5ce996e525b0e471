import * as path from "node:path";
import { type ProjectFile, projectFileName } from "../../contract/folder/project-file.ts";
import { usageError } from "./errors.ts";
import { findProjectFile } from "./project-file.ts";
import { assertAddress } from "./slug.ts";

/** The project of a command, and svc.toml. */
export interface FoundProject {
  readonly slug: string;
  readonly file: ProjectFile;
  /** The folder of svc.toml, relative to the current one; `.` if there is no svc.toml. */
  readonly directory: string;
}

/**
 * Finds the project: the one that the command line names, else the one in svc.toml of this folder or the nearest parent.
 *
 * @param how the command line names it, for the error
 * @throws UserError (exit code 2) if neither names one, or no project can have this address
 */
export function findProject(project: string | undefined, how = "add --project PROJECT"): FoundProject {
  const here = process.cwd();
  const projectFile = findProjectFile(here) ?? { directory: here, content: {} };
  const slug = project ?? projectFile.content.project;
  const directory = path.relative(here, projectFile.directory) || ".";
  if (slug !== undefined) {
    assertAddress(slug);
    return { slug, file: projectFile.content, directory };
  }
  throw usageError(`The project is missing, and no ${projectFileName} here names one.`, {
    code: "no_project",
    next: `svc init PROJECT, or ${how}.`,
  });
}
