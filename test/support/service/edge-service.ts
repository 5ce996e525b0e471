import { localStoreArn } from "../../../local/pointers/store-server.ts";
import { type GamesStore, startGamesStore } from "./games-store.ts";
import { type ServiceOptions, startService, type TestService } from "./service.ts";
import { duringTests, useFunctionEnvironment } from "./suite.ts";

export type EdgeService = TestService & { readonly games: GamesStore };

/** A service of its own with a games' edge, whose functions the file can call in this process too. */
export function useEdgeService(options: ServiceOptions = {}): EdgeService {
  const service = duringTests(async (): Promise<EdgeService> => {
    const games = await startGamesStore();
    const running = await startService({ ...options, env: { ...options.env, GAMES_STORE_ENDPOINT: games.endpoint } });
    const stop = async () => {
      await running.stop();
      await games.stop();
    };
    return { ...running, games, stop };
  });
  useFunctionEnvironment(service, () => ({
    GAMES_STORE_ARN: localStoreArn,
    GAMES_STORE_ENDPOINT: service.games.endpoint,
  }));
  return service;
}
