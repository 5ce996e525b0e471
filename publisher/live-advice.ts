import { matchesPattern, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { type Advice, aboutPlaces } from "../contract/folder/advice.ts";
import { compressedAsWholeAdvice } from "../contract/folder/build-advice.ts";

/*
 * Advice about changes to the live release: what browsers keep of it for a year, because it was immutable there, and what has to be
 * sent and loaded whole.
 */

type CreatedRelease = ResponseBody<"createRelease">;

interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/**
 * Likely mistakes; none if no release is live.
 *
 * @param withDeltas paths of files that returning players do not load whole
 */
export async function adviceBesideLive(
  { client, slug }: { readonly client: Client; readonly slug: string },
  { files, withDeltas }: { readonly files: readonly ListedFile[]; readonly withDeltas: ReadonlySet<string> },
  opened: CreatedRelease,
): Promise<Advice[]> {
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

function changedBytesAdvice({ changed }: CreatedRelease, live: ReleaseSettings): Advice[] {
  const cachedPaths = changed.paths.filter((path) => matchesPattern(path, live.immutable));
  return aboutPlaces("bytes_changed_where_immutable", cachedPaths);
}

/** Workers of an isolated page need its headers (HTML, "run a worker"), and browsers keep responses without them. */
function isolationAdvice(
  files: readonly ListedFile[],
  { added, settings }: CreatedRelease,
  live: ReleaseSettings,
): Advice[] {
  // If very many files were added, the API names only the first, so any script may be new.
  if (!settings.isolation || live.isolation || added.count > added.paths.length) return [];
  const fresh = new Set(added.paths);
  const scripts = files.map(({ path }) => path).filter((path) => /\.m?js$/i.test(path) && !fresh.has(path));
  const cachedPaths = scripts.filter((path) => matchesPattern(path, live.immutable));
  return aboutPlaces("workers_kept_without_isolation", cachedPaths);
}
