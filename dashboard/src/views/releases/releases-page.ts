import type { Client } from "../../../../contract/client.ts";
import type { ListPage } from "../../parts/list.tsx";
import type { ListedRelease } from "../../resources.ts";

/** A page of a project's releases. The previews are read beside it: one after the other would take two round trips. */
export async function releasesPage(
  client: Client,
  slug: string,
  cursor: string | undefined,
): Promise<ListPage<ListedRelease>> {
  const params = { slug };
  const [page, { previews }] = await Promise.all([
    client.call("GET /projects/:slug/releases", { params, query: { cursor } }),
    client.call("GET /projects/:slug/previews", { params }),
  ]);
  const items = page.releases.map((release) => ({
    ...release,
    previews: previews.filter((preview) => preview.release.id === release.id),
  }));
  return { items, nextCursor: page.next_cursor };
}
