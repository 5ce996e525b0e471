import { useMemo, useState } from "preact/hooks";
import { firstOfDays } from "../../../contract/api/time/first-of-days.ts";
import type { Client } from "../../../contract/client.ts";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { Button } from "../../../dashboard/src/parts/button.tsx";
import { Segments } from "../../../dashboard/src/parts/field.tsx";
import { ListSkeleton } from "../../../dashboard/src/parts/list.tsx";
import { useLoaded } from "../../../dashboard/src/parts/loaded.ts";
import { Notice } from "../../../dashboard/src/parts/notice.tsx";
import type { Project } from "../../../dashboard/src/resources.ts";
import { OptionParts } from "../../../dashboard/src/views/option-views.tsx";
import { PlayPlots } from "./day-plots.tsx";
import { playedDays } from "./days.ts";
import { readStatistics, type Statistics } from "./resources.ts";
import { Countries, DayTable, FailingPaths } from "./tables.tsx";
import { Totals } from "./totals.tsx";
import { TrafficLimits } from "./traffic-limits.tsx";
import { UpdateEffect } from "./update-effect.tsx";

/** Of so few days the plays are shown by hour. */
const hourlySpan = "2";

const spans = [
  [hourlySpan, "2 days"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

const firstSpan = "30";

/** The statistics of the last days. @param span how many, which is the one that the tab begins with if it is left out */
export async function readSpan(client: Client, slug: string, span = firstSpan): Promise<Statistics> {
  return await readStatistics(client, slug, firstOfDays(Number(span)));
}

/** Statistics of a project: plays and traffic by day, failures, countries, and the effect of the latest update. */
export function StatisticsTab({ project: { slug } }: { project: Project }) {
  const { api } = useDashboard();
  const [span, setSpan] = useState(firstSpan);
  const [attempt, setAttempt] = useState(0);
  const { value: statistics, problem } = useLoaded(() => readSpan(api, slug, span), [api, slug, span, attempt]);
  return (
    <div class="grid">
      <div class="titled">
        <p class="hint">Counted from the requests that the servers get; no player is followed. Days are in UTC.</p>
        <Segments legend="The last" isCompact name="span" choices={spans} chosen={span} onChosen={setSpan} />
      </div>
      {problem !== undefined && (
        <Notice kind="problem">
          <p>{problem}</p>
          <Button onClick={() => setAttempt(attempt + 1)}>Try again</Button>
        </Notice>
      )}
      {statistics === undefined && problem === undefined && <ListSkeleton />}
      {statistics && <TrafficLimits traffic={statistics.traffic} />}
      {statistics &&
        (statistics.days.length === 0 ? (
          <NothingCounted />
        ) : (
          <Played statistics={statistics} isByHour={span === hourlySpan} />
        ))}
      {statistics && <OptionParts tab="statistics" slug={slug} days={Number(span)} />}
    </div>
  );
}

function NothingCounted() {
  return (
    <div class="empty">
      <h2>Nothing counted in these days</h2>
      <p>
        Plays are counted every hour. They appear here within two hours as a rule, some only a day later. If nobody has
        played yet, share the game’s address.
      </p>
    </div>
  );
}

function Played({ statistics, isByHour }: { statistics: Statistics; isByHour: boolean }) {
  const days = useMemo(() => playedDays(statistics), [statistics]);
  return (
    <>
      <Totals label="All days together" days={days} failing={statistics.failing} />
      <PlayPlots statistics={statistics} days={days} isByHour={isByHour} />
      <UpdateEffect days={statistics.days} />
      <div class="grid even">
        <Countries countries={statistics.countries} />
        <FailingPaths statistics={statistics} />
      </div>
      <DayTable days={statistics.days} />
      <p class="hint">
        About: a play is a page of the game that somebody opens: you, a robot or a portal’s frame too. Previews are not
        counted: open one to test. What a service worker responds with is unknown. A day’s numbers may still grow for a
        day.
      </p>
    </>
  );
}
