import { dummyCredentials } from "../../../local/credentials.ts";
import { KeyValueStore, type StoreError } from "../../../local/pointers/key-value-store.ts";
import { localStoreArn, type Operation, startStoreServer } from "../../../local/pointers/store-server.ts";
import { type ServiceOptions, startService, type TestService } from "./service.ts";
import { duringTests, useFunctionEnvironment } from "./suite.ts";

/** The key-value store of a games' edge in this process, and what its server does instead of responding. */
export interface GamesStore {
  readonly endpoint: string;
  readonly store: KeyValueStore;
  /** That of a second games domain. */
  readonly second: KeyValueStore;
  /** Called before each operation: what it returns is the response. */
  fault: ((operation: Operation) => StoreError | undefined | Promise<StoreError | undefined>) | undefined;
  /** The operations since the last reset, in their order. */
  readonly operations: Operation[];
  stop(): Promise<void>;
}

export const secondStoreArn = `${localStoreArn}-2`;

export async function startGamesStore(): Promise<GamesStore> {
  const [store, second] = [new KeyValueStore(), new KeyValueStore()];
  const games = { store, second, fault: undefined, operations: [] } as unknown as GamesStore;
  const server = await startStoreServer({
    credentials: dummyCredentials,
    stores: new Map([
      [localStoreArn, store],
      [secondStoreArn, second],
    ]),
    fault: (operation) => {
      games.operations.push(operation);
      return games.fault?.(operation);
    },
  });
  return Object.assign(games, server);
}

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
