import { bytesInWords, number } from "../../format.ts";
import { Facts } from "../../parts/facts.tsx";
import type { PlayedDay } from "./days.ts";

/** The sums of all days. */
export function Totals({ days }: { days: readonly PlayedDay[] }) {
  const sum = (numberOf: (day: PlayedDay) => number) => days.reduce((total, day) => total + numberOf(day), 0);
  const first = number(sum(({ firstPlays }) => firstPlays));
  return (
    <div class="section">
      <Facts
        of={[
          ["Plays", `${number(sum(({ plays }) => plays))}, ${first} of them by browsers that did not have the page`],
          ["Sent", bytesInWords(sum(({ bytes }) => bytes))],
          ["Failed requests", number(sum(({ errors }) => errors))],
        ]}
      />
    </div>
  );
}
