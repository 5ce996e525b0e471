import { bytesInWords, number } from "../../../dashboard/src/format.ts";
import { NumberCard, Numbers } from "../../../dashboard/src/parts/number.tsx";
import type { PlayedDay } from "./days.ts";
import type { Statistics } from "./resources.ts";

interface TotalsProps {
  readonly label: string;
  /** Name of the days, if nothing beside the totals says it. */
  readonly span?: string;
  /** Undefined until they are read. */
  readonly days: readonly PlayedDay[] | undefined;
  /** The same number of days before, if there is something to compare with. */
  readonly before?: readonly PlayedDay[] | undefined;
  readonly failing: Statistics["failing"];
}

const sumOf = (days: readonly PlayedDay[], numberOf: (day: PlayedDay) => number) =>
  days.reduce((total, day) => total + numberOf(day), 0);

/** The sums of some days, and how much more or less that is than before. */
export function Totals({ label, span, days, before = [], failing }: TotalsProps) {
  const shown = (numberOf: (day: PlayedDay) => number, inWords = (value: number) => number(value)) =>
    days ? inWords(sumOf(days, numberOf)) : "–";
  const trend = (numberOf: (day: PlayedDay) => number) =>
    days && trendOf(sumOf(days, numberOf), sumOf(before, numberOf));
  const [worst] = failing;
  return (
    <Numbers label={label}>
      <NumberCard title={span ? `Plays, ${span}` : "Plays"} value={shown(({ plays }) => plays)}>
        {trend(({ plays }) => plays)}
      </NumberCard>
      <NumberCard title="New players" value={shown(({ firstPlays }) => firstPlays)}>
        {trend(({ firstPlays }) => firstPlays)}
      </NumberCard>
      <NumberCard title="Sent to players" value={shown(({ bytes }) => bytes, bytesInWords)} />
      <NumberCard title="Errors" value={shown(({ errors }) => errors)}>
        {worst && (
          <span class="wrong" title={worst.path}>
            {worst.path.slice(worst.path.lastIndexOf("/") + 1) || worst.path}
          </span>
        )}
      </NumberCard>
    </Numbers>
  );
}

/** Plays below which a percentage says nothing. */
const comparable = 20;

function trendOf(now: number, before: number) {
  if (before < comparable) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return <>as before</>;
  return (
    <span class={percent > 0 ? "up" : "down"}>
      {percent > 0 ? "+" : "−"}
      {number(Math.abs(percent))} %
    </span>
  );
}
