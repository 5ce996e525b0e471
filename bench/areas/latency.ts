import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "simple-statistics";
import { barChart } from "../harness/chart.ts";
import type { Effort } from "../harness/effort.ts";
import { findProgram } from "../harness/processes.ts";
import { number, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { makeFolder } from "../peers/game-folder.ts";
import { installSvc } from "../peers/installed-cli.ts";
import { publishersOf, type Tool } from "../peers/publishers.ts";
import { startSlowStore } from "../peers/slow-store.ts";
import { withService } from "../stage/bench-stage.ts";
import { storeEnvironment } from "../stage/store-process.ts";

const promised = { latencyMilliseconds: 40, factor: 1.3 };
const latencies = [10, promised.latencyMilliseconds, 100];
/** As `cli/src/publish/upload.ts` has it. */
const uploadsAtOnce = 64;

/** Seconds of each run, and of the uploads in those of svc. */
type Runs = Readonly<Record<Tool | "uploads", readonly number[]>>;

/** Publishing to a store that answers late: uploads must go side by side. */
export async function latency({ isQuick }: Effort): Promise<Section> {
  const [files, rounds] = isQuick ? [200, 1] : [2_000, 5];
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  const aws = await findProgram("/usr/bin/aws", "aws");
  try {
    const [svc, folder] = [await installSvc(), await makeFolder(home, files)];
    const rows: { milliseconds: number; runs: Runs }[] = [];
    for (const milliseconds of latencies)
      rows.push({ milliseconds, runs: await measure({ home, folder, svc, aws: aws?.path }, milliseconds, rounds) });
    return section(rows, files);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** `aws s3 sync` once, svc in every round, each to where nothing is. */
async function measure(
  folder: Parameters<typeof publishersOf>[0],
  milliseconds: number,
  rounds: number,
): Promise<Runs> {
  const store = await startSlowStore(milliseconds);
  const runs: Record<Tool | "uploads", number[]> = { "svc publish": [], "aws s3 sync": [], uploads: [] };
  await withService(
    async (stage) => {
      const publishers = publishersOf(folder, stage, { api: stage.api, s3Endpoint: store.endpoint });
      for (const [tool, { prepare, run }] of Object.entries(publishers) as [Tool, (typeof publishers)[Tool] & object][])
        for (let round = 0; round < (tool === "svc publish" ? rounds : 1); round += 1) {
          await prepare();
          runs[tool].push((await run()).wallMilliseconds / 1_000);
          if (tool === "svc publish") runs.uploads.push(store.takeUploadSeconds());
        }
    },
    { env: storeEnvironment(store.endpoint) },
  );
  await store.stop();
  return runs;
}

function section(rows: readonly { milliseconds: number; runs: Runs }[], files: number): Section {
  const least = (milliseconds: number) => (files * milliseconds) / uploadsAtOnce / 1_000;
  const seconds = (runs: Runs, tool: keyof Runs) => (runs[tool].length > 0 ? median([...runs[tool]]) : null);
  const show = (value: number | null) => (value === null ? "" : number(value));
  const at = rows.find(({ milliseconds }) => milliseconds === promised.latencyMilliseconds)?.runs as Runs;
  const factor = (runs: Runs, of: keyof Runs, milliseconds: number) =>
    (seconds(runs, of) ?? Number.NaN) / least(milliseconds);
  const name = files.toLocaleString("en");
  const floor = `beside files × latency / ${uploadsAtOnce}`;
  const targetOf = (what: string, of: keyof Runs) =>
    atMost(`${what}, ${floor}`, factor(at, of, promised.latencyMilliseconds), promised.factor, " ×");
  const targets = [
    targetOf(`uploading ${name} files to a store that answers after ${promised.latencyMilliseconds} ms`, "uploads"),
    targetOf("the whole `svc publish` of these files", "svc publish"),
  ];
  return {
    targets,
    markdown: `## Publishing to a store far away

${name} files of 16 KiB to a store that answers every request so many milliseconds late (\`bench/peers/slow-store.ts\`: in
memory, because on two processors the local store itself is busier than that). With ${uploadsAtOnce} uploads at once, nothing can be
faster than files × latency / ${uploadsAtOnce}. *Uploading* is from the first upload to the response of the last; the rest of the command is Node's
start, hashing, and three calls of the API, whose functions wait for the store five times one after the other: to look for what is
missing, for the manifest twice, and to look again before going live. The median of ${at["svc publish"].length}; \`aws s3 sync\`, which sends 10 at once, ran once.

${targetList(targets)}

![Time to publish to a store far away](plots/latency.svg)

${table(
  [
    "the store answers after",
    "no faster is possible, s",
    "uploading, s",
    "ratio",
    "svc publish, s",
    "ratio",
    "aws s3 sync, s",
  ],
  rows.map(({ milliseconds, runs }) => [
    `${milliseconds} ms`,
    number(least(milliseconds)),
    show(seconds(runs, "uploads")),
    number(factor(runs, "uploads", milliseconds)),
    show(seconds(runs, "svc publish")),
    number(factor(runs, "svc publish", milliseconds)),
    show(seconds(runs, "aws s3 sync")),
  ]),
)}`,
    plots: {
      "latency.svg": barChart({
        title: `${name} files to a store ${promised.latencyMilliseconds} ms away: ${show(seconds(at, "svc publish"))} s; aws s3 sync ${show(seconds(at, "aws s3 sync"))} s`,
        subtitle: "Seconds of the whole command, by how late the store answers each request; shorter is better",
        categories: rows.map(({ milliseconds }) => `${milliseconds} ms`),
        series: {
          "svc publish": rows.map(({ runs }) => seconds(runs, "svc publish")),
          "aws s3 sync": rows.map(({ runs }) => seconds(runs, "aws s3 sync")),
          "no faster with 64 uploads at once": rows.map(({ milliseconds }) => least(milliseconds)),
        },
        label: (value) => `${number(value)} s`,
      }),
    },
  };
}
