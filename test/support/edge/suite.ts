import { readFile } from "node:fs/promises";
import { dummyCredentials } from "../../../local/credentials.ts";
import { type Body, wholeOf } from "../../../local/edge/bodies.ts";
import { ColdLocations } from "../../../local/edge/cold-locations.ts";
import { type Distribution, EdgeLocation } from "../../../local/edge/edge-location.ts";
import { distributionOf } from "../../../local/edge/local-edge.ts";
import type { Store } from "../../../local/edge/viewer-runtime.ts";
import { startObjectStore } from "../../../local/store/object-store.ts";
import type { GameResponse, Play } from "../service/play.ts";
import { duringTests } from "../service/suite.ts";
import { type StoredGames, storeGames } from "./games.ts";

/** Edge of a stage, before an object store with games. */
export interface TestEdge {
  readonly distribution: Distribution;
  readonly cold: Distribution;
  readonly games: StoredGames;
  readonly endpoint: string;
  stop(): Promise<void>;
}

export const gamesDomain = "games.example.net";
export const reportUrl = "https://example.com/report?game={slug}";

/** The edge for the tests of a file, and in this process's environment its store. */
export function useEdge(): TestEdge {
  return duringTests(async () => {
    const { endpoint, stop } = await startObjectStore("svc-edge", undefined);
    Object.assign(process.env, {
      BUCKET_NAME: "svc-edge",
      S3_ENDPOINT: endpoint,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
    });
    return {
      distribution: await distributionOf({ gamesDomain, reportUrl }),
      cold: await distributionOf({ gamesDomain, reportUrl, isCold: true }),
      games: await storeGames(),
      endpoint,
      stop,
    };
  });
}

/** One location of the edge, whose responses are as those of a game's origin over HTTP. */
export class TestLocation extends EdgeLocation {
  constructor(edge: TestEdge, store: Store, now?: () => number) {
    super(edge.distribution, store, now);
  }

  play(host: string, request: Play) {
    return playAt(this, host, request);
  }
}

/** Three cold locations. */
export class ColdTestEdge extends ColdLocations {
  constructor(edge: TestEdge, store: Store, now?: () => number) {
    super(3, () => new EdgeLocation(edge.cold, store, now));
  }

  play(host: string, request: Play) {
    return playAt(this, host, request);
  }
}

async function bytesOf(body: Body): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  await wholeOf(body);
  return (await readFile(body.path)).subarray(body.start, body.end);
}

async function playAt(
  edge: Pick<EdgeLocation, "respond">,
  host: string,
  { method = "GET", path = "/", headers = {} }: Play,
): Promise<GameResponse & { from: string }> {
  const response = await edge.respond({ method, target: path, headers: { host, ...headers } });
  const { status, headers: sent, body, from } = response;
  return { status, headers: sent, body: method === "HEAD" ? Buffer.alloc(0) : await bytesOf(body), from };
}
