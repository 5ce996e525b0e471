import { useCallback } from "preact/hooks";
import { settingsInWords } from "../../../../contract/api/releases/setting-words.ts";
import { useDashboard } from "../../dashboard.ts";
import { exactTime } from "../../format.ts";
import { useLoaded } from "../../parts/loaded.ts";
import type { Release } from "../../resources.ts";

/** The path of a release's page. */
export function releaseUrl(slug: string, id: string): string {
  return `/projects/${slug}/releases/${id}`;
}

/** Its number, and what its publisher says of it or else what tells it from the others. */
export function titleOf(release: Release): string {
  const { message, number, created_at: created, changed_settings: changed } = release;
  const commit = commitOf(release);
  const title = message ?? (changed ? settingsInWords(changed) : commit && `Commit ${commit}`);
  if (number === null) return title ?? `Release of ${exactTime(created)}`;
  return title ? `#${number} ${title}` : `Release #${number}`;
}

/** Commit of a release: the one that a CI provider vouched for counts before the one that the publisher named. */
export function commitOf({ source, provenance }: Release): string | undefined {
  return (provenance ?? source)?.commit.slice(0, 7);
}

/** Title of a release of a list by its id; for an older one, and for each until the list is read, the beginning of the id. */
export function titleIn(releases: readonly Release[] | undefined, id: string): string {
  const release = releases?.find((one) => one.id === id);
  return release ? titleOf(release) : `Release ${id.slice(0, 9)}…`;
}

/** Titles of a project's latest releases, for a view that has no list of them. If they cannot be read, what is listed says so. */
export function useReleaseTitles(slug: string): (id: string) => string {
  const { api } = useDashboard();
  const { value: page } = useLoaded(() => api.call("GET /projects/:slug/releases", { params: { slug } }), [api, slug]);
  return useCallback((id: string) => titleIn(page?.releases, id), [page]);
}
