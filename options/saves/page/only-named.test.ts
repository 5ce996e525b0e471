import { expect, test } from "@jest/globals";
import { onlyNamed } from "./only-named.ts";
import type { SavedDatabase, Saves } from "./saves-file.ts";

const store = { name: "FILE_DATA", keyPath: null, hasKeyGenerator: false, indexes: [] };
const database = (name: string, ...keys: readonly unknown[]): SavedDatabase => ({
  ...{ name, version: 21 },
  stores: [
    { ...store, records: keys.map((key) => [key, 1]) },
    { ...store, name: "empty", records: [] },
  ],
});
const file = (...path: readonly string[]) => ({ path, content: new Blob([]) });

const saves: Saves = {
  databases: [
    database("my-game", "a", 2),
    database("/userfs", "/userfs", "/userfs/my-game", "/userfs/my-game/save", "/userfs/another/save", ["my-game"]),
    database("another", "b"),
  ],
  texts: [
    ["my-game:1", "1"],
    ["another", "my-game"],
  ],
  files: [file("my-game", "save"), file("saves", "my-game.sqlite3"), file("another")],
};

test("of an origin with several games only what is named is kept: databases, records, entries and files", () => {
  expect(onlyNamed(saves, ["my-game"])).toEqual({
    databases: [database("my-game", "a", 2), database("/userfs", "/userfs/my-game", "/userfs/my-game/save")],
    texts: [["my-game:1", "1"]],
    files: [file("my-game", "save"), file("saves", "my-game.sqlite3")],
  });
});

test("each of several names keeps what it names", () => {
  const { databases, texts } = onlyNamed(saves, ["another", "my-game:"]);
  expect(databases).toEqual([database("/userfs", "/userfs/another/save"), database("another", "b")]);
  expect(texts.map(([key]) => key)).toEqual(["my-game:1", "another"]);
});
