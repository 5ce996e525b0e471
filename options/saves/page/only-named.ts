import type { SavedDatabase, SavedStore, Saves } from "./saves-file.ts";

/**
 * What of these saves has one of the names in its own: databases with everything in them, else their records by the key, entries of localStorage by the key,
 * and files by the path. For hosts where several games share an origin, and engines share a database: Godot's /userfs has the files of all its games.
 */
export function onlyNamed({ databases, texts, files }: Saves, names: readonly string[]): Saves {
  const isNamed = (text: unknown) => typeof text === "string" && names.some((name) => text.includes(name));
  const namedRecords = (store: SavedStore) => ({ ...store, records: store.records.filter(([key]) => isNamed(key)) });
  const namedParts = (database: SavedDatabase) => {
    if (isNamed(database.name)) return [database];
    const stores = database.stores.map(namedRecords);
    return stores.some(({ records }) => records.length > 0) ? [{ ...database, stores }] : [];
  };
  return {
    databases: databases.flatMap(namedParts),
    texts: texts.filter(([key]) => isNamed(key)),
    files: files.filter(({ path }) => isNamed(path.join("/"))),
  };
}
