import { releaseName } from "../../../edge/pointer.ts";
import { Manifest, writeManifest } from "../../../functions/files/manifests.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import { EdgeLocation } from "../../../local/edge/edge-location.ts";
import { distributionOf } from "../../../local/edge/local-edge.ts";
import { storeOf } from "../../../test/support/edge/viewer-runtime.ts";
import { sha256 } from "../../../test/support/service/steps.ts";
import { startRecordedStore } from "../../../test/support/store/store-recorder.ts";

/** What players' requests make a stage do, each a request. */
export interface EdgeUnits {
  /** Of which this share is in the cache. */
  readonly hitShare: number;
  readonly viewerCalls: number;
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
  const pointers = storeOf(new Map([["my-game", `l.${releaseName(manifest.digest)}...`]]));
  const units: EdgeUnits[] = [];
  try {
    for (const hitShare of hitShares) {
      const location = new EdgeLocation(distribution, pointers);
      const storeReads = (await store.during(() => send(location, hitShare))).length;
      const { misses, objects } = location.counts;
      const originCalls = (misses + objects) / requests;
      units.push({ hitShare, viewerCalls: 2, originCalls, storeReads: storeReads / requests });
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
    // What is requested less often is a miss; the others are all the same.
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
