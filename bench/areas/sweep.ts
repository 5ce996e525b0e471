import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { keys } from "../../functions/table/keys.ts";
import { bundleFolderOf, bundleFunctions } from "../../infra/bundle.ts";
import { prices } from "../../infra/prices.ts";
import { actorsOf } from "../../test/support/service/actors.ts";
import { startRecordedService } from "../../test/support/service/recorded-service.ts";
import { newSlug } from "../../test/support/service/steps.ts";
import { type BucketState, type FullBucket, startFullBucket } from "../../test/support/store/full-bucket.ts";
import { capacityUnits, type RecordedCall } from "../../test/support/table/dynamodb-recorder.ts";
import { type Area, type Effort, type Measurement, number } from "../area.ts";
import { benchEnvironment } from "../parts/service.ts";

/** How many objects a project has; nine in ten of them are needed by its releases. */
const sizes: readonly number[] = [10_000, 100_000, 1_000_000, 2_000_000];
const filesEach = 20_000;
/** What the deployed function has. */
const gigabytes = 1;

const figures = {
  memory: "sweeping a project of 1,000,000 objects, peak memory",
  growth: "peak memory of sweeping 2,000,000 objects beside 1,000,000",
  deleted: "what the sweep of 1,000,000 objects leaves of the 100,000 that no release needs",
};

/** What the sweep of one project takes, and how that grows with it. */
export const area: Area = {
  name: "sweep",
  title: "Sweeping one project",
  method: `The sweeper's bundle in a process of its own, called again until nothing is left that no release needs, as its schedule
does. DynamoDB is the local engine, the bucket is in memory and responds at once (\`test/support/store/full-bucket.ts\`), so the seconds are
the function's own: S3 is farther away. Of the objects 90 % belong to kept releases of ${number(filesEach)} files. Dollars are list prices of
us-east-1 for these seconds at ${gigabytes} GB (arm64), GET and LIST of S3, and DynamoDB; S3 takes nothing for DELETE.`,
  decides: [figures.memory],
  targets: { [figures.memory]: { atMost: 512 }, [figures.growth]: { atMost: 1.15 }, [figures.deleted]: { atMost: 0 } },
  measure,
};

interface Row {
  readonly objects: number;
  readonly seconds: number;
  readonly runs: number;
  readonly memoryMebibytes: number;
  readonly bucket: BucketState;
  readonly calls: readonly RecordedCall[];
}

async function measure({ isQuick }: Effort): Promise<Measurement> {
  await bundleFunctions();
  const rows: Row[] = [];
  for (const objects of isQuick ? [2_000, 4_000] : sizes) {
    rows.push(await sweep(objects));
    console.log(tableRow(rows.at(-1) as Row).join("  "));
  }
  return resultOf(rows);
}

async function sweep(objects: number): Promise<Row> {
  const needed = (objects * 9) / 10;
  const releases = Math.max(2, needed / filesEach);
  const slug = newSlug();
  const bucket = await startFullBucket({ slug, releases, filesEach: needed / releases, unneeded: objects - needed });
  const service = await startRecordedService();
  try {
    await (await actorsOf(service).developer()).post("/projects", { slug });
    for (const [index, manifest] of bucket.manifests.entries()) {
      const at = new Date().toISOString();
      const release = { id: `release-${index}`, manifest, files: filesEach, bytes: 0, createdAt: at, publishedAt: at };
      const Item = { ...keys.release(slug, release.id), ...release };
      await service.table.send(new PutCommand({ TableName: service.tableName, Item }));
    }
    const env = { ...benchEnvironment(service, service.dynamodbEndpoint), S3_ENDPOINT: bucket.endpoint };
    return { objects, ...(await sweepUntilDone(bucket, service.recorder, env)) };
  } finally {
    await service.stop();
    await bucket.stop();
  }
}

async function sweepUntilDone(
  bucket: FullBucket,
  recorder: { during(action: () => Promise<unknown>): Promise<RecordedCall[]> },
  env: Record<string, string>,
): Promise<Omit<Row, "objects">> {
  const runs: { seconds: number; memoryMebibytes: number }[] = [];
  const calls = await recorder.during(async () => {
    for (let left = Number.POSITIVE_INFINITY; ; ) {
      runs.push(await sweepOnce(env));
      const { unneeded, lost } = await bucket.state();
      if (lost > 0) throw new Error(`${lost} files that a release names were deleted`);
      if (unneeded === 0 || unneeded === left) return;
      left = unneeded;
    }
  });
  return {
    calls,
    runs: runs.length,
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    memoryMebibytes: Math.max(...runs.map(({ memoryMebibytes }) => memoryMebibytes)),
    bucket: await bucket.state(),
  };
}

const child = fileURLToPath(new URL("../parts/sweep-child.mjs", import.meta.url));

async function sweepOnce(env: Record<string, string>): Promise<{ seconds: number; memoryMebibytes: number }> {
  const sweeper = fork(child, [join(bundleFolderOf("sweep"), "index.mjs")], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [measures] = await Promise.race([once(sweeper, "message"), once(sweeper, "exit")]);
  if (typeof measures !== "object") throw new Error("The sweeper failed");
  await once(sweeper, "exit");
  return measures;
}

function dollars({ seconds, bucket, calls }: Row): number {
  const { read, write } = capacityUnits(calls);
  const millions =
    seconds * gigabytes * prices.millionGigabyteSeconds +
    bucket.lists * prices.millionStoreWrites +
    bucket.reads * prices.millionStoreReads +
    read * prices.millionTableReadUnits +
    write * prices.millionTableWriteUnits;
  return millions / 1_000_000;
}

function tableRow(row: Row): string[] {
  const { objects, seconds, runs, memoryMebibytes, bucket, calls } = row;
  const { read, write } = capacityUnits(calls);
  const { deletions, lists, reads } = bucket;
  const columns = [objects, deletions, seconds, runs, memoryMebibytes, lists, reads, read, write];
  return [...columns.map(number), dollars(row).toFixed(3)];
}

function resultOf(rows: readonly Row[]): Measurement {
  const [million, more] = rows.slice(-2) as [Row, Row];
  return {
    figures: {
      [figures.memory]: { value: million.memoryMebibytes, unit: "MiB" },
      [figures.growth]: { value: more.memoryMebibytes / million.memoryMebibytes, unit: "×" },
      [figures.deleted]: { value: million.bucket.unneeded, unit: "" },
    },
    table: {
      head: ["objects", "deleted", "seconds", "runs", "MiB", "LIST", "GET", "read units", "write units", "$"],
      rows: rows.map(tableRow),
    },
  };
}
