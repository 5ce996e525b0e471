import { AccessLog } from "../../../local/access-log/access-log.ts";
import { EdgeLocation } from "../../../local/edge/edge-location.ts";
import { distributionOf } from "../../../local/edge/local-edge.ts";
import { startHttpServer } from "../../../local/gateway/http-server.ts";
import { gameHost } from "../../../local/sites/game-host.ts";
import { startObjectStore } from "../../../local/store/object-store.ts";
import { ReleasedGame } from "../../../test/support/edge/released-game.ts";
import { storeOf } from "../../../test/support/edge/viewer-runtime.ts";
import { startFork } from "../harness/processes.ts";
import { bucketName, storeEnvironment } from "./store-process.ts";

const gamesDomain = "games.example.net";
const slug = "logged";

/** The game that the edge serves, and its one file of 2 KB. */
export const loggedGame = { host: `${slug}.${gamesDomain}`, path: "/small.js" };

/** Starts the games' edge of the local service in a process of its own, with its access log or without; returns its port. */
export async function startLoggedEdge(isLogged: boolean): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { message: port, stop } = await startFork<number>(import.meta.url, [isLogged ? "with" : "without"]);
  return { port, stop };
}

async function createLocation(): Promise<EdgeLocation> {
  const { endpoint } = await startObjectStore(bucketName, undefined);
  Object.assign(process.env, storeEnvironment(endpoint), { BUCKET_NAME: bucketName, AWS_REGION: "eu-central-1" });
  const game = new ReleasedGame(slug);
  game.goLive(await game.store({ "small.js": "let score = 0; ".repeat(137) }));
  const distribution = await distributionOf({ gamesDomain, reportUrl: undefined });
  return new EdgeLocation(distribution, storeOf(new Map([[slug, game.pointer]])));
}

if (import.meta.main) {
  const log = process.argv[2] === "with" ? new AccessLog(undefined) : { add: () => undefined };
  const site = gameHost(gamesDomain, await createLocation(), log);
  const server = await startHttpServer(0, Promise.resolve([site]));
  process.once("disconnect", () => process.exit());
  process.send?.(Number(new URL(server.endpoint).port));
}
