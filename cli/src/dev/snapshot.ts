import { createHash } from "node:crypto";
import * as path from "node:path";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { adviceInWords } from "../../../contract/folder/advice.ts";
import { type IgnoreRules, unmatchedAdvice } from "../../../contract/folder/ignore-rules.ts";
import { type ProjectFile, unreadSettings } from "../../../contract/folder/project-file.ts";
import { projectFileWords } from "../../../contract/folder/setting-words.ts";
import { wayToBuild } from "../../../contract/folder/source-folder.ts";
import { freshBeginning } from "../../../publisher/beginning.ts";
import { assertPreparable, type PreparedFile, prepare } from "../../../publisher/prepare.ts";
import { silent } from "../../../publisher/progress.ts";
import { Refused } from "../../../publisher/refused.ts";
import { type FoundProjectFile, folderOf } from "../project-file.ts";
import { readFolder } from "../publish/folder.ts";
import { ignoreRules } from "../publish/ignore-rules.ts";
import { secretsWarning } from "../publish/left-out.ts";
import type { LocalFile } from "../publish/local-file.ts";
import { nodePlatform } from "../publish/node-platform.ts";
import { explainRefusal } from "../publish/refusal-words.ts";

/** Folder and settings to serve, as svc.toml says at the moment. */
export interface DevSource {
  readonly folder: string;
  readonly rules: IgnoreRules;
  /** Whether the svc.toml in the folder is the one that was read. */
  readonly isOwnProjectFile: boolean;
  readonly file: ProjectFile;
}

/** Folder and settings that a svc.toml says to serve. @param dir the folder, instead of the one in svc.toml */
export function sourceOf({ directory, content }: FoundProjectFile, dir: string | undefined): DevSource {
  const folder = dir ?? (path.relative("", folderOf(directory, content.dir)) || ".");
  const rules = ignoreRules(folder, directory, content.ignore ?? []);
  const isOwnProjectFile = path.resolve(folder) === path.resolve(directory);
  return { folder, rules, isOwnProjectFile, file: content };
}

/** The folder as a release: what `svc publish` would publish of it. */
export interface Snapshot {
  /** Stands for the release's digest; differs if a file or a setting does. */
  readonly digest: string;
  readonly settings: ReleaseSettings;
  readonly files: ReadonlyMap<string, PreparedFile<LocalFile>>;
  /** Warnings that `svc publish` would give without asking the API. */
  readonly warnings: readonly string[];
  /** The folders that were read, with all links resolved. */
  readonly folders: readonly string[];
}

/**
 * Reads and hashes the folder as `svc publish` does.
 *
 * @throws UserError if `svc publish` would refuse it
 */
export async function takeSnapshot(source: DevSource, signal: AbortSignal): Promise<Snapshot> {
  try {
    return await snapshotOf(source, signal);
  } catch (failure) {
    throw failure instanceof Refused ? explainRefusal(failure, source.folder) : failure;
  }
}

const words = projectFileWords;

async function snapshotOf(
  { folder, rules, file, isOwnProjectFile }: DevSource,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { judge } = rules;
  const { files: listed, secrets, ignored, folders } = await readFolder(folder, judge, { signal, onFiles: () => {} });
  const { files, settings, advice } = await prepare(listed, {
    ...{ platform: nodePlatform, progress: silent, signal, file, words, beginning: freshBeginning },
    choices: { leftOut: [], isForced: true },
    ofBytes: () => {
      throw new Error("Nobody has chosen a picture");
    },
  });
  const warning = secretsWarning(secrets);
  return {
    digest: digestOf(files, settings),
    settings,
    files: new Map(files.map((file) => [file.path, file])),
    warnings: [
      ...(warning === undefined ? [] : [warning]),
      ...[...unreadSettings(ignored, isOwnProjectFile), ...unmatchedAdvice(rules)].map((one) => adviceInWords(one)),
      ...(await sourceWarnings(folder, listed)),
      ...advice.map((one) => adviceInWords(one)),
    ],
    folders,
  };
}

/** `svc publish` asks before it publishes a source. */
async function sourceWarnings(folder: string, listed: readonly LocalFile[]): Promise<string[]> {
  try {
    await assertPreparable(listed, { choices: { leftOut: [] }, words });
  } catch (failure) {
    const reason = failure instanceof Refused ? failure.reason : undefined;
    if (reason?.code === "source_folder") return [`${folder} ${reason.source.what}. ${wayToBuild(reason.source)}`];
    throw failure;
  }
  return [];
}

function digestOf(files: readonly PreparedFile<LocalFile>[], settings: ReleaseSettings): string {
  const content = [...files.map(({ path, sha256, encoding }) => [path, sha256, encoding]), settings];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
