import { dummyCredentials } from "../../../local/credentials.ts";
import { EdgeLocation } from "../../../local/edge/edge-location.ts";
import { distributionOf } from "../../../local/edge/local-edge.ts";
import { ReleasedGame } from "../../../test/support/edge/released-game.ts";
import { storeOf } from "../../../test/support/edge/viewer-runtime.ts";
import { startRecordedStore } from "../../../test/support/store/store-recorder.ts";

/** Requests by which a location of the edge asks for files after a release of 200 files. */
export interface ReleaseMisses {
  readonly changed: number;
  /** Misses at a location that had all files of the release before. */
  readonly misses: number;
  /** Reads at a location that has nothing, by browsers that have all files. */
  readonly readsForNotModified: number;
}

const gamesDomain = "games.example.net";
const fileCount = 200;

/** Counts at the model of CloudFront, in front of an object store of its own. */
export async function countReleaseMisses(changed: number): Promise<ReleaseMisses> {
  const store = await startRecordedStore();
  const { accessKeyId, secretAccessKey } = dummyCredentials;
  Object.assign(process.env, {
    ...{ BUCKET_NAME: store.bucketName, S3_ENDPOINT: store.endpoint, AWS_REGION: "eu-central-1" },
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  });
  const slug = `misses-after-${changed}`;
  const game = new ReleasedGame(slug);
  const values = new Map<string, string>();
  const distribution = await distributionOf({ gamesDomain, reportUrl: undefined });
  const [warm, cold] = [
    new EdgeLocation(distribution, storeOf(values)),
    new EdgeLocation(distribution, storeOf(values)),
  ];
  const paths = Array.from({ length: fileCount }, (_, index) => `assets/level-${index}.js`);
  const play = async (location: EdgeLocation, path: string, condition: Readonly<Record<string, string>> = {}) => {
    const headers = { host: `${slug}.${gamesDomain}`, "sec-fetch-dest": "script", ...condition };
    return await location.respond({ method: "GET", target: `/${path}`, headers });
  };
  try {
    for (const release of [0, 1]) {
      const texts = paths.map((path, index) => [path, index < changed ? String(release) : "same"]);
      game.goLive(await game.store(Object.fromEntries(texts)));
      values.set(slug, game.pointer);
      if (release === 0) for (const path of paths) await play(warm, path);
    }
    const before = warm.counts.misses;
    for (const path of paths) {
      const { headers } = await play(warm, path);
      const { status } = await play(cold, path, { "if-none-match": String(headers["etag"]) });
      if (status !== 304) throw new Error(`${path} responded with ${status}`);
    }
    return { changed, misses: warm.counts.misses - before, readsForNotModified: cold.counts.objects };
  } finally {
    await Promise.all([store.stop(), warm.stop(), cold.stop()]);
  }
}
