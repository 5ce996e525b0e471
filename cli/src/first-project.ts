import * as fs from "node:fs";
import * as path from "node:path";
import { projectFileName } from "../../contract/folder/project-file.ts";
import { buildFolderOf } from "./build-folder.ts";
import { UserError } from "./errors.ts";
import type { FoundProject } from "./project.ts";
import { findProjectFile, writeProjectFile } from "./project-file.ts";
import { ask } from "./question.ts";
import { checkSlug, slugIn } from "./slug.ts";

export interface FirstProjectOptions {
  /** The folder that the command line names. */
  readonly dir: string | undefined;
  /** Whether svc.toml is written, so that the next command does not ask. */
  readonly isKept: boolean;
  say(line: string): void;
}

/**
 * Asks a person which project a folder is, for which neither the command line nor svc.toml names one.
 *
 * @throws UserError (exit code 130) after Ctrl-C
 */
export async function askForProject({ dir, isKept, say }: FirstProjectOptions): Promise<FoundProject> {
  const here = process.cwd();
  const slug = await askForAddress(slugIn(path.basename(here)) ?? "my-game", say);
  const projectFile = findProjectFile(here);
  if (projectFile)
    return { slug, file: projectFile.content, directory: path.relative(here, projectFile.directory) || "." };
  const build = dir ?? buildFolderOf(here).dir;
  const file = { project: slug, dir: build.split(path.sep).join("/") };
  if (!isKept || !isFolderInside(here, build)) return { slug, file: { ...file, dir: build }, directory: "." };
  writeProjectFile(here, file);
  say(`Wrote ${projectFileName}: ${file.dir} is published as ${slug}.`);
  return { slug, file, directory: "." };
}

async function askForAddress(proposed: string, say: (line: string) => void): Promise<string> {
  for (;;) {
    const slug = await ask("Which project? Its address will be in the game's URL", proposed);
    try {
      checkSlug(slug, "svc publish --project");
      return slug;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      say(error.message);
    }
  }
}

/** Whether svc.toml can name it: not a zip, a page, nor what is outside of its folder. */
function isFolderInside(here: string, dir: string): boolean {
  const isFile = fs.statSync(dir, { throwIfNoEntry: false })?.isFile() ?? false;
  const relative = path.relative(here, dir);
  return !isFile && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..";
}
