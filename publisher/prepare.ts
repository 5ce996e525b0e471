import { storedEncodingOf } from "../contract/api/releases/content-types.ts";
import { pictureProblem } from "../contract/api/releases/pictures.ts";
import { matchesPattern, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Client } from "../contract/client.ts";
import type { Advice } from "../contract/folder/advice.ts";
import { adviceFor, type Build, hashedNamesIn, readBytes, threadsIn } from "../contract/folder/build-advice.ts";
import { byPath, isWithin } from "../contract/folder/file-rules.ts";
import { markupOf } from "../contract/folder/html.ts";
import { imageHeadBytes } from "../contract/folder/image-size.ts";
import { headBytes, pictureAdvice, pictureOf } from "../contract/folder/picture.ts";
import type { ProjectFile } from "../contract/folder/project-file.ts";
import { secretAdvice } from "../contract/folder/secret-content.ts";
import type { SettingWords } from "../contract/folder/setting-words.ts";
import { guessedNames } from "../contract/folder/zip-names.ts";
import { type Beginning, freshBeginning, readBeginning, undecidedAdvice } from "./beginning.ts";
import { assertBuilt, assertPublishable } from "./checks.ts";
import { type FileWithFacts, type ReadOptions, withFacts } from "./facts.ts";
import type { KeptChoices } from "./release.ts";
import {
  type Choices,
  isBesideFolder,
  type KeptPicture,
  keptWith,
  pictureBytes,
  type Switches,
  settingsFrom,
  switchesFor,
} from "./settings.ts";
import { beginningOf, type SourceFile } from "./source.ts";

/* From the files of a folder to a release that can be compressed and sent. */

/** A file that is published. */
export type PreparedFile<File extends SourceFile> = FileWithFacts<File> & {
  /** It is sent as it is stored, although its name ends with .gz or .br: its bytes are not compressed so, or the game unpacks them. */
  readonly encoding?: "identity" | undefined;
  /** svc.toml says that players get it without compression. */
  readonly isUncompressed: boolean;
};

export interface PreparedRelease<File extends SourceFile> {
  /** Sorted by path. */
  readonly files: readonly PreparedFile<File>[];
  /** A picture beside them whose bytes the service has. */
  readonly keptPicture: KeptPicture | undefined;
  readonly settings: ReleaseSettings;
  /** The same as switches. */
  readonly switches: Switches;
  /** Choices of the person, as the service keeps them. */
  readonly choices: KeptChoices;
  /** Title of its page; undefined if it has none. */
  readonly title: string | undefined;
  /** The path of what lists show. */
  readonly picture: string | undefined;
  readonly advice: readonly Advice[];
}

export interface PrepareOptions<File extends SourceFile> extends ReadOptions {
  readonly file: ProjectFile;
  readonly choices: Choices;
  readonly beginning: Pick<Beginning, "live" | "decided" | "undecidedPaths">;
  readonly words: SettingWords;
  /** A file with these bytes. */
  ofBytes(path: string, bytes: Uint8Array<ArrayBuffer>): File;
}

/**
 * Checks, reads and hashes what is published of the files.
 *
 * @throws Refused for what cannot be a release, with the choices with which it can
 */
export async function prepare<File extends SourceFile>(
  listed: readonly File[],
  options: PrepareOptions<File>,
): Promise<PreparedRelease<File>> {
  const { choices, file, beginning } = options;
  const published = chosenFiles(listed, choices);
  const picture = pictureOfChoice(published, choices);
  const files = withPicture(published, picture, options);
  const { index, packageJson } = await textsOf(files);
  await checkChosen(files, { ...options, index, packageJson });
  const read = await withFacts(files, options);
  const build = {
    paths: files.map(({ path }) => path),
    index: () => index,
    sharedMemory: () => read.find(({ makesSharedMemory }) => makesSharedMemory)?.path,
  };
  const sources = { ...beginning, file, choices, threads: threadsIn(build) };
  const switches = switchesFor({ ...sources, hashedNames: hashedNamesIn(build.paths)?.pattern });
  const settings = settingsFrom(switches, sources);
  const shown = picture?.path ?? (await pictureOf({ files, ...headsOf(files) }));
  return {
    files: read.map((one) => ({
      ...one,
      encoding: isSentAsStored(one, file.raw) ? ("identity" as const) : undefined,
      isUncompressed: matchesPattern(one.path, file.uncompressed ?? []),
    })),
    keptPicture: picture && "sha256" in picture && isBesideFolder(picture) ? picture : undefined,
    ...{ settings, switches },
    choices: keptWith({ ...choices, picture }, switches.isolation),
    title: titleOf(index),
    picture: shown,
    advice: [
      ...guessedNames(files),
      ...secretAdvice(read),
      ...pictureAdvice(files, shown),
      ...adviceFor(build, settings),
      ...undecidedAdvice(beginning, { file, choices, next: settings }),
    ],
  };
}

