import type { ComponentChildren } from "preact";
import { dayMilliseconds } from "../../../contract/api/limits.ts";
import { bytesInWords, counted, dayInWords, number } from "../../../dashboard/src/format.ts";
import { Table, Wide } from "../../../dashboard/src/parts/table.tsx";
import { errorsOf, playsOf } from "../contract/plays.ts";
import type { Statistics } from "./resources.ts";

/** The paths that failed most, and how often a page was opened that is not there, which is no failure. */
export function FailingPaths({ statistics: { failing, days } }: { statistics: Statistics }) {
  const missedPages = days.reduce((sum, day) => sum + day.missed_pages, 0);
  return (
    <section class="card">
      <h2>What fails?</h2>
      {failing.length === 0 ? (
        <p class="hint">No request failed.</p>
      ) : (
        <Table
          label="What fails"
          columns={["Path", "Status", "Requests"]}
          rows={failing.map(({ path, status, requests }) => [<code key="">{path}</code>, status, number(requests)])}
        />
      )}
      {missedPages > 0 && (
        <p class="hint">
          {counted(missedPages, "time")} somebody or a robot opened an address that the game does not have, such as a
          mistyped one. That is no failure.
        </p>
      )}
    </section>
  );
}

const countriesShown = 15;

/** Countries of players, most plays first. */
export function Countries({ countries }: { countries: Statistics["countries"] }) {
  const all = Object.entries(countries);
  const others = all.slice(countriesShown);
  const rows = all.slice(0, countriesShown).map(([code, plays]) => [countryName(code), number(plays)]);
  if (others.length > 0) rows.push(["Others", number(others.reduce((sum, [, plays]) => sum + plays, 0))]);
  return (
    <section class="card">
      <h2>Where is it played?</h2>
      {rows.length === 0 ? (
        <p class="hint">No plays yet.</p>
      ) : (
        <Table label="From where" columns={["Country", "Plays"]} rows={rows} />
      )}
    </section>
  );
}

/** Name of a country in English, as all words here are; the code if it has no name. */
function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return "Unknown";
  return new Intl.DisplayNames("en", { type: "region" }).of(code) ?? code;
}

/** All numbers of the plots and more, the latest day first. */
export function DayTable({ days }: { days: Statistics["days"] }) {
  const columns = ["Day (UTC)", "Release", "Plays", "First plays", "Sent", "Failed requests", "First byte"];
  return (
    <details class="fold">
      <summary>Every day as a table</summary>
      <Wide label="Every day">
        <Table label="Every day" columns={columns} rows={days.toReversed().map(cellsOf)} />
      </Wide>
    </details>
  );
}

function cellsOf(of: Statistics["days"][number]): ComponentChildren[] {
  const firstByte = of.first_byte_milliseconds;
  return [
    dayInWords(Date.parse(of.day) / dayMilliseconds),
    of.release === null ? "none" : `#${of.release.number}`,
    ...[playsOf(of), of.first_plays].map((count) => number(count)),
    ...[bytesInWords(of.bytes), number(errorsOf(of)), firstByte === null ? "–" : `${number(firstByte)} ms`],
  ];
}
