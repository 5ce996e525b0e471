import { bytesInWords } from "../../../dashboard/src/format.ts";
import { Facts } from "../../../dashboard/src/parts/facts.tsx";
import { Notice } from "../../../dashboard/src/parts/notice.tsx";
import { usedTraffic } from "../contract/traffic.ts";
import type { Statistics } from "./resources.ts";

/**
 * Traffic that is used of the month's limits, and that one is near; nothing if there is no limit. Each page of the project says if one is
 * reached.
 */
export function TrafficLimits({ traffic }: { traffic: Statistics["traffic"] }) {
  const used = usedTraffic(traffic);
  const isNear = traffic.limited_until === null && used.some((each) => each.isNear);
  return (
    <>
      {isNear && (
        <div>
          <Notice kind="note">
            A limit of traffic is near. Once it is reached, players may get a page in place of the game until the month
            ends. Large files that each visit fetches cost most.
          </Notice>
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
