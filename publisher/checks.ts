import { limits } from "../contract/api/limits.ts";
import type { Build } from "../contract/folder/build-advice.ts";
import { insteadOfIndex } from "../contract/folder/entry-page.ts";
import { fileProblems } from "../contract/folder/file-rules.ts";
import { hostFileProblems, isHostFile, settingsInHostFiles } from "../contract/folder/host-files.ts";
import { noGameIn } from "../contract/folder/no-game.ts";
import type { SettingWords } from "../contract/folder/setting-words.ts";
import { sourceIn } from "../contract/folder/source-folder.ts";
import { tallyOf } from "./progress.ts";
import { Refused } from "./refused.ts";
import type { Choices } from "./settings.ts";
import { type SourceFile, textAt } from "./source.ts";

/* Rules for files that are published, before they are hashed. A refusal offers the choices with which they can be. */

interface Checking {
  readonly words: SettingWords;
  /** The text of the package.json at the top, if there is one. */
  readonly packageJson: string | undefined;
  /** Problems that were found when the files were listed. */
  readonly problems?: readonly string[];
}

/** @throws Refused */
export async function assertPublishable(
  files: readonly SourceFile[],
  { words, packageJson, problems = [] }: Checking,
): Promise<void> {
  const paths = files.map(({ path }) => path);
  if (paths.length === 0 && problems.length === 0) throw new Refused({ code: "folder_empty" });
  assertWithinLimits(tallyOf(files));
  const places = [...problems, ...fileProblems(files)];
  if (!paths.includes("index.html") && problems.length === 0) throw noIndex(paths, packageJson);
  if (places.length > 0) {
    const named = new Set(places.flatMap(beginnings));
    throw new Refused(
      { code: "folder_refused" },
      { places, offer: { leftOut: paths.filter((path) => named.has(path)) } },
    );
  }
  await assertNoHostFiles(files, words);
}

/** What a place may be about: the path before its colon, which a path may contain, too. */
function beginnings(place: string): string[] {
  return [...place.matchAll(/: /g)].map(({ index }) => place.slice(0, index));
}

/** @throws Refused */
export function assertWithinLimits({ files, bytes }: { readonly files: number; readonly bytes: number }): void {
  if (files > limits.filesPerRelease) throw new Refused({ code: "too_many_files" });
  if (bytes > limits.bytesPerRelease) throw new Refused({ code: "folder_too_large" });
}

/** Nothing here reads `_headers` and `_redirects`: players would get the game without what they say. */
async function assertNoHostFiles(files: readonly SourceFile[], words: SettingWords): Promise<void> {
  const paths = files.map(({ path }) => path).filter(isHostFile);
  const texts = Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, (await textAt(files, path)) ?? ""] as const)),
  );
  const places = paths.flatMap((path) =>
    hostFileProblems(path, texts[path] ?? "", words).map((problem) => `${path}, ${problem}`),
  );
  if (places.length === 0) return;
  throw new Refused({ code: "host_files" }, { places, offer: { leftOut: paths, ...settingsInHostFiles(texts) } });
}

/** The source of a game is not its build: players would see a white page. @throws Refused */
export function assertBuilt(build: Build, { folder = "", isForced = false }: Partial<Choices>): void {
  const source = isForced ? undefined : sourceIn(build);
  if (source === undefined) return;
  const { built } = source;
  const offer = built === undefined ? { isForced: true } : { folder: folder + built };
  throw new Refused({ code: "source_folder", source, hasPage: true }, { offer });
}

/** Why files without index.html cannot be published: what they are instead. */
export function noIndex(paths: readonly string[], packageJson: string | undefined): Refused {
  const instead = insteadOfIndex(paths);
  const asSource = { paths, index: () => undefined, packageJson: () => packageJson };
  const source = instead === undefined ? sourceIn(asSource) : undefined;
  if (source) return new Refused({ code: "source_folder", source, hasPage: false });
  const noGame = instead === undefined ? noGameIn(paths) : undefined;
  if (noGame) return new Refused({ code: noGame.code, noGame });
  return new Refused({ code: "no_index_html", instead }, instead && { offer: instead });
}
