import type { Client, ResponseBody } from "../../../../contract/client.ts";
import type { ListPage } from "../../parts/list.tsx";
import type { ListedRelease } from "../../resources.ts";

/** A release that is not on the first page of the list. @throws ApiError */
export async function releaseAlone(client: Client, slug: string, id: string): Promise<ListedRelease> {
  const params = { slug };
  const [release, { previews }] = await Promise.all([
    client.call("GET /projects/:slug/releases/:id", { params: { slug, id } }),
    client.call("GET /projects/:slug/previews", { params }),
  ]);
  return { ...release, previews: previews.filter((preview) => preview.release.id === id) };
}

/** A release beside the one that players got before it; of one that was never live, beside the live one. @throws ApiError */
export async function changesSince(client: Client, slug: string, id: string): Promise<ResponseBody<"compareRelease">> {
  const request = { params: { slug, id }, query: { with: "previous" } };
  return await client.call("GET /projects/:slug/releases/:id/changes", request);
}

type FilesPage = ResponseBody<"listFiles">;

/** A folder, or a file. */
export type Entry = FilesPage["folders"][number] | FilesPage["files"][number];

/** A page of the folders and files of a folder; the path of the one of all is empty. @throws ApiError */
export async function filesIn(
  client: Client,
  { slug, id, folder }: { slug: string; id: string; folder: string },
  cursor: string | undefined,
): Promise<ListPage<Entry>> {
  const request = { params: { slug, id }, query: { folder, cursor } };
  const page = await client.call("GET /projects/:slug/releases/:id/files", request);
  return { items: [...page.folders, ...page.files], nextCursor: page.next_cursor };
}
