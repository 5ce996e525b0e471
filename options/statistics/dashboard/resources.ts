import type { Client, ResponseBody } from "../../../contract/client.ts";

export type Statistics = ResponseBody<"getStatistics">;

/** The statistics of a project from one day to another, or to now. */
export async function readStatistics(client: Client, slug: string, from: string, to?: string): Promise<Statistics> {
  return await client.call("GET /projects/:slug/statistics", { params: { slug }, query: { from, to } });
}
