import { limits } from "../../../contract/api/limits.ts";
import { insteadOfIndex } from "../../../contract/folder/entry-page.ts";
import { fileProblems } from "../../../contract/folder/file-rules.ts";
import { hostFileProblems, isHostFile, settingsInHostFiles } from "../../../contract/folder/host-files.ts";
import { noGameIn } from "../../../contract/folder/no-game.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { tokenAdvice, tokenPlaces } from "../../../contract/folder/secret-content.ts";
import { counted } from "../format.ts";
import { wordsFor } from "./offers.ts";
import { Refusal } from "./refusal.ts";
import { type SourceFile, textAt } from "./source.ts";

/* Rules for a selection that is published. A refusal offers the way on, if a click is enough. */

/** @throws Refusal */
export function assertPublishable(files: readonly SourceFile[]): void {
  if (files.length === 0) throw new Refusal("There is nothing in it to publish. Build the game first.");
  if (files.length > limits.filesPerRelease)
    throw new Refusal(
      `It has more than ${counted(limits.filesPerRelease, "file")}, the limit. Pack small files together, or choose a smaller folder.`,
    );
  if (!files.some(({ path }) => path === "index.html")) throw noIndex(files);
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

/** @throws Refusal */
export function assertNoTokens(files: Parameters<typeof tokenPlaces>[0]): void {
  const places = tokenPlaces(files);
  if (places.length > 0) throw new Refusal(`A file contains a token of svc. ${tokenAdvice}`, places);
}

function noIndex(files: readonly SourceFile[]): Refusal {
  const paths = files.map(({ path }) => path);
  const none = "It has no index.html, the page that players open first";
  const found = insteadOfIndex(paths);
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
