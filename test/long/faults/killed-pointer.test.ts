import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Operation } from "../../../local/pointers/store-server.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { type GamesStore, startGamesStore } from "../../support/service/games-store.ts";
import { withProject } from "../../support/service/operations.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { publish } from "../../support/service/steps.ts";
import { arePointersWritten } from "../../support/table/stored.ts";

/*
 * The service is killed while it brings a publication to the games' edge, and started again with what it has stored.
 */

let games: GamesStore;
let folder: string;
let service: TestService;

const start = async (pointersSeconds: number) => {
  const env = {
    GAMES_STORE_ENDPOINT: games.endpoint,
    SVC_POINTERS_SECONDS: String(pointersSeconds),
    TABLE_NAME: "svc-killed",
  };
  service = await startService({ dataFolder: folder, env });
};

beforeEach(async () => {
  games = await startGamesStore();
  folder = mkdtempSync(join(tmpdir(), "svc-killed-pointer-"));
  await start(0);
});

afterEach(async () => {
  await service.stop();
  await games.stop();
  rmSync(folder, { recursive: true });
});

test.each<[string, Operation]>([
  ["before it reads the store's version", "DescribeKeyValueStore"],
  ["before it writes the store", "UpdateKeys"],
])(
  "killed %s, it brings the publication once it runs again",
  async (_, operation) => {
    const ada = await withProject(await actorsOf(service).developer());
    games.fault = async (called) => {
      if (called !== operation) return undefined;
      service.process.kill("SIGKILL");
      return await new Promise(() => {});
    };
    const killed = once(service.process, "exit");
    await expect(publish(ada, ada.slug, { "index.html": "1" })).rejects.toThrow();
    await killed;
    expect(games.store.edge(0).get(ada.slug)).toBeUndefined();
    games.fault = undefined;
    await start(1);
    const edge = games.store.edge(0);
    for (let tries = 0; edge.get(ada.slug) === undefined && tries < 100; tries += 1) await delay(100);
    expect(edge.get(ada.slug)).toMatch(/^l\.[\w-]{43}\./);
  },
  90_000,
);

test("killed between the store's write and the deletion of what waited, it writes the same once more, and then nothing", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  const update = games.store.update.bind(games.store);
  games.store.update = (...of) => {
    update(...of);
    games.store.update = update;
    service.process.kill("SIGKILL");
  };
  const killed = once(service.process, "exit");
  await expect(publish(ada, ada.slug, { "index.html": "1" })).rejects.toThrow();
  await killed;
  const written = games.store.edge(0).get(ada.slug);
  expect(written).toMatch(/^l\.[\w-]{43}\./);
  games.operations.length = 0;
  await start(1);
  expect(await arePointersWritten(service, 10)).toBe(true);
  await delay(1_500);
  expect(games.operations).toEqual(["DescribeKeyValueStore", "UpdateKeys"]);
  expect(games.store.edge(0).get(ada.slug)).toBe(written);
});
