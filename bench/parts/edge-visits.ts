import { Manifest, writeManifest } from "../../functions/files/manifests.ts";
import { fileKey } from "../../functions/files/object-keys.ts";
import { writeObject } from "../../functions/files/store.ts";
import { dummyCredentials } from "../../local/credentials.ts";
import { EdgeLocation } from "../../local/edge/edge-location.ts";
import { distributionOf } from "../../local/edge/local-edge.ts";
import type { Store } from "../../local/edge/viewer-runtime.ts";
import { sha256 } from "../../test/support/service/steps.ts";
import { startRecordedStore } from "../../test/support/store/store-recorder.ts";

/** What players' requests make a stage do, each a request. */
export interface EdgeUnits {
  readonly viewerCalls: number;
  readonly pointerReads: number;
  readonly originCalls: number;
  readonly storeReads: number;
}

const gamesDomain = "games.example.net";
const requests = 1_000;
const path = "abcdefghij.js";

/**
 * Sends players' requests through an edge location, of which these shares are in its cache, and counts. In front of an object
 * store of its own.
 */
export async function countEdgeUnits(hitShares: readonly number[]): Promise<EdgeUnits[]> {
  const store = await startRecordedStore();
  const { accessKeyId, secretAccessKey } = dummyCredentials;
  Object.assign(process.env, {
    ...{ BUCKET_NAME: store.bucketName, S3_ENDPOINT: store.endpoint, AWS_REGION: "eu-central-1" },
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  });
  const bytes = "let game;";
  const manifest = Manifest.of([{ path, size: bytes.length, sha256: sha256(bytes) }]);
  await writeObject(fileKey("my-game", sha256(bytes)), Buffer.from(bytes));
  await writeManifest("my-game", manifest.digest, await manifest.pack());
  const distribution = await distributionOf({ gamesDomain, reportUrl: undefined });
  const units: EdgeUnits[] = [];
  try {
    for (const share of hitShares) {
      const { pointers, reads } = countingStore(`l.${manifest.digest}..`);
      const location = new EdgeLocation(distribution, pointers);
      const storeReads = (await store.during(() => send(location, share))).length;
      const { misses, objects } = location.counts;
      const of = (count: number) => count / requests;
      const originCalls = of(misses + objects);
      units.push({ viewerCalls: 2, pointerReads: of(reads()), originCalls, storeReads: of(storeReads) });
    }
  } finally {
    await store.stop();
  }
  return units;
}

async function send(location: EdgeLocation, hitShare: number): Promise<void> {
  const headers = { host: `my-game.${gamesDomain}`, "sec-fetch-dest": "script" };
  const every = 1 / (1 - hitShare);
  for (let request = 0; request < requests; request += 1) {
    // What is asked for less often is a miss; the others are all the same.
    const target = request % Math.round(every) === 0 ? missOf(request) : missOf(0);
    const { status } = await location.respond({ method: "GET", target, headers });
    if (status !== 200) throw new Error(`${target} responded with ${status}`);
  }
}

/** A URL of the file for each number: each letter as it is, or percent-encoded. The cache knows nothing of that. */
function missOf(number: number): string {
  const letters = [...path].map((letter, index) =>
    (number >> index) % 2 === 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
  );
  return `/${letters.join("")}`;
}

function countingStore(value: string): { pointers: Store; reads: () => number } {
  let count = 0;
  const pointers: Store = {
    get: async () => {
      count += 1;
      return value;
    },
    exists: async () => true,
  };
  return { pointers, reads: () => count };
}
