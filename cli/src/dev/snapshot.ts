import { createHash } from "node:crypto";
import * as path from "node:path";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { adviceFor, type Build, threadsIn } from "../../../contract/folder/build-advice.ts";
import { type IgnoreRules, unmatchedAdvice } from "../../../contract/folder/ignore-rules.ts";
import { type ProjectFile, unreadSettings } from "../../../contract/folder/project-file.ts";
import { secretAdvice } from "../../../contract/folder/secret-content.ts";
import { sourceIn, wayToBuild } from "../../../contract/folder/source-folder.ts";
import { freshBeginning } from "../../../publisher/beginning.ts";
import { settingsFrom, switchesFor } from "../../../publisher/settings.ts";
import { type FoundProjectFile, folderOf } from "../project-file.ts";
import { buildOf } from "../publish/build-advice.ts";
import { readFolder } from "../publish/folder.ts";
import { type HashedFile, hashAll, withUncompressed } from "../publish/hash.ts";
import { ignoreRules } from "../publish/ignore-rules.ts";
import { secretsWarning } from "../publish/left-out.ts";
import { silent } from "../publish/progress.ts";
import { pathsSentAsStored } from "../publish/stored-encoding.ts";

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
  readonly files: ReadonlyMap<string, HashedFile>;
  /** The paths that are sent as they are stored, whatever their names say. */
  readonly asStored: ReadonlySet<string>;
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
  const { folder, rules, file } = source;
  const {
    files: found,
    secrets,
    ignored,
    folders,
  } = await readFolder(folder, rules.judge, { signal, onFiles: () => undefined });
  const files = withUncompressed(await hashAll(found, { progress: silent, signal }), file.uncompressed);
  const asStored = await pathsSentAsStored(files, file.raw ?? []);
  const warning = secretsWarning(secrets);
  const build = buildOf(found);
  const sources = { ...freshBeginning, file, threads: threadsIn(build), hashedNames: undefined };
  const settings = settingsFrom(switchesFor(sources), sources);
  return {
    digest: digestOf(files, { settings, asStored: [...asStored] }),
    settings,
    files: new Map(files.map((file) => [file.path, file])),
    asStored,
    warnings: [
      ...(warning === undefined ? [] : [warning]),
      ...unreadSettings(ignored, source.isOwnProjectFile),
      ...unmatchedAdvice(rules),
      ...sourceWarnings(folder, build),
      ...adviceFor(build, settings),
      ...secretAdvice(files),
    ],
    folders,
  };
}

function sourceWarnings(folder: string, build: Build): string[] {
  const source = sourceIn(build);
  return source === undefined ? [] : [`${folder} ${source.what}. ${wayToBuild(source)}`];
}

function digestOf(files: readonly HashedFile[], settings: object): string {
  const content = [...files.map(({ path, sha256 }) => [path, sha256]), settings];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
