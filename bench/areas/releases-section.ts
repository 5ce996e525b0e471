import { lineChart } from "../harness/chart.ts";
import { number, type Section, type Target, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { type Step, steps } from "../stage/release-journey.ts";

/** The calls of one request's function to DynamoDB, and to the store by kind. */
export interface Counts {
  readonly dynamodb: number;
  readonly lists: number;
  readonly gets: number;
  readonly puts: number;
}

/** What one request of a release of so many files took. */
export interface Row extends Counts {
  readonly count: number;
  readonly step: Step;
  readonly milliseconds: number;
}

/** API Gateway waits no longer for a response. */
const gatewaySeconds = 30;

/** What the area says of its rows. */
export function releasesSection(rows: readonly Row[]): Section {
  const sizes = [...new Set(rows.map(({ count }) => count))];
  const of = (count: number, step: Step) => rows.find((row) => row.count === count && row.step === step) as Row;
  const seriesOf = (value: (row: Row) => number) =>
    Object.fromEntries(steps.map((step) => [step, sizes.map((count) => value(of(count, step)))]));
  const targets = targetsOf(sizes, of);
  const isKeptFree = targets.at(-1)?.verdict === "held";
  const most = sizes.at(-1) as number;
  return {
    targets,
    markdown: `## The server's side of a release

\`POST …/releases\` opens a release with its manifest (every file's path, length and hash), \`POST …/publish\` makes it live:
over HTTP on the local service, one after the other; and the calls of their functions to the engines, which are as many when
deployed. *All new*: a new project. *One changed*, *unchanged*: against the live release. Only lists grow, with one
for each thousand of the files that are new and uploaded. What is kept costs no call. The time still grows with the manifest, which is read, held against its rules and answered with what changes.

${targetList(targets)}

![Time of the requests of a release](plots/releases.svg)

![Calls of the requests of a release](plots/releases-calls.svg)

${table(
  ["files", "request", "ms", "DynamoDB calls", "S3 lists", "S3 GET", "S3 PUT"],
  rows.map(({ count, step, milliseconds, dynamodb, lists, gets, puts }) => [
    count.toLocaleString("en"),
    step,
    number(milliseconds),
    String(dynamodb),
    String(lists),
    String(gets),
    String(puts),
  ]),
)}`,
    plots: {
      "releases.svg": lineChart({
        title: `A release of ${most.toLocaleString("en")} new files opens in ${timeOf(of(most, "open, all new"))} and goes live in ${timeOf(of(most, "go live, all new"))}`,
        subtitle:
          "Milliseconds over HTTP by the files of the release, uploads not counted; both axes grow tenfold a step; lower is better",
        x: { name: "files of the release", values: sizes },
        y: { name: "ms" },
        series: seriesOf(({ milliseconds }) => milliseconds),
        label: number,
      }),
      "releases-calls.svg": lineChart({
        title: isKeptFree
          ? "Calls to DynamoDB and S3 grow with the files that are new, not with those that are kept"
          : "Calls to DynamoDB and S3 of the requests of a release",
        subtitle: "Calls of one request by the files of the release; lower is better",
        x: { name: "files of the release", values: sizes },
        y: { name: "calls", linear: true },
        series: seriesOf(callsOf),
        label: number,
      }),
    },
  };
}

function timeOf({ milliseconds }: Row): string {
  return milliseconds < 1_000 ? `${number(milliseconds)} ms` : `${number(milliseconds / 1_000)} s`;
}

function callsOf({ dynamodb, lists, gets, puts }: Row): number {
  return dynamodb + lists + gets + puts;
}

function targetsOf(sizes: readonly number[], of: (count: number, step: Step) => Row): Target[] {
  const [least, most] = [sizes[0] as number, sizes.at(-1) as number];
  const name = most.toLocaleString("en");
  const kept = ["open, unchanged", "open, one changed", "go live, one changed"] as const;
  const growth = kept.map((step) => callsOf(of(most, step)) - callsOf(of(least, step)));
  return [
    atMost(
      `\`POST …/releases\` of ${name} new files`,
      of(most, "open, all new").milliseconds / 1_000,
      gatewaySeconds,
      " s",
    ),
    atMost(
      `\`POST …/publish\` of ${name} new files`,
      of(most, "go live, all new").milliseconds / 1_000,
      gatewaySeconds,
      " s",
    ),
    atMost(`calls more for ${name} files than for ${least} where one or none is new`, Math.max(...growth), 0, ""),
  ];
}
