import { limits } from "../contract/api/limits.ts";
import {
  type IndexedContent,
  isDeltaWorthSending,
  type ManifestFile,
} from "../contract/api/releases/manifest-rules.ts";
import {
  changedSettings,
  defaultSettings,
  dictionaryPath,
  type ReleaseSettings,
} from "../contract/api/releases/release-settings.ts";
import { Refused } from "./refused.ts";
import type { keptWith } from "./settings.ts";

/* The request that opens a release. */

/** The message of a release, and the commit and CI job that it was built from. */
export interface ReleaseDescription {
  readonly message?: string;
  readonly source?: { readonly commit: string; readonly run_url?: string };
}

/** Choices as the service keeps them. */
export type KeptChoices = ReturnType<typeof keptWith>;

/** A release to open. */
export interface NewRelease {
  readonly files: readonly ManifestFile[];
  readonly settings: ReleaseSettings;
  readonly description?: ReleaseDescription;
  /** The path of what lists show. */
  readonly picture: string | undefined;
  /** Undefined: nothing is left for the next publication. */
  readonly choices: KeptChoices | undefined;
  /** The release that must be live until this one is; null: none; undefined: it does not matter. */
  readonly expectCurrent?: string | null | undefined;
  readonly isDryRun?: boolean;
}

export type ReleaseBody = ReturnType<typeof bodyOf>;

/**
 * The body of `createRelease`. If it is too long for one request, leaves out deltas, then the Brotli copies that save least.
 *
 * @throws Refused `manifest_too_large` if it is too long without them
 */
export function releaseBody(release: NewRelease): ReleaseBody {
  const body = bodyOf(release);
  const bytes = new TextEncoder().encode(JSON.stringify(body)).length;
  if (bytes <= limits.manifestBodyBytes) return body;
  const { files } = release;
  if (files.some(({ deltas = [] }) => deltas.length > 0))
    return releaseBody({ ...release, files: files.map(({ deltas: _, ...file }) => file) });
  if (files.some(({ br }) => br)) return releaseBody({ ...release, files: withBetterHalf(files) });
  throw new Refused({ code: "manifest_too_large", bytes });
}

/** The body of `createRelease` for the files of the live release with other settings. */
export function settingsBody({ filesOf, settings }: { readonly filesOf: string; readonly settings: ReleaseSettings }) {
  return { files_of: filesOf, ...settingsOf(settings) };
}

function bodyOf({ files, settings, description, picture, choices, expectCurrent, isDryRun }: NewRelease) {
  return {
    files: files.map((file) => fileOf(file, settings)),
    ...description,
    ...(picture !== undefined && { picture }),
    ...(choices && { choices }),
    ...settingsOf(settings),
    ...(expectCurrent !== undefined && { expect_current: expectCurrent }),
    ...(isDryRun && { dry_run: true }),
  };
}

function fileOf(file: ManifestFile, settings: ReleaseSettings) {
  const { path, size, br, encoding } = file;
  const deltas = (dictionaryPath(file, settings) === undefined ? [] : (file.deltas ?? []))
    .filter((delta) => isDeltaWorthSending(delta.size, { size, br }))
    .slice(0, limits.deltasPerFile);
  return {
    ...{ path, ...contentOf(file) },
    ...(br && { br: contentOf(br) }),
    ...(deltas.length > 0 && {
      deltas: deltas.map((delta) => ({ dictionary: delta.dictionary, size: delta.size, sha256: delta.sha256 })),
    }),
    ...(encoding && { encoding }),
  };
}

function contentOf({ size, sha256, index }: IndexedContent) {
  return { size, sha256, ...(index && { index: { size: index.size, sha256: index.sha256 } }) };
}

/** Only the settings that are not the defaults: a stage of an older version refuses settings that it does not know. */
function settingsOf(settings: ReleaseSettings) {
  const names = changedSettings(defaultSettings, settings);
  if (names.length === 0) return {};
  const { immutable, frame, preload } = settings;
  const all = {
    ...settings,
    immutable: [...immutable],
    frame: typeof frame === "string" ? frame : [...frame],
    preload: [...preload],
  };
  return { settings: Object.fromEntries(names.map((name) => [name, all[name]])) as Partial<typeof all> };
}

/** Of two files with the same bytes both keep their copy, or none does. */
function withBetterHalf(files: readonly ManifestFile[]): ManifestFile[] {
  const savings = new Map(files.flatMap(({ sha256, size, br }) => (br ? [[sha256, size - br.size] as const] : [])));
  const better = [...savings].toSorted(([, a], [, b]) => b - a).slice(0, Math.floor(savings.size / 2));
  const hashes = new Set(better.map(([sha256]) => sha256));
  return files.map(({ br, ...file }) => (br && hashes.has(file.sha256) ? { ...file, br } : file));
}
