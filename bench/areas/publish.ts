import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { median } from "simple-statistics";
import { compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { findProgram, type ProcessMeasures } from "../harness/processes.ts";
import { ratio, type Section } from "../harness/section.ts";
import { fileBytes, makeFolder } from "../peers/game-folder.ts";
import { installSvc } from "../peers/installed-cli.ts";
import { type Folder, type Publisher, publishersOf, type Tool } from "../peers/publishers.ts";
import { withService } from "../stage/bench-stage.ts";
import { startCountingProxy } from "../stage/counting-proxy.ts";
import { startStoreProcess, storeEnvironment } from "../stage/store-process.ts";
import { publishSection, type Requests, type Row, type Scenario, scenarios } from "./publish-section.ts";

/** Beyond so many files, counting each request in a proxy takes too long. */
const mostCounted = 2_000;
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
    return publishSection(rows, aws?.version);
  } finally {
    await rm(home, { recursive: true });
  }
}

interface Size extends Folder {
  readonly files: number;
  readonly rounds: number;
}

async function measureSize(size: Size): Promise<Row[]> {
  const measured = new Map<string, ProcessMeasures[]>();
  const store = await startStoreProcess();
  await withService(
    (stage) =>
      runInTurn(size, publishersOf(size, stage, stage), size.rounds, async (tool, scenario, run) => {
        const key = `${tool} ${scenario}`;
        measured.set(key, [...(measured.get(key) ?? []), await run()]);
      }),
    { env: storeEnvironment(store.endpoint) },
  );
  await store.stop();
  const traffic = size.files > mostCounted ? new Map<string, Requests>() : await countTraffic(size);
  return scenarios.map((scenario) => {
    const of = (tool: Tool) => measured.get(`${tool} ${scenario}`) ?? [];
    const compared = (measure: keyof ProcessMeasures) => {
      const series = (tool: Tool) => of(tool).map((measures) => measures[measure] as number);
      return size.aws === undefined ? undefined : compare(series("svc publish"), series("aws s3 sync"));
    };
    const row: Row = {
      files: size.files,
      scenario,
      wall: compared("wallMilliseconds"),
      processor: compared("processorMilliseconds"),
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
async function countTraffic(size: Size): Promise<Map<string, Requests>> {
  const traffic = new Map<string, Requests>();
  const store = await startStoreProcess();
  const storeProxy = await startCountingProxy(store.endpoint);
  await withService(
    async (stage) => {
      const apiProxy = await startCountingProxy(stage.api);
      const at = { api: apiProxy.endpoint, s3Endpoint: storeProxy.endpoint };
      await runInTurn(size, publishersOf(size, stage, at), 1, async (tool, scenario, run) => {
        for (const proxy of [apiProxy, storeProxy]) proxy.take();
        await run();
        traffic.set(`${tool} ${scenario}`, { toApi: apiProxy.take(), toStore: storeProxy.take() });
      });
      await apiProxy.stop();
    },
    { env: storeEnvironment(storeProxy.endpoint) },
  );
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
