import type { AmazonError } from "../../../local/amazon-server.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import { KeyValueStore } from "../../../local/pointers/key-value-store.ts";
import { localStoreArn, type Operation, startStoreServer } from "../../../local/pointers/store-server.ts";

/** The key-value store of a games' edge in this process, and what its server does instead of responding. */
export interface GamesStore {
  readonly endpoint: string;
  readonly store: KeyValueStore;
  /** Called before each operation: what it returns is the response. */
  fault: ((operation: Operation) => AmazonError | undefined | Promise<AmazonError | undefined>) | undefined;
  /** The operations since the last reset, in their order. */
  readonly operations: Operation[];
  stop(): Promise<void>;
}

export async function startGamesStore(): Promise<GamesStore> {
  const store = new KeyValueStore();
  const games = { store, fault: undefined, operations: [] } as unknown as GamesStore;
  const server = await startStoreServer({
    credentials: dummyCredentials,
    stores: new Map([[localStoreArn, store]]),
    fault: (operation) => {
      games.operations.push(operation);
      return games.fault?.(operation);
    },
  });
  return Object.assign(games, server);
}
