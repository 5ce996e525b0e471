import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { median } from "simple-statistics";
import { startObjectStore } from "../../local/object-store.ts";
import { lineChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { findProgram, type ProcessMeasures } from "../harness/processes.ts";
import { number, ratio, type Section, table } from "../harness/section.ts";
import { installSvc } from "../peers/installed-cli.ts";
import { type Folder, type Publisher, publishersOf, type Tool, tools } from "../peers/publishers.ts";
import { withStage } from "../stage/bench-stage.ts";
import { startCountingProxy, type Traffic } from "../stage/counting-proxy.ts";

const fileBytes = 16 * 1_024;
/** Beyond so many files, counting each request in a proxy takes too long. */
const mostCounted = 2_000;
const scenarios = ["first", "one changed", "unchanged"] as const;
type Scenario = (typeof scenarios)[number];

interface Row {
  readonly files: number;
  readonly scenario: Scenario;
  readonly wall: Comparison | undefined;
  readonly measures: Readonly<Record<Tool, ProcessMeasures | undefined>>;
  readonly traffic: Readonly<Record<Tool, Traffic | undefined>>;
}

/** Publishing a folder beside `aws s3 sync` of the same folder to the same store, and how both grow with its files. */
export async function publish({ isQuick }: Effort): Promise<Section> {
  const sizes = isQuick
    ? [
        { files: 20, rounds: 1 },
        { files: 200, rounds: 1 },
      ]
    : [
        { files: 20, rounds: 7 },
        { files: 200, rounds: 7 },
        { files: 2_000, rounds: 3 },
        { files: 20_000, rounds: 1 },
      ];
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  const aws = await findProgram("/usr/bin/aws", "aws");
  const svc = await installSvc();
  try {
    const rows: Row[] = [];
    for (const { files, rounds } of sizes) {
      const folder = await makeFolder(home, files);
      rows.push(...(await measureSize({ home, folder, files, rounds, svc, aws: aws?.path })));
      await rm(folder, { recursive: true });
    }
    return section(rows, aws?.version);
  } finally {
    await rm(home, { recursive: true });
  }
}

async function makeFolder(home: string, files: number): Promise<string> {
  const folder = join(home, `game-${files}`);
  const longAgo = new Date(Date.now() - 3_600_000);
  for (let index = 0; index < files; index += 1) {
    const path = join(folder, index === 0 ? "index.html" : `assets/${index % 50}/file-${index}.bin`);
    if (index < 52) await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, randomBytes(fileBytes));
    await utimes(path, longAgo, longAgo);
  }
  return folder;
}

interface Size extends Folder {
  readonly files: number;
  readonly rounds: number;
}

async function measureSize(size: Size): Promise<Row[]> {
  const measured = new Map<string, ProcessMeasures[]>();
  await withStage((stage) =>
    runInTurn(size, publishersOf(size, stage, stage), size.rounds, async (tool, scenario, run) => {
      const key = `${tool} ${scenario}`;
      measured.set(key, [...(measured.get(key) ?? []), await run()]);
    }),
  );
  const traffic = size.files > mostCounted ? new Map<string, Traffic>() : await countTraffic(size);
  return scenarios.map((scenario) => {
    const of = (tool: Tool) => measured.get(`${tool} ${scenario}`) ?? [];
    const wall = (tool: Tool) => of(tool).map(({ wallMilliseconds }) => wallMilliseconds);
    const row: Row = {
      files: size.files,
      scenario,
      wall: size.aws === undefined ? undefined : compare(wall("svc publish"), wall("aws s3 sync")),
      measures: { "svc publish": medians(of("svc publish")), "aws s3 sync": medians(of("aws s3 sync")) },
      traffic: {
        "svc publish": traffic.get(`svc publish ${scenario}`),
        "aws s3 sync": traffic.get(`aws s3 sync ${scenario}`),
      },
    };
    console.log(`${size.files} files, ${scenario}: ${row.wall ? ratio(row.wall) : ""}`);
    return row;
  });
}

