import { usedTraffic } from "../../../../contract/api/traffic.ts";
import { bytesInWords } from "../../format.ts";
import { Facts } from "../../parts/facts.tsx";
import { Notice } from "../../parts/notice.tsx";
import { TrafficLimited } from "../../parts/traffic-limited.tsx";
import type { Statistics } from "../../resources.ts";

/** Traffic that is used of the month's limits, and what happens at a limit; nothing if there is no limit. */
export function TrafficLimits({ traffic }: { traffic: Statistics["traffic"] }) {
  const used = usedTraffic(traffic);
  const { limited_until: until } = traffic;
  const isNear = used.some((each) => each.isNear);
  return (
    <>
      {(until !== null || isNear) && (
        <div>
          {until === null ? (
            <Notice kind="note">
              A limit of traffic is near. Once it is reached, players may get a page in place of the game until the
              month ends. Large files that each visit fetches cost most.
            </Notice>
          ) : (
            <TrafficLimited until={until} />
          )}
        </div>
      )}
      {used.length > 0 && (
        <div>
          <Facts
            of={used.map(({ of, bytes, limit, percent }) => [
              of === "project" ? "Sent this month" : "By all your projects",
              `${bytesInWords(bytes)} of at most ${bytesInWords(limit)} (${percent} %)`,
            ])}
          />
        </div>
      )}
    </>
  );
}
