import { useCallback, useEffect, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { titleOf } from "../releases/make-live.tsx";

/**
 * Titles of a project's latest releases; for an older one, and for each until they are read, the beginning of its id.
 *
 * @param version another one after each change of the project, if its page stays open
 */
export function useReleaseTitles(slug: string, version = ""): (id: string) => string {
  const { api } = useDashboard();
  const [titles, setTitles] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    api.call("GET /projects/:slug/releases", { params: { slug } }).then(
      ({ releases }) => setTitles(new Map(releases.map((release) => [release.id, titleOf(release)]))),
      // The profiles say so, if the project cannot be read.
      () => undefined,
    );
  }, [api, slug, version]);
  return useCallback((id: string) => titles.get(id) ?? `Release ${id.slice(0, 9)}…`, [titles]);
}
