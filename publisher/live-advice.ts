import { matchesPattern, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { compressedAsWholeAdvice, someOf } from "../contract/folder/build-advice.ts";

/*
 * Warnings about changes to the live release: what browsers keep of it for a year, because it was immutable there, and what has to be
 * sent and loaded whole.
 */

type CreatedRelease = ResponseBody<"createRelease">;

interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/**
 * One sentence for each likely mistake; none if no release is live.
 *
 * @param withDeltas paths of files that returning players do not load whole
 */
export async function adviceBesideLive(
  { client, slug }: { readonly client: Client; readonly slug: string },
  { files, withDeltas }: { readonly files: readonly ListedFile[]; readonly withDeltas: ReadonlySet<string> },
  opened: CreatedRelease,
): Promise<string[]> {
  const { current_release: id, settings, changed_settings: changed } = opened;
  if (id === null) return [];
  const changedWhole = opened.changed.paths.filter((path) => !withDeltas.has(path));
  const whole = compressedAsWholeAdvice(files, changedWhole);
  const isSame = !(changed.includes("immutable") || changed.includes("isolation"));
  if (isSame && settings.immutable.length === 0) return whole;
  const live = isSame
    ? opened
    : await client.call("GET /projects/:slug/releases/:id/changes", { params: { slug, id } });
  return [...whole, ...changedBytesAdvice(opened, live.settings), ...isolationAdvice(files, opened, live.settings)];
}

function changedBytesAdvice({ changed }: CreatedRelease, live: ReleaseSettings): string[] {
  const some = someOf(changed.paths.filter((path) => matchesPattern(path, live.immutable)));
  if (some === undefined) return [];
  return [
    `${some} has other bytes than in the live release, but browsers keep what is immutable for a year: give changed files new names.`,
  ];
}

/** Workers of an isolated page need its headers (HTML, "run a worker"), and browsers keep responses without them. */
function isolationAdvice(
  files: readonly ListedFile[],
  { added, settings }: CreatedRelease,
  live: ReleaseSettings,
): string[] {
  // If very many files were added, the API names only the first, so any script may be new.
  if (!settings.isolation || live.isolation || added.count > added.paths.length) return [];
  const fresh = new Set(added.paths);
  const scripts = files.map(({ path }) => path).filter((path) => /\.m?js$/i.test(path) && !fresh.has(path));
  const some = someOf(scripts.filter((path) => matchesPattern(path, live.immutable)));
  if (some === undefined) return [];
  return [
    `${some} may be kept by browsers without the headers of isolation, and an isolated page refuses such a worker: give scripts new names.`,
  ];
}
