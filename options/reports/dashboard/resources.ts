import { firstOfDays } from "../../../contract/api/time/first-of-days.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";

export type Crashes = ResponseBody<"getCrashes">;

/** The crashes of a project in the last 30 days. @param days of as many instead, today among them */
export async function readCrashes(client: Client, slug: string, days?: number): Promise<Crashes> {
  const query = days === undefined ? {} : { from: firstOfDays(days) };
  return await client.call("GET /projects/:slug/crashes", { params: { slug }, query });
}