/** The files that {@link prepare} publishes, without a chosen picture. */
export function chosenFiles<File extends SourceFile>(listed: readonly File[], { page, leftOut }: Choices): File[] {
  const hasIndex = listed.some(({ path }) => path === "index.html");
  return listed
    .map((file) => (!hasIndex && file.path === page ? { ...file, path: "index.html" } : file))
    .filter(({ path }) => !leftOut.some((name) => isWithin(path, name)))
    .sort(byPath);
}

/** @throws Refused for files that {@link prepare} would refuse before it hashes them */
export async function assertPreparable(
  listed: readonly SourceFile[],
  options: Pick<PrepareOptions<SourceFile>, "choices" | "words">,
): Promise<void> {
  const files = chosenFiles(listed, options.choices);
  await checkChosen(files, { ...options, ...(await textsOf(files)) });
}

/**
 * The same, and if they are refused, without what a person has left out of the project's releases.
 *
 * @throws Refused
 */
export async function assertPreparableAsDecided(
  listed: readonly SourceFile[],
  { client, slug, isFresh, choices, words }: DecidedOptions,
): Promise<void> {
  try {
    await assertPreparable(listed, { choices: { ...freshBeginning.choices, ...choices }, words });
  } catch (refusal) {
    // Whoever cannot be reached is told what is wrong here.
    const read = isFresh ? undefined : await readBeginning(client.withOneTry(), slug).catch(() => undefined);
    if (read === undefined || read.choices.leftOut.length === 0) throw refusal;
    await assertPreparable(listed, { choices: { ...read.choices, ...choices }, words });
  }
}

interface DecidedOptions extends Pick<PrepareOptions<SourceFile>, "words"> {
  readonly client: Client;
  readonly slug: string;
  /** Takes nothing from the project. */
  readonly isFresh: boolean;
  /** Those of this publication, which count before what was decided. */
  readonly choices: Omit<Choices, "leftOut">;
}

interface Texts {
  readonly index: string | undefined;
  readonly packageJson: string | undefined;
}

async function checkChosen(
  files: readonly SourceFile[],
  { choices, words, index, packageJson }: Texts & Pick<PrepareOptions<SourceFile>, "choices" | "words">,
): Promise<void> {
  await assertPublishable(files, { words, packageJson });
  const paths = files.map(({ path }) => path);
  const build: Build = { paths, index: () => index, packageJson: () => packageJson, sharedMemory: () => undefined };
  assertBuilt(build, choices);
}

/** The beginnings of the two files that tell how a game is built. */
async function textsOf(files: readonly SourceFile[]): Promise<Texts> {
  const textOf = async (name: string) => {
    const file = files.find(({ path }) => path === name);
    return file && new TextDecoder().decode(await beginningOf(file, readBytes));
  };
  const [index, packageJson] = await Promise.all([textOf("index.html"), textOf("package.json")]);
  return { index, packageJson };
}

function headsOf(files: readonly SourceFile[]) {
  const byName = new Map(files.map((file) => [file.path, file]));
  return {
    read: async (path: string) => new TextDecoder().decode(await beginningOf(byName.get(path), headBytes)),
    readImage: async (path: string) => await beginningOf(byName.get(path), imageHeadBytes),
  };
}

/** The picture that a person chose; undefined if it is one of the folder's files, and no image of it any more. */
function pictureOfChoice(files: readonly SourceFile[], { picture }: Choices): Choices["picture"] {
  if (picture === undefined || isBesideFolder(picture)) return picture;
  return pictureProblem(files, picture.path) === undefined ? { path: picture.path } : undefined;
}

/** With a picture that a person chose, in place of one at its path; of one that the service has, without it. */
function withPicture<File extends SourceFile>(
  files: readonly File[],
  picture: Choices["picture"],
  { ofBytes }: Pick<PrepareOptions<File>, "ofBytes">,
): readonly File[] {
  if (picture === undefined || !isBesideFolder(picture)) return files;
  const others = files.filter(({ path }) => path !== picture.path);
  if (!("bytes" in picture)) return others;
  return [...others, ofBytes(picture.path, pictureBytes(picture))].sort(byPath);
}

function isSentAsStored({ path, isEncoded }: FileWithFacts<SourceFile>, raw: readonly string[] = []): boolean {
  return storedEncodingOf(path) !== undefined && (matchesPattern(path, raw) || !isEncoded);
}

/** The title of a page, in one line, if it says something about the game. */
function titleOf(page = ""): string | undefined {
  const [, text = ""] = /<title\b[^<>]*>([^<]{0,200})</i.exec(markupOf(page)) ?? [];
  const title = text.replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
  return title === "" || /^(?:document|index|untitled|vite\b.*|new project)$/i.test(title)
    ? undefined
    : title.slice(0, 80);
}
