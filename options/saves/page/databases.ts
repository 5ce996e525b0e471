import type { SavedDatabase, SavedRecord, SavedStore } from "./saves-file.ts";
import { ownDatabases } from "./saves-file.ts";

/*
 * IndexedDB of this origin.
 */

/** The result of a request. @throws DOMException if it fails */
export function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

/** Names and versions of the databases that games have here. */
async function databaseNames(): Promise<{ readonly name: string; readonly version: number }[]> {
  const all = await indexedDB.databases();
  return all
    .flatMap(({ name = "", version = 1 }) => (name.startsWith(ownDatabases) ? [] : [{ name, version }]))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** All databases that games have here, each as it was at one moment. */
export async function readDatabases(): Promise<SavedDatabase[]> {
  const databases: SavedDatabase[] = [];
  for (const { name } of await databaseNames()) {
    const database = await openExisting(name);
    if (database === undefined) continue;
    try {
      databases.push({ name, version: database.version, stores: await readStores(database) });
    } finally {
      database.close();
    }
  }
  return databases;
}

/** Undefined if it is gone: it must not be made by looking. */
async function openExisting(name: string): Promise<IDBDatabase | undefined> {
  const request = indexedDB.open(name);
  let isGone = false;
  request.addEventListener("upgradeneeded", () => {
    isGone = true;
    request.transaction?.abort();
  });
  try {
    return await resultOf(request);
  } catch (error) {
    if (isGone) return undefined;
    throw error;
  }
}

async function readStores(database: IDBDatabase): Promise<SavedStore[]> {
  const names = [...database.objectStoreNames];
  if (names.length === 0) return [];
  const transaction = database.transaction(names);
  return await Promise.all(names.map((name) => readStore(transaction.objectStore(name))));
}

async function readStore(store: IDBObjectStore): Promise<SavedStore> {
  // Both requests belong to one transaction, so the lists have one order.
  const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
  const indexes = [...store.indexNames].map((name) => store.index(name));
  return {
    name: store.name,
    keyPath: store.keyPath,
    hasKeyGenerator: store.autoIncrement,
    indexes: indexes.map((index) => ({
      name: index.name,
      keyPath: index.keyPath,
      isUnique: index.unique,
      isMultiEntry: index.multiEntry,
    })),
    records: keys.map((key, index): SavedRecord => [key, values[index]]),
  };
}

/**
 * Waits until no other tab has a database open. Each that has is sent `versionchange`, as for a newer version; the database stays as it is.
 *
 * @param isOpenElsewhere called if a tab does not close it
 */
export async function waitUntilClosed(isOpenElsewhere: () => void): Promise<void> {
  for (const { name, version } of await databaseNames()) {
    if (version >= Number.MAX_SAFE_INTEGER) continue;
    const request = indexedDB.open(name, version + 1);
    let isClosed = false;
    request.addEventListener("blocked", isOpenElsewhere);
    request.addEventListener("upgradeneeded", () => {
      isClosed = true;
      request.transaction?.abort();
    });
    await resultOf(request).catch((error: unknown) => {
      if (!isClosed) throw error;
    });
  }
}

/** Deletes the databases that games have here. @param isOpenElsewhere called if a tab has one open meanwhile */
export async function deleteDatabases(isOpenElsewhere: () => void): Promise<void> {
  for (const { name } of await databaseNames()) {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener("blocked", isOpenElsewhere);
    await resultOf(request);
  }
}

/** Makes a database, completely or not at all. @throws Error if there is something in it that the browser refuses */
export async function writeDatabase({ name, version, stores }: SavedDatabase): Promise<void> {
  const request = indexedDB.open(name, version);
  let refusal: unknown;
  request.addEventListener("upgradeneeded", () => {
    refusal = refusalOf(request, stores);
  });
  try {
    (await resultOf(request)).close();
  } catch (error) {
    throw refusal ?? error;
  }
}

/**
 * Makes a database under a name of its own, and undoes it when all is in it.
 *
 * @throws Error as {@link writeDatabase} would
 */
export async function tryDatabase({ version, stores }: SavedDatabase): Promise<void> {
  const request = indexedDB.open(`${ownDatabases}trial`, version);
  let refusal: unknown;
  let isTaken = false;
  request.addEventListener("upgradeneeded", () => {
    refusal = refusalOf(request, stores);
    const { transaction } = request;
    if (refusal !== undefined || transaction === null) return;
    const undo = () => {
      isTaken = true;
      transaction.abort();
    };
    const [first] = request.result.objectStoreNames;
    transaction.addEventListener("abort", () => {
      refusal = transaction.error;
    });
    // It succeeds after everything that was asked for before it.
    if (first === undefined) undo();
    else transaction.objectStore(first).count().addEventListener("success", undo);
  });
  await resultOf(request).catch((error: unknown) => {
    if (!isTaken) throw refusal ?? error;
  });
}

/** Fills the database that is being upgraded. @returns what was refused; then the upgrade is aborted */
function refusalOf(request: IDBOpenDBRequest, stores: readonly SavedStore[]): unknown {
  try {
    for (const store of stores) fill(request.result, store);
    return undefined;
  } catch (error) {
    request.transaction?.abort();
    return error;
  }
}

function fill(database: IDBDatabase, { name, keyPath, hasKeyGenerator, indexes, records }: SavedStore): void {
  const parameters = { keyPath: pathOf(keyPath), autoIncrement: hasKeyGenerator };
  const store = database.createObjectStore(name, parameters);
  for (const { name, keyPath, isUnique, isMultiEntry } of indexes)
    store.createIndex(name, pathOf(keyPath), { unique: isUnique, multiEntry: isMultiEntry });
  for (const [key, value] of records) {
    if (keyPath === null) store.put(value, key as IDBValidKey);
    else store.put(value);
  }
}

function pathOf<Path>(path: Path | readonly string[]): Path | string[] {
  return Array.isArray(path) ? [...path] : (path as Path);
}
