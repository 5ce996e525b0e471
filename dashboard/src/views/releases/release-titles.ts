import { useCallback } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { useLoaded } from "../../parts/loaded.ts";
import { titleOf } from "./make-live.tsx";

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
