import { describe, expect } from "@jest/globals";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { AmazonError } from "../../../local/amazon-server.ts";
import { localStoreArn } from "../../../local/pointers/store-server.ts";
import { startGamesStore } from "../../support/service/games-store.ts";
import { openRelease, publish } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useOwner, useRecordedService } from "../../support/service/suite.ts";
import { exploreBetweenRequests } from "./between-requests.ts";

const edge = duringTests(async () => {
  const games = await startGamesStore();
  return { games, stop: () => games.stop() };
});
const service = useRecordedService({
  get env() {
    return { GAMES_STORE_ENDPOINT: edge.games.endpoint };
  },
});
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ GAMES_STORE_ARN: localStoreArn, GAMES_STORE_ENDPOINT: edge.games.endpoint }));

const at = () => `/projects/${ada.slug}`;
const down = () => new AmazonError("InternalServerException", 500, "Down");
/** Runs an act and leaves the edge's work waiting. */
const leftWaiting = async <T>(act: () => Promise<T>): Promise<T> => {
  edge.games.fault = down;
  const result = await act();
  edge.games.fault = undefined;
  return result;
};
const write = () => writePointers(AbortSignal.timeout(10_000));

describe("the edge has what the project is after a run of the schedule, while another request changes and writes it:", () => {
  exploreBetweenRequests({
    service,
    games: () => edge.games,
    requests: [
      ["Query", "the waiting changes are read"],
      ["DescribeKeyValueStore", "the store's version is read"],
      ["BatchGetItem", "their projects are read"],
      ["UpdateKeys", "the pointers are written"],
      ["BatchWriteItem", "the written changes are removed"],
    ],
    prepare: () => leftWaiting(() => publish(ada, ada.slug, { "index.html": "1" })),
    run: write,
    meanwhile: () => ada.post(`${at()}/unpublish`),
    check: async () => {
      expect(edge.games.store.edge(0).get(ada.slug)).toMatch(/^u<bdi>/);
    },
  });
});

describe("no preview is left of a release that is withdrawn, while the same files get one:", () => {
  let [first, twin] = ["", ""];
  exploreBetweenRequests({
    service,
    requests: [
      ["BatchGetItem", "the caller and the project are read"],
      ["BatchGetItem", "the release is read"],
      ["Query", "the releases with the same files are read"],
      ["TransactWriteItems", "it is withdrawn"],
      ["Query", "the waiting changes are read"],
      ["UpdateItem", "the account's changes of the day are counted"],
      ["BatchGetItem", "the project is read for the edge"],
      ["BatchWriteItem", "the written changes are removed"],
    ],
    prepare: async () => {
      first = await publish(ada, ada.slug, { "index.html": "1" });
      await publish(ada, ada.slug, { "index.html": "2" });
      twin = (await openRelease(ada, ada.slug, { "index.html": "1" })).body.release.id;
    },
    run: () => ada.post(`${at()}/releases/${first}/withdraw`),
    meanwhile: () => ada.post(`${at()}/releases/${twin}/preview`),
    check: async () => {
      expect((await ada.get(`${at()}/previews`)).body.previews).toEqual([]);
    },
  });
});