/** Sends the folder to a new target with each tool, then again with one file changed, then as it is; round by round. */
async function runInTurn(
  { folder }: Size,
  publishers: Readonly<Partial<Record<Tool, Publisher>>>,
  rounds: number,
  observe: (tool: Tool, scenario: Scenario, run: () => Promise<ProcessMeasures>) => Promise<void>,
): Promise<void> {
  const entries = Object.entries(publishers) as [Tool, Publisher][];
  for (let round = 0; round < rounds; round += 1) {
    for (const [, { prepare }] of entries) await prepare();
    for (const scenario of scenarios) {
      if (scenario === "one changed") await writeFile(join(folder, "index.html"), randomBytes(fileBytes));
      // What was written within the last two seconds is read again, whatever its time stamp says.
      if (scenario === "one changed") await delay(2_100);
      for (const [tool, { run }] of entries) await observe(tool, scenario, run);
    }
  }
}

/** The requests and bytes of one round, counted by proxies before the API and the store; their own time is not measured. */
async function countTraffic(size: Size): Promise<Map<string, Traffic>> {
  const traffic = new Map<string, Traffic>();
  const store = await startObjectStore("svc-local", undefined);
  const storeProxy = await startCountingProxy(store.endpoint);
  const options = {
    env: { S3_ENDPOINT: storeProxy.endpoint, AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local-secret" },
  };
  await withStage(async (stage) => {
    const apiProxy = await startCountingProxy(stage.api);
    const at = { api: apiProxy.endpoint, s3Endpoint: storeProxy.endpoint };
    await runInTurn(size, publishersOf(size, stage, at), 1, async (tool, scenario, run) => {
      for (const proxy of [apiProxy, storeProxy]) proxy.take();
      await run();
      const [toApi, toStore] = [apiProxy.take(), storeProxy.take()];
      const sum = { requests: toApi.requests + toStore.requests, bytes: toApi.bytes + toStore.bytes };
      traffic.set(`${tool} ${scenario}`, sum);
    });
    await apiProxy.stop();
  }, options);
  await storeProxy.stop();
  await store.stop();
  return traffic;
}

function medians(measures: readonly ProcessMeasures[]): ProcessMeasures | undefined {
  if (measures.length === 0) return undefined;
  const of = (name: keyof ProcessMeasures) => median(measures.map((each) => each[name] as number));
  return {
    wallMilliseconds: of("wallMilliseconds"),
    processorMilliseconds: of("processorMilliseconds"),
    memoryMebibytes: of("memoryMebibytes"),
  };
}

function section(rows: readonly Row[], awsVersion: string | undefined): Section {
  const sizes = [...new Set(rows.map(({ files }) => files))];
  const seconds = (tool: Tool, scenario: Scenario) =>
    sizes.map((files) => {
      const row = rows.find((each) => each.files === files && each.scenario === scenario);
      const milliseconds = row?.measures[tool]?.wallMilliseconds;
      return milliseconds === undefined ? null : milliseconds / 1_000;
    });
  const used = awsVersion === undefined ? (["svc publish"] as const) : tools;
  return {
    markdown: `## Publishing a folder

\`svc publish\`, packed and installed, beside \`aws s3 sync\` (${awsVersion ?? "not on this machine"}) of the same folder of
16 KiB files to the same local store: to where nothing is, with one file changed, and unchanged. svc makes a release of it
that goes live in one step; sync leaves visitors with a mixture while it runs. Time, processor time and memory are the
command's own; requests and bytes are counted in a run of their own, the functions' requests to the store included.

${targetsText(rows)}

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
      ...both((tool) => traffic[tool]?.requests),
      ...both((tool) => (traffic[tool] ? traffic[tool].bytes / 1e6 : undefined)),
    ];
  }),
)}`,
    plots: Object.fromEntries(
      scenarios.map((scenario) => [
        `publish-${scenario.replaceAll(" ", "-")}.svg`,
        lineChart({
          title: titles[scenario],
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

const titles: Record<Scenario, string> = {
  first: "Publishing a folder for the first time",
  "one changed": "Publishing again with one file changed",
  unchanged: "Publishing again with nothing changed",
};

/** At least twice as fast as sync for 2,000 files, with less than half its processor time. */
function targetsText(rows: readonly Row[]): string {
  const row = rows.find(({ files, scenario }) => files === 2_000 && scenario === "first");
  const [ours, theirs] = tools.map((tool) => row?.measures[tool]?.processorMilliseconds);
  if (row?.wall === undefined || ours === undefined || theirs === undefined) return "";
  const held = (is: boolean) => (is ? "held" : "missed");
  return `2,000 files for the first time take ${ratio(row.wall)} of the time of sync (target 0.5: ${held(row.wall.ratio <= 0.5)}) and
${(ours / theirs).toFixed(2)} of its processor time (target 0.5: ${held(ours / theirs <= 0.5)}).`;
}
