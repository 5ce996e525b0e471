import { serverNow } from "../../../contract/api/time/server-time.ts";
import { exactTime } from "../format.ts";
import { Notice } from "./notice.tsx";

/** Time until which a limit of traffic stops a game's players; nothing if none does. */
export function TrafficLimited({ until }: { until: string | null }) {
  if (until === null || Date.parse(until) <= serverNow()) return null;
  return (
    <Notice kind="problem">
      Players get a page in place of the game until {exactTime(until)}, because a limit of traffic is reached.
    </Notice>
  );
}
