import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { reportUrlHeader } from "../../../edge/origin-request.ts";
import { bundleFolderOf } from "../../../infra/bundle.ts";
import { viewerFunctionCode } from "../../../infra/viewer-functions.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import { startObjectStore } from "../../../local/store/object-store.ts";
import { duringTests } from "../service/suite.ts";
import type { Distribution } from "./cloudfront.ts";
import { type StoredGames, storeGames } from "./games.ts";
import { policies } from "./policies.ts";

/** What runs at the edge of a stage, before an object store with games. */
export interface TestEdge {
  readonly distribution: Distribution;
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
      games: await storeGames(),
      endpoint,
      stop,
    };
  });
}

async function distributionOf(stage: { gamesDomain: string; reportUrl: string }): Promise<Distribution> {
  const { handler } = await import(pathToFileURL(join(bundleFolderOf("games-origin"), "index.mjs")).href);
  return {
    viewerRequest: viewerFunctionCode("viewer-request", stage),
    viewerResponse: viewerFunctionCode("viewer-response", stage),
    origin: handler,
    ...policies,
    customHeaders: { [reportUrlHeader]: stage.reportUrl },
  };
}
