import { firstOfDays } from "../../../contract/api/time/first-of-days.ts";
import type { Client } from "../../../contract/client.ts";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { useLoaded } from "../../../dashboard/src/parts/loaded.ts";
import { playedDays } from "./days.ts";
import { readStatistics, type Statistics } from "./resources.ts";
import { Totals } from "./totals.tsx";

const days = 7;

/** The numbers of the last seven days, beside those of the seven before. They stay away if they cannot be read: Statistics says why. */
export function RecentNumbers({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const { value: read } = useLoaded(() => readRecent(api, slug), [api, slug]);
  return (
    <Totals
      label={`Last ${days} days`}
      span={`${days} days`}
      days={read && playedDays(read[0])}
      before={read && playedDays(read[1])}
      failing={read?.[0].failing ?? []}
    />
  );
}

/** The statistics of these days, and of as many before. */
export async function readRecent(client: Client, slug: string): Promise<[Statistics, Statistics]> {
  return await Promise.all([
    readStatistics(client, slug, firstOfDays(days)),
    readStatistics(client, slug, firstOfDays(2 * days), firstOfDays(days + 1)),
  ]);
}
