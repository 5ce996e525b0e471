import { limits } from "../../../contract/api/limits.ts";
import { type Content, type Delta, isDeltaWorthSending, mayHaveVariant } from "../../../contract/api/manifest-rules.ts";
import {
  changedSettings,
  defaultSettings,
  dictionaryPath,
  type ReleaseSettings,
} from "../../../contract/api/release-settings.ts";
import type { Beginning } from "../../../publisher/beginning.ts";
import type { KeptPicture, keptWith } from "../../../publisher/settings.ts";
import type { CallOptions } from "../client.ts";
import { UserError } from "../errors.ts";
import { humanBytes } from "../text.ts";
import type { HashedFile } from "./hash.ts";
import type { Indexes } from "./known-parts.ts";

/*
 * The request that opens a release, from what is known of the folder and of the live release.
 */

/** The message of a release, and the commit and CI job that it was built from. */
export interface ReleaseDescription {
  readonly message?: string;
  readonly source?: { readonly commit: string; readonly run_url?: string };
}

/**
 * Release that must be live until the new one is: this one; null: none; undefined: the one that the files were compared with, so that of
 * two publications at once the later does not take back the changes of the earlier one; false: whichever.
 */
export type Expectation = string | null | undefined | false;

/** The files of a release. */
export interface ReleaseContent {
  readonly files: readonly HashedFile[];
  /** The paths that are sent as they are stored, whatever their names say. */
  readonly asStored: ReadonlySet<string>;
  readonly picture: string | undefined;
}

/** Copies of files for those who can use them, by the hash of their file. */
export interface Copies {
  readonly variants: ReadonlyMap<string, Content>;
  readonly deltas: ReadonlyMap<string, readonly Delta[]>;
  readonly indexes: Indexes;
}

export interface ReleaseOptions {
  /** For the error alone. */
  readonly folder: string;
  readonly description: ReleaseDescription;
  readonly expectCurrent: Expectation;
  readonly isDryRun: boolean;
  readonly settings: ReleaseSettings;
  readonly begun: Pick<Beginning, "choices">;
  /** Undefined: nothing is left for the next publication. */
  readonly choices: ReleaseChoices | undefined;
}

/** Choices as the service keeps them. */
export type ReleaseChoices = ReturnType<typeof keptWith>;

export type ReleaseBody = ReturnType<typeof releaseBody>;

/**
 * The body of `createRelease`. If it is too long for one request, leaves out deltas, then the variants that save least.
 *
 * @throws UserError if it is too long without them
 */
export function releaseBody(content: ReleaseContent, copies: Copies, options: ReleaseOptions) {
  const { variants, deltas } = copies;
  const { files, picture } = content;
  const { description, expectCurrent, isDryRun, folder, begun, choices } = options;
  const chosen = begun.choices.picture;
  const body = {
    files: [
      ...files.filter(({ path }) => path !== chosen?.path).map((file) => fileOf(file, content, { ...options, copies })),
      // The service has its bytes.
      ...(chosen && "sha256" in chosen ? [keptFile(chosen)] : []),
    ],
    ...description,
    ...(picture !== undefined && { picture }),
    ...(choices && { choices }),
    ...settingsOf(options),
    ...(expectCurrent !== undefined && expectCurrent !== false && { expect_current: expectCurrent }),
    ...(isDryRun && { dry_run: true }),
  };
  const length = Buffer.byteLength(JSON.stringify(body));
  if (length <= limits.manifestBodyBytes) return body;
  if (deltas.size > 0) return releaseBody(content, { ...copies, deltas: new Map() }, options);
  if (variants.size > 0) return releaseBody(content, { ...copies, variants: betterHalf(files, variants) }, options);
  throw new UserError(
    `The list of files of ${folder} has ${humanBytes(length)}; the limit for a request is ${humanBytes(limits.manifestBodyBytes)}. Nothing was sent.`,
    { code: "manifest_too_large", next: "Shorten the paths, or pack small files together." },
  );
}

function fileOf(
  file: HashedFile,
  { asStored }: ReleaseContent,
  { copies: { variants, deltas, indexes }, settings }: ReleaseOptions & { readonly copies: Copies },
) {
  const { path, size, sha256 } = file;
  const named = (content: Content) => {
    const index = indexes.get(content.sha256);
    return {
      ...{ size: content.size, sha256: content.sha256 },
      ...(index && { index: { size: index.size, sha256: index.sha256 } }),
    };
  };
  const br = mayHaveVariant(file) ? variants.get(sha256) : undefined;
  const worth = (dictionaryPath(file, settings) === undefined ? [] : (deltas.get(sha256) ?? []))
    .filter((delta) => isDeltaWorthSending(delta.size, { size, br }))
    .map((delta) => ({ dictionary: delta.dictionary, size: delta.size, sha256: delta.sha256 }));
  return {
    ...{ path, ...named(file) },
    ...(br && { br: named(br) }),
    ...(worth.length > 0 && { deltas: worth.slice(0, limits.deltasPerFile) }),
    ...(asStored.has(path) && { encoding: "identity" as const }),
  };
}

type Settings = NonNullable<NonNullable<CallOptions<"createRelease">["body"]>["settings"]>;

/** Only the settings that are not the defaults: an API of before does not know every setting. */
function settingsOf({ settings }: ReleaseOptions): { settings?: Settings } {
  const names = changedSettings(defaultSettings, settings);
  if (names.length === 0) return {};
  return { settings: Object.fromEntries(names.map((name) => [name, settings[name]])) as Settings };
}

function keptFile({ path, size, sha256 }: KeptPicture) {
  return { path, size, sha256, br: undefined, deltas: undefined };
}

function betterHalf(files: readonly HashedFile[], variants: ReadonlyMap<string, Content>): Map<string, Content> {
  const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
  const saving = ([sha256, { size }]: [string, Content]) => (sizes.get(sha256) ?? 0) - size;
  return new Map([...variants].toSorted((a, b) => saving(b) - saving(a)).slice(0, Math.floor(variants.size / 2)));
}
