import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "simple-statistics";
import { actorsOf } from "../../test/support/actors.ts";
import { startRecordedService } from "../../test/support/dynamodb-recorder.ts";
import { startRecordedStore } from "../../test/support/store-recorder.ts";
import type { Effort } from "../harness/effort.ts";
import { number, type Section } from "../harness/section.ts";
import { withService } from "../stage/bench-stage.ts";
import { releaseJourney, steps } from "../stage/release-journey.ts";
import { startStoreProcess, storeEnvironment } from "../stage/store-process.ts";
import { type Counts, type Row, releasesSection } from "./releases-section.ts";

/** How the server's side of a release grows with its files: time over HTTP, and the calls that its functions make. */
export async function releases({ isQuick }: Effort): Promise<Section> {
  const sizes = isQuick
    ? [
        { count: 20, rounds: 1 },
        { count: 2_000, rounds: 1 },
      ]
    : [
        { count: 20, rounds: 11 },
        { count: 200, rounds: 11 },
        { count: 2_000, rounds: 7 },
        { count: 20_000, rounds: 5 },
      ];
  const dataFolder = await mkdtemp(join(tmpdir(), "svc-bench-releases-"));
  try {
    const times = await measureTimes(sizes, dataFolder);
    const counts = await countCalls(sizes, dataFolder);
    const rows = sizes.flatMap(({ count }) =>
      steps.map((step): Row => {
        const key = `${count} ${step}`;
        return { count, step, milliseconds: median(times.get(key) ?? []), ...(counts.get(key) as Counts) };
      }),
    );
    return releasesSection(rows);
  } finally {
    await rm(dataFolder, { recursive: true });
  }
}

type Sizes = readonly { readonly count: number; readonly rounds: number }[];

/** Milliseconds of each round, by size and step; the first round only warms up. */
async function measureTimes(sizes: Sizes, dataFolder: string): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  const store = await startStoreProcess(dataFolder);
  await withService(
    async (stage) => {
      for (const { count, rounds } of sizes)
        for (let round = -1; round < rounds; round += 1)
          await releaseJourney(stage, { count, dataFolder }, async (step, send) => {
            const started = performance.now();
            const response = await send();
            const milliseconds = performance.now() - started;
            const key = `${count} ${step}`;
            if (round >= 0) times.set(key, [...(times.get(key) ?? []), milliseconds]);
            if (round === rounds - 1)
              console.log(`${count} files, ${step}: ${number(median(times.get(key) ?? []))} ms`);
            return response;
          });
    },
    { env: storeEnvironment(store.endpoint) },
  );
  await store.stop();
  return times;
}

/** The calls of one journey of each size, recorded between the functions and the engines. */
async function countCalls(sizes: Sizes, dataFolder: string): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>();
  const store = await startRecordedStore(dataFolder);
  const stage = await startRecordedService({ env: { S3_ENDPOINT: store.endpoint } });
  try {
    for (const { count } of sizes)
      await releaseJourney({ ...stage, actors: actorsOf(stage) }, { count, dataFolder }, async (step, send) => {
        const [response, counted] = await counting(send);
        counts.set(`${count} ${step}`, counted);
        return response;
      });
  } finally {
    await stage.stop();
    await store.stop();
  }
  return counts;

  async function counting<T>(send: () => Promise<T>): Promise<[T, Counts]> {
    const answers: T[] = [];
    let kinds: string[] = [];
    const calls = await stage.recorder.during(async () => {
      const requests = await store.during(async () => answers.push(await send()));
      kinds = requests.map(({ kind }) => kind);
    });
    const of = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
    const counted = { dynamodb: calls.length, lists: of("list"), gets: of("get"), puts: of("put") };
    return [answers[0] as T, counted];
  }
}
