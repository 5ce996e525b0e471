import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { useLoaded } from "../../../dashboard/src/parts/loaded.ts";
import { firstOfDays } from "../contract/plays.ts";
import { playedDays } from "./days.ts";
import { Totals } from "./totals.tsx";

const days = 7;

/** The numbers of the last seven days, beside those of the seven before. They stay away if they cannot be read: Statistics says why. */
export function RecentNumbers({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const { value: read } = useLoaded(() => {
    const statistics = (query: { from: string; to?: string }) =>
      api.call("GET /projects/:slug/statistics", { params: { slug }, query });
    return Promise.all([
      statistics({ from: firstOfDays(days) }),
      statistics({ from: firstOfDays(2 * days), to: firstOfDays(days + 1) }),
    ]);
  }, [api, slug]);
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
