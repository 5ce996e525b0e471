import type * as z from "zod/mini";
import type { DailyStatistics } from "../../../functions/entities/daily-statistics.ts";
import type { getStatistics } from "../contract/statistics.ts";
import type { ProjectStatistics } from "./statistics.ts";
import type { TrafficOfMonth } from "./traffic.ts";

type StatisticsView = z.infer<(typeof getStatistics)["responses"][200]>;

/** @param ofAccount whether what the owner's other projects sent is told too */
export function statisticsView(
  { from, to, days, countries, failing, hours }: ProjectStatistics,
  traffic: TrafficOfMonth,
  { ofAccount }: { readonly ofAccount: boolean },
): StatisticsView {
  return {
    from,
    to,
    days: days.map(dayView),
    countries: Object.fromEntries(countries),
    traffic: {
      project: traffic.project,
      account: ofAccount ? traffic.account : null,
      limited_until: traffic.limitedUntil?.toISOString() ?? null,
    },
    failing: failing.map(({ path, status, requests }) => ({ path, status: Number(status), requests })),
    hours: hours.map((hour) => ({ ...hour })),
  };
}

function dayView(of: DailyStatistics): StatisticsView["days"][number] {
  const { day, releaseId, releaseNumber, firstPlays, repeatedPlays, requests, bytes, errors } = of;
  const plays = firstPlays + repeatedPlays;
  return {
    day,
    release: releaseId === undefined || releaseNumber === undefined ? null : { id: releaseId, number: releaseNumber },
    first_plays: firstPlays,
    repeated_plays: repeatedPlays,
    requests,
    bytes,
    first_byte_milliseconds: plays === 0 ? null : Math.round(of.firstByteMilliseconds / plays),
    errors: { ...errors },
    missed_pages: of.missedPages ?? 0,
  };
}
