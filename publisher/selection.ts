import type { Advice } from "../contract/folder/advice.ts";
import { type IgnoreRules, ignoreRulesOf, unmatchedAdvice } from "../contract/folder/ignore-rules.ts";
import {
  type ProjectFile,
  ProjectFileProblem,
  parseProjectFile,
  projectFileName,
  unreadSettings,
} from "../contract/folder/project-file.ts";
import { Refused } from "./refused.ts";
import { type SourceFile, textAt } from "./source.ts";

/* What of a selection of files the rules publish. */

/** Files by what the rules say of them. */
export interface Selection<File extends SourceFile> {
  readonly files: readonly File[];
  /** Paths that are not published because the name says that they may contain a secret. */
  readonly secrets: readonly string[];
  /** Paths that another rule excludes. */
  readonly ignored: readonly string[];
}

export function selected<File extends SourceFile>(all: readonly File[], { judge }: IgnoreRules): Selection<File> {
  // The rules take no path that leaves the folder; what is wrong with it is said when the files are checked.
  const verdicts = all.map(({ path }) => (isOrdinary(path) ? judge(path) : "publish"));
  const of = (verdict: string) => all.filter((_, index) => verdicts[index] === verdict);
  const pathsOf = (verdict: string) =>
    of(verdict)
      .map(({ path }) => path)
      .sort();
  return { files: of("publish"), secrets: pathsOf("secret"), ignored: pathsOf("ignored") };
}

function isOrdinary(path: string): boolean {
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/**
 * What svc.toml and the .svcignore files that are in a selection publish of it, with advice about what of them nobody reads.
 *
 * @param folder of the selection that is published, with its slash
 * @param slug undefined for a game that has no project yet
 * @throws Refused
 */
export async function selectedByItself<File extends SourceFile>(
  picked: readonly File[],
  { folder = "", slug }: { readonly folder?: string | undefined; readonly slug: string | undefined },
): Promise<Selection<File> & { readonly file: ProjectFile; readonly advice: readonly Advice[] }> {
  const all = inFolder(picked, folder);
  const file = await projectFileOf(all);
  const { dir = ".", ignore = [] } = file;
  const segments = dir.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..") || dir.startsWith("/")) throw new Refused({ code: "folder_outside", dir });
  const prefix = segments.map((segment) => `${segment}/`).join("");
  const ignoreFiles = [...new Set([".svcignore", `${prefix}.svcignore`])];
  const texts = await Promise.all(ignoreFiles.map((path) => textAt(all, path)));
  const rules = ignoreRulesOf({ settings: ignore, ignoreFiles: texts.filter((text) => text !== undefined) });
  const selection = selected(inFolder(all, prefix), rules);
  const unread = unreadSettings(selection.ignored, prefix === "");
  return { ...selection, file, advice: [...projectAdvice(file, slug), ...unread, ...unmatchedAdvice(rules)] };
}

function inFolder<File extends SourceFile>(all: readonly File[], folder: string): readonly File[] {
  return all
    .filter(({ path }) => path.startsWith(folder))
    .map((file) => ({ ...file, path: file.path.slice(folder.length) }));
}

async function projectFileOf(all: readonly SourceFile[]): Promise<ProjectFile> {
  const text = await textAt(all, projectFileName);
  try {
    return text === undefined ? {} : parseProjectFile(text);
  } catch (problem) {
    if (!(problem instanceof ProjectFileProblem)) throw problem;
    throw new Refused({ code: "invalid_project_file", problem: problem.message });
  }
}

function projectAdvice({ project }: ProjectFile, slug: string | undefined): Advice[] {
  if (project === undefined || slug === undefined || project === slug) return [];
  return [{ code: "project_differs", places: [projectFileName], project, slug }];
}
