import { usageError } from "./errors.ts";
import { type ProjectFile, projectFileName, readProjectFile } from "./project-file.ts";

/** The project that a command is about, and what svc.toml of this directory says. */
export interface FoundProject {
  readonly slug: string;
  readonly file: ProjectFile;
}

/**
 * Finds the project: `--project`, else the one in svc.toml of this directory.
 *
 * @throws UserError (exit code 2) where neither names one
 */
export function findProject(project: string | undefined): FoundProject {
  const file = readProjectFile(process.cwd()) ?? {};
  const slug = project ?? file.project;
  if (slug !== undefined) return { slug, file };
  throw usageError(`Which project? There is no ${projectFileName} here that names one.`, {
    code: "no_project",
    next: "svc init PROJECT, or add --project SLUG.",
  });
}
