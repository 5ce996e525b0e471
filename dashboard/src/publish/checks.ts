import { limits } from "../../../contract/api/limits.ts";
import { insteadOfIndex } from "../../../contract/folder/entry-page.ts";
import { fileProblems } from "../../../contract/folder/file-rules.ts";
import { lfsAdvice, lfsPlaces } from "../../../contract/folder/git-lfs.ts";
import { hostFileProblems, isHostFile, settingsInHostFiles } from "../../../contract/folder/host-files.ts";
import { noGameIn } from "../../../contract/folder/no-game.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { tokenAdvice, tokenPlaces } from "../../../contract/folder/secret-content.ts";
import { sourceIn, wayToBuild } from "../../../contract/folder/source-folder.ts";
import type { Choices } from "../../../publisher/settings.ts";
import { counted } from "../format.ts";
import { wordsFor } from "./offers.ts";
import { Refusal } from "./refusal.ts";
import { type SourceFile, textAt } from "./source.ts";

/* Rules for a selection that is published. A refusal offers the way on, if a click is enough. */

/** @throws Refusal */
export function assertPublishable(files: readonly SourceFile[], packageJson?: string): void {
  if (files.length === 0) throw new Refusal("There is nothing in it to publish. Build the game first.");
  if (files.length > limits.filesPerRelease)
    throw new Refusal(
      `It has more than ${counted(limits.filesPerRelease, "file")}, the limit. Pack small files together, or choose a smaller folder.`,
    );
  if (!files.some(({ path }) => path === "index.html")) throw noIndex(files, packageJson);
  const places = fileProblems(files);
  if (places.length === 0) return;
  const leftOut = files.map(({ path }) => path).filter((path) => places.some((place) => place.startsWith(`${path}: `)));
  throw new Refusal("Some files cannot be published. Rename them, or leave them out.", places, {
    label: "Leave them out and continue",
    choices: { leftOut },
  });
}

/** Nothing here reads `_headers` and `_redirects`: players would get the game without what they say. @throws Refusal */
export async function assertNoHostFiles(files: readonly SourceFile[], file: ProjectFile): Promise<void> {
  const paths = files.map(({ path }) => path).filter(isHostFile);
  const texts = Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, (await textAt(files, path)) ?? ""] as const)),
  );
  const places = paths.flatMap((path) =>
    hostFileProblems(path, texts[path] ?? "", wordsFor(file)).map((problem) => `${path}, ${problem}`),
  );
  if (places.length > 0)
    throw new Refusal("It has files that configure other hosts, and nothing here.", places, {
      label: "Leave them out and continue",
      choices: { leftOut: paths, ...settingsInHostFiles(texts) },
    });
}

/**
 * The source of a game is not its build: players would see a white page.
 *
 * @throws Refusal
 */
export function assertBuilt(build: Parameters<typeof sourceIn>[0], { folder = "", isForced = false }: Choices): void {
  const source = isForced ? undefined : sourceIn(build);
  if (source === undefined) return;
  const offer =
    source.built === undefined
      ? { label: "Publish it anyway", choices: { isForced: true } }
      : { label: `Publish the folder ${source.built}`, choices: { folder: folder + source.built } };
  throw new Refusal(`It ${source.what}. ${wayToBuild(source)}`, [], offer);
}

/** @throws Refusal */
export function assertNoPointers(files: Parameters<typeof lfsPlaces>[0]): void {
  const places = lfsPlaces(files);
  if (places.length > 0)
    throw new Refusal(`Some files are pointers of Git LFS, not the files themselves. ${lfsAdvice}`, places);
}

/** @throws Refusal */
export function assertNoTokens(files: Parameters<typeof tokenPlaces>[0]): void {
  const places = tokenPlaces(files);
  if (places.length > 0) throw new Refusal(`A file contains a token of svc. ${tokenAdvice}`, places);
}

function noIndex(files: readonly SourceFile[], packageJson: string | undefined): Refusal {
  const paths = files.map(({ path }) => path);
  const none = "It has no index.html, the page that players open first";
  const found = insteadOfIndex(paths);
  const source = found ? undefined : sourceIn({ paths, index: () => undefined, packageJson: () => packageJson });
  if (source) return new Refusal(`It ${source.what}. ${wayToBuild(source)}`);
  const noGame = found === undefined ? noGameIn(paths) : undefined;
  if (noGame) return new Refusal(`It ${noGame.what}. ${noGame.next}`);
  if (found === undefined) return new Refusal(`${none}. Choose the folder that the build wrote.`);
  if ("page" in found)
    return new Refusal(`${none}, but ${found.page}.`, [], {
      label: `Publish ${found.page} as index.html`,
      choices: found,
    });
  return new Refusal(`${none}. There is one in ${found.folder}.`, [], {
    label: `Publish the folder ${found.folder}`,
    choices: found,
  });
}
