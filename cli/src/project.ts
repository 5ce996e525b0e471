import * as path from "node:path";
import { usageError } from "./errors.ts";
import { type ProjectFile, projectFileName, readProjectFile } from "./project-file.ts";

/** The project that a command is about. */
export interface FoundProject {
  readonly slug: string;
  /** Where svc.toml is or would be. */
  readonly directory: string;
  readonly file: ProjectFile;
}

/**
 * Finds the project: `--project`, else svc.toml of this directory, else that of the folder that is published.
 *
 * @throws UserError (exit code 2) where neither names one
 */
export function findProject({
  project,
  dir,
}: {
  project?: string | undefined;
  dir?: string | undefined;
}): FoundProject {
  const here = process.cwd();
  const there = path.resolve(dir ?? ".");
  const own = readProjectFile(here);
  const file = own ?? (there === here ? undefined : readProjectFile(there)) ?? {};
  const slug = project ?? file.project;
  const directory = own === undefined && Object.keys(file).length > 0 ? there : here;
  if (slug !== undefined) return { slug, directory, file };
  throw usageError(`Which project? There is no ${projectFileName} here that names one.`, {
    code: "no_project",
    next: "svc init PROJECT, or add --project SLUG.",
  });
}
