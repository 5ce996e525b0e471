import { lineChart } from "../harness/chart.ts";
import type { Comparison } from "../harness/comparison.ts";
import type { ProcessMeasures } from "../harness/processes.ts";
import { number, ratio, type Section, type Target, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { type Tool, tools } from "../peers/publishers.ts";
import type { Traffic } from "../stage/counting-proxy.ts";

export const scenarios = ["first", "one changed", "unchanged"] as const;
export type Scenario = (typeof scenarios)[number];

/** What publishing so many files took with each tool. */
export interface Row {
  readonly files: number;
  readonly scenario: Scenario;
  /** svc beside sync. */
  readonly wall: Comparison | undefined;
  readonly processor: Comparison | undefined;
  readonly measures: Readonly<Record<Tool, ProcessMeasures | undefined>>;
  readonly traffic: Readonly<Record<Tool, Requests | undefined>>;
}

/** What a tool sent and got: a command line's requests to the API, and those of it and of the functions to the store. */
export interface Requests {
  readonly toApi: Traffic;
  readonly toStore: Traffic;
}

/** What the area says of its rows. */
export function publishSection(rows: readonly Row[], awsVersion: string | undefined): Section {
  const sizes = [...new Set(rows.map(({ files }) => files))];
  const seconds = (tool: Tool, scenario: Scenario) =>
    sizes.map((files) => {
      const row = rows.find((each) => each.files === files && each.scenario === scenario);
      const milliseconds = row?.measures[tool]?.wallMilliseconds;
      return milliseconds === undefined ? null : milliseconds / 1_000;
    });
  const targets = targetsOf(rows);
  const used = awsVersion === undefined ? (["svc publish"] as const) : tools;
  return {
    targets,
    markdown: `## Publishing a folder

\`svc publish\`, packed and installed, beside \`aws s3 sync\` (${awsVersion ?? "not on this machine"}) of the same folder of
16 KiB files to the same local store: to where nothing is, with one file changed, and unchanged. svc makes a release of it
that goes live in one step; sync leaves visitors with a mixture while it runs. Time, processor time and memory are the
command's own; the store, a process of one thread on the same machine, takes more processor time for an upload than svc does,
so that svc waits for it. Requests and bytes are counted in a run of their own, the functions' requests to the store included.

${targetList(targets)}

${scenarios.map((scenario) => `![Time to publish, ${scenario}](plots/publish-${scenario.replaceAll(" ", "-")}.svg)`).join("\n\n")}

${table(
  [
    "files",
    "run",
    "svc, s",
    "aws, s",
    "ratio",
    "svc processor, s",
    "aws",
    "svc memory, MiB",
    "aws",
    "svc requests",
    "aws",
    "svc MB",
    "aws",
  ],
  rows.map(({ files, scenario, wall, measures, traffic }) => {
    const both = (value: (tool: Tool) => number | undefined) =>
      tools.map((tool) => {
        const number_ = value(tool);
        return number_ === undefined ? "" : number(number_);
      });
    const of = (name: string, divisor: number) =>
      both((tool) => {
        const measure = measures[tool]?.[name];
        return measure === undefined ? undefined : measure / divisor;
      });
    return [
      files.toLocaleString("en"),
      scenario,
      ...of("wallMilliseconds", 1_000),
      wall ? ratio(wall) : "",
      ...of("processorMilliseconds", 1_000),
      ...of("memoryMebibytes", 1),
      ...both((tool) => sumOf(traffic[tool], "requests")),
      ...both((tool) => {
        const bytes = sumOf(traffic[tool], "bytes");
        return bytes === undefined ? undefined : bytes / 1e6;
      }),
    ];
  }),
)}`,
    plots: Object.fromEntries(
      scenarios.map((scenario) => [
        `publish-${scenario.replaceAll(" ", "-")}.svg`,
        lineChart({
          title: titleOf(scenario, rows),
          subtitle:
            "Seconds by the number of 16 KiB files, to a store on the same machine; both axes grow tenfold a step; lower is better",
          x: { name: "files", values: sizes },
          y: { name: "seconds" },
          series: Object.fromEntries(used.map((tool) => [tool, seconds(tool, scenario)])),
          label: number,
        }),
      ]),
    ),
  };
}

const occasions: Record<Scenario, string> = {
  first: "for the first time",
  "one changed": "again with one changed",
  unchanged: "again with none changed",
};

/** The finding for the largest folder. */
function titleOf(scenario: Scenario, rows: readonly Row[]): string {
  const row = rows.findLast((each) => each.scenario === scenario);
  const seconds = number((row?.measures["svc publish"]?.wallMilliseconds ?? Number.NaN) / 1_000);
  const beside = row?.wall === undefined ? "" : `, ${row.wall.ratio.toFixed(2)} of the time of aws s3 sync`;
  return `Publishing ${row?.files.toLocaleString("en")} files ${occasions[scenario]}: ${seconds} s${beside}`;
}

function sumOf(requests: Requests | undefined, of: keyof Traffic): number | undefined {
  return requests && requests.toApi[of] + requests.toStore[of];
}

/** The folder that the promises name; quick runs have none so large. */
const promisedFiles = 2_000;

function targetsOf(rows: readonly Row[]): Target[] {
  const { files } = rows.findLast((row) => row.files <= promisedFiles) as Row;
  const of = (scenario: Scenario) => rows.find((row) => row.files === files && row.scenario === scenario);
  const [first, unchanged] = [of("first"), of("unchanged")?.traffic["svc publish"]];
  const name = `${files.toLocaleString("en")} files of 16 KiB`;
  return [
    ...(first?.wall ? [atMost(`\`svc publish\` of ${name} beside \`aws s3 sync\`, time`, first.wall, 0.5, " ×")] : []),
    ...(first?.processor
      ? [atMost("the same publishing, processor time beside `aws s3 sync`", first.processor, 0.5, " ×")]
      : []),
    ...(unchanged
      ? [
          atMost(`\`svc publish\` of ${name} unchanged, calls to the API`, unchanged.toApi.requests, 1, ""),
          atMost("the same publishing unchanged, requests to the store", unchanged.toStore.requests, 0, ""),
        ]
      : []),
  ];
}
