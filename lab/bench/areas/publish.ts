import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import { findProgram, type ProcessMeasures } from "../harness/processes.ts";
import { fileBytes, makeFolder } from "../parts/game-folder.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { svcPublisher, syncPublisher } from "../parts/publishers.ts";
import { withService } from "../parts/service.ts";
import { startStoreProcess, storeEnvironment } from "../parts/store-process.ts";

const figures = {
  time: "`svc publish` of 2,000 new files beside `aws s3 sync`, time",
  processor: "`svc publish` of 2,000 new files beside `aws s3 sync`, processor time",
  unchanged: "`svc publish` of 2,000 unchanged files",
  changed: "`svc publish` of 20,000 files of which one has changed beside unchanged ones, time",
};

/** Publishing to a store on this machine, and how the time grows with the number of files. */
export const area: Area = {
  name: "publish",
  title: "Publishing to a store near by",
  method: `\`svc publish\`, packed and installed, beside \`aws s3 sync\` of the same folder of 16 KiB files: to where nothing is,
with one file changed, and unchanged. The files are named like pictures, so svc compresses none; what that takes is in Playing.
The store is the local service's, a process of its own; the sync has one in which it may overwrite objects. svc makes a release of
it that goes live in one step; during a sync, visitors see a mixture.`,
  decides: [figures.time],
  targets: {
    [figures.time]: { atMost: 0.5 },
    [figures.processor]: { atMost: 0.5 },
    [figures.changed]: {
      atMost: 1.5,
      reasonNotMet:
        "who changed nothing is told so by the first answer. A release lists the 20,000 objects as it opens and again as it goes live, so that none is missing, and has a manifest of as many lines written and read",
    },
  },
  measure,
};

const scenarios = ["new", "one changed", "unchanged"] as const;

interface Row {
  readonly files: number;
  readonly scenario: (typeof scenarios)[number];
  readonly wall: Comparison;
  readonly processor: Comparison;
  readonly memory: Comparison;
}

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const aws = await findProgram("/usr/bin/aws", "aws");
  if (aws === undefined) throw new Error("This area compares with `aws s3 sync`: install the AWS command line first");
  const sizes = isQuick ? { 20: 1 } : { 20: 7, 2000: 5, 20000: 1 };
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  try {
    const svc = await installSvc();
    const rows: Row[] = [];
    for (const [files, rounds] of Object.entries(sizes))
      rows.push(...(await measureSize(Number(files), { home, rounds, svc, aws })));
    return resultOf(rows);
  } finally {
    await rm(home, { recursive: true });
  }
}

async function measureSize(
  files: number,
  { home, rounds, svc, aws }: { home: string; rounds: number; svc: string; aws: string },
): Promise<Row[]> {
  const folder = await makeFolder(home, files);
  const [store, syncStore] = [await startStoreProcess(), await startStoreProcess({ overwrites: true })];
  const measured = Object.fromEntries(scenarios.map((scenario) => [scenario, newRuns()]));
  await withService(
    async (service) => {
      const ours = svcPublisher({ home, folder, svc }, service);
      const sync = syncPublisher({ home, folder, aws }, syncStore.endpoint);
      for (let round = 0; round < rounds; round += 1) {
        await ours.prepare();
        await sync.prepare();
        for (const scenario of scenarios) {
          if (scenario === "one changed") await changeOneFile(folder);
          measured[scenario]?.svc.push(await ours.run());
          measured[scenario]?.sync.push(await sync.run());
        }
      }
    },
    { env: storeEnvironment(store.endpoint) },
  );
  await Promise.all([store.stop(), syncStore.stop()]);
  await rm(folder, { recursive: true });
  return scenarios.map((scenario) => {
    const series = (tool: "svc" | "sync", measure: keyof ProcessMeasures) =>
      measured[scenario]?.[tool].map((measures) => measures[measure] as number) ?? [];
    const of = (measure: keyof ProcessMeasures) => compare(series("svc", measure), series("sync", measure));
    const row = { wall: of("wallMilliseconds"), processor: of("processorMilliseconds"), memory: of("memoryMebibytes") };
    console.log(`${files} files, ${scenario}: ${ratioText(row.wall)}`);
    return { files, scenario, ...row };
  });
}

function newRuns(): Record<"svc" | "sync", ProcessMeasures[]> {
  return { svc: [], sync: [] };
}

/** Waits until the new file is no longer of the last two seconds: svc always hashes such files again. */
async function changeOneFile(folder: string): Promise<void> {
  await writeFile(join(folder, "index.html"), randomBytes(fileBytes));
  await delay(2_100);
}

function resultOf(rows: readonly Row[]): Measurement {
  const of = (wanted: Row["scenario"]) =>
    rows.filter(({ files, scenario }) => scenario === wanted && files <= 2_000).at(-1) as Row;
  const ofMost = (wanted: Row["scenario"]) => rows.findLast(({ scenario }) => scenario === wanted) as Row;
  return {
    figures: {
      [figures.changed]: { value: ofMost("one changed").wall.ours / ofMost("unchanged").wall.ours, unit: "×" },
      [figures.time]: ratioFigure(of("new").wall),
      [figures.processor]: ratioFigure(of("new").processor),
      [figures.unchanged]: { value: of("unchanged").wall.ours / 1_000, unit: "s" },
    },
    table: {
      head: ["files", "svc, s", "aws, s", "ratio", "svc processor, s", "aws", "svc memory, MiB", "aws"],
      rows: rows.map(({ files, scenario, wall, processor, memory }) => [
        `${number(files)}, ${scenario}`,
        number(wall.ours / 1_000),
        number(wall.theirs / 1_000),
        ratioText(wall),
        number(processor.ours / 1_000),
        number(processor.theirs / 1_000),
        number(memory.ours),
        number(memory.theirs),
      ]),
    },
  };
}
