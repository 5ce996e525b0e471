import type { Client, ResponseBody } from "../../../contract/client.ts";

export type Crashes = ResponseBody<"getCrashes">;

/** The crashes of a project in the last 30 days. */
export async function readCrashes(client: Client, slug: string): Promise<Crashes> {
  return await client.call("GET /projects/:slug/crashes", { params: { slug }, query: {} });
}
