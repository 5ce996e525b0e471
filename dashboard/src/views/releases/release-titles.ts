import { useCallback } from "preact/hooks";
import { settingsInWords } from "../../../../contract/api/releases/setting-words.ts";
import { useDashboard } from "../../dashboard.ts";
import { exactTime } from "../../format.ts";
import { useLoaded } from "../../parts/loaded.ts";
import type { Release } from "../../resources.ts";

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

/**
 * Titles of a project's latest releases; for an older one, and for each until they are read, the beginning of its id.
 *
 * @param version another one after each change of the project, if its page stays open
 */
export function useReleaseTitles(slug: string, version = ""): (id: string) => string {
  const { api } = useDashboard();
  // If the project cannot be read, what is listed says so.
  const { value: titles } = useLoaded(async () => {
    const { releases } = await api.call("GET /projects/:slug/releases", { params: { slug } });
    return new Map(releases.map((release) => [release.id, titleOf(release)]));
  }, [api, slug, version]);
  return useCallback((id: string) => titles?.get(id) ?? `Release ${id.slice(0, 9)}…`, [titles]);
}
