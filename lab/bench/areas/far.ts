import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "simple-statistics";
import { type Area, type Effort, type Measurement, number } from "../area.ts";
import { makeFolder } from "../parts/game-folder.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { svcPublisher } from "../parts/publishers.ts";
import { withService } from "../parts/service.ts";
import { type SlowStore, startSlowStore } from "../parts/slow-store.ts";
import { storeEnvironment } from "../parts/store-process.ts";

/** What the bound assumes; `svc publish` sends small files twice as many at once. */
const uploadsAtOnce = 64;
const latencies = [10, 40, 100];
/** The latency that the targets are for. */
const targetLatency = 40;

const figures = {
  uploads: `uploading 2,000 files to a store ${targetLatency} ms away, beside files × latency / ${uploadsAtOnce}`,
  waits: "how often the API waits for the store before the first upload and after the last",
  command: `the whole \`svc publish\` of 2,000 files to a store ${targetLatency} ms away, beside files × latency / ${uploadsAtOnce}`,
};

/** Publishing to a store that responds late: uploads must run in parallel. */
export const area: Area = {
  name: "far",
  title: "Publishing to a store far away",
  method: `2,000 files of 16 KiB to a store in memory that responds to every request this many milliseconds late
(\`lab/bench/parts/slow-store.ts\`). With ${uploadsAtOnce} uploads at once, nothing could be faster than files × latency / ${uploadsAtOnce}, the *bound*, which the targets
were set beside; small files are sent 128 at once. *Uploading* lasts from the first upload to the response of the last.`,
  decides: [figures.command],
  targets: {
    [figures.uploads]: { atMost: 1.3 },
    [figures.waits]: { atMost: 3 },
    [figures.command]: { atMost: 1.3 },
  },
  measure,
};

interface Row {
  readonly milliseconds: number;
  readonly boundSeconds: number;
  readonly uploadSeconds: number;
  readonly commandSeconds: number;
  readonly waits: number;
}

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const [files, rounds] = isQuick ? [64, 1] : [2_000, 5];
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  try {
    const [svc, folder] = [await installSvc(), await makeFolder(home, files)];
    const rows: Row[] = [];
    for (const milliseconds of latencies) {
      const seconds = await publishTo(milliseconds, { home, folder, svc, rounds });
      rows.push({ milliseconds, boundSeconds: (files * milliseconds) / uploadsAtOnce / 1_000, ...seconds });
    }
    return resultOf(rows);
  } finally {
    await rm(home, { recursive: true });
  }
}

async function publishTo(
  milliseconds: number,
  { rounds, ...sent }: Parameters<typeof svcPublisher>[0] & { rounds: number },
): Promise<Pick<Row, "uploadSeconds" | "commandSeconds" | "waits">> {
  const store = await startSlowStore(milliseconds);
  const [asked, commands]: [ReturnType<SlowStore["take"]>[], number[]] = [[], []];
  await withService(
    async (service) => {
      const publisher = svcPublisher(sent, service);
      for (let round = 0; round < rounds; round += 1) {
        await publisher.prepare();
        store.take();
        commands.push((await publisher.run()).wallMilliseconds / 1_000);
        asked.push(store.take());
      }
    },
    { env: storeEnvironment(store.endpoint) },
  );
  await store.stop();
  return {
    uploadSeconds: median(asked.map(({ uploadSeconds }) => uploadSeconds)),
    waits: median(asked.map(({ waits }) => waits)),
    commandSeconds: median(commands),
  };
}

function resultOf(rows: readonly Row[]): Measurement {
  const at = rows.find(({ milliseconds }) => milliseconds === targetLatency) as Row;
  return {
    figures: {
      [figures.uploads]: { value: at.uploadSeconds / at.boundSeconds, unit: "×" },
      [figures.waits]: { value: at.waits, unit: "" },
      [figures.command]: { value: at.commandSeconds / at.boundSeconds, unit: "×" },
    },
    table: {
      head: ["the store responds after", "bound, s", "uploading, s", "× bound", "svc publish, s", "× bound"],
      rows: rows.map(({ milliseconds, boundSeconds, uploadSeconds, commandSeconds }) => [
        `${milliseconds} ms`,
        number(boundSeconds),
        number(uploadSeconds),
        number(uploadSeconds / boundSeconds),
        number(commandSeconds),
        number(commandSeconds / boundSeconds),
      ]),
    },
  };
}
