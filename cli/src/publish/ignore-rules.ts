import * as path from "node:path";
import { type IgnoreRules, ignoreRulesOf } from "../../../contract/folder/ignore-rules.ts";
import { usageError } from "../errors.ts";
import { readSmallFile } from "../small-file.ts";

/**
 * The rules of a folder or zip on this machine (contract/folder/ignore-rules.ts), with the .svcignore beside svc.toml and that of the
 * folder.
 *
 * @param inZip the text of the one in a zip
 */
export function ignoreRules(
  folder: string,
  projectDirectory: string,
  patterns: readonly string[],
  inZip?: string,
): IgnoreRules {
  const directories = new Set([path.resolve(projectDirectory), path.resolve(folder)]);
  const ignoreFiles = [...[...directories].flatMap(readIgnoreFile), ...(inZip === undefined ? [] : [inZip])];
  return ignoreRulesOf({ settings: patterns, ignoreFiles });
}

function readIgnoreFile(directory: string): string[] {
  const file = path.join(directory, ".svcignore");
  const text = readSmallFile(file, (why) => usageError(`${file} ${why}`, { code: "ignore_file_unreadable" }));
  return text === undefined ? [] : [text];
}
