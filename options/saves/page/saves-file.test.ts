import { expect, test } from "@jest/globals";
import { Bytes, Writer } from "./encoding.ts";
import { makeSavesFile, readSavesFile, type Saves, SavesFileError } from "./saves-file.ts";

const madeAt = new Date("2026-11-30T05:00:00Z");
const none: Saves = { databases: [], texts: [], files: [] };
const saves: Saves = {
  databases: [
    {
      name: "/userfs",
      version: 21,
      stores: [
        {
          name: "FILE_DATA",
          keyPath: null,
          hasKeyGenerator: false,
          indexes: [{ name: "timestamp", keyPath: "timestamp", isUnique: false, isMultiEntry: false }],
          records: [
            ["/userfs/save.dat", { mode: 33_206, timestamp: new Date(7), contents: new Uint8Array([1, 2, 3]) }],
          ],
        },
        { name: "empty", keyPath: ["a", "b.c"], hasKeyGenerator: true, indexes: [], records: [] },
      ],
    },
  ],
  texts: [["RPG File1", "\ud800compressed"]],
  files: [
    { path: ["folder"], content: undefined },
    { path: ["folder", "game.sqlite3"], content: new Blob(["SQLite"]) },
  ],
};

const sizes = [
  { name: "/userfs: FILE_DATA", count: 1, sizeBytes: expect.any(Number) },
  { name: "/userfs: empty", count: 0, sizeBytes: 0 },
  { name: "Local storage", count: 1, sizeBytes: 40 },
  { name: "Files", count: 1, sizeBytes: 6 },
];

test("a file has all saves, and says where they are from, when it was made and how much there is", async () => {
  const { file, facts, leftOut } = await makeSavesFile(saves, "my-game.example", madeAt);
  expect(leftOut.size).toBe(0);
  expect(facts).toEqual({ host: "my-game.example", madeAt, places: sizes });
  const read = await readSavesFile(file);
  expect(read.facts).toEqual(facts);
  expect({ ...read.saves, files: [] }).toEqual({ ...saves, files: [] });
  expect(read.saves.files.map(({ path }) => path)).toEqual([["folder"], ["folder", "game.sqlite3"]]);
  expect(await read.saves.files[1]?.content?.text()).toBe("SQLite");
});

test("a record with a value that cannot leave the browser is left out, and counted by its kind", async () => {
  const key = { [Symbol.toStringTag]: "CryptoKey" };
  const [database] = saves.databases as [Saves["databases"][number]];
  const [store] = database.stores as [(typeof database.stores)[number]];
  const records = [["key", { key }], ...store.records, ["other", key]] as const;
  const made = await makeSavesFile(
    { ...saves, databases: [{ ...database, stores: [{ ...store, records }] }] },
    "a.example",
    madeAt,
  );
  expect([...made.leftOut]).toEqual([["CryptoKey", 2]]);
  expect((await readSavesFile(made.file)).saves.databases[0]?.stores[0]?.records).toEqual(store.records);
});

const made = async () => new Uint8Array(await (await makeSavesFile(saves, "a.example", madeAt)).file.arrayBuffer());
const changed = async (change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) =>
  new Blob([change(await made())]);
const withByte = (index: number, byte: number) =>
  changed((bytes) => {
    bytes[index < 0 ? bytes.length + index : index] = byte;
    return bytes;
  });

test.each([
  ["an empty file", "not_saves", async () => new Blob([])],
  ["a picture", "not_saves", async () => new Blob(["\x89PNG".padEnd(200, "x")])],
  ["one of a later version", "newer", () => withByte(16, 2)],
  ["one without its end", "cut", () => changed((bytes) => bytes.slice(0, -1))],
  ["one that was cut behind its head", "cut", () => changed((bytes) => bytes.slice(0, 60))],
  ["one with another byte", "changed", () => withByte(-1, 0x7a)],
  ["one with another digest", "changed", () => withByte(30, 0x7a)],
  ["one with something behind its end", "changed", () => changed((bytes) => new Uint8Array([...bytes, 0]))],
] as const)("%s is refused as %s", async (_, code, file) => {
  await expect(readSavesFile(await file())).rejects.toMatchObject({ name: "SavesFileError", code });
});

test("a file above 512 MiB is refused before it is read", async () => {
  const file = { size: 512 * 1024 ** 2 + 1, arrayBuffer: () => Promise.reject(new Error("It was read")) };
  await expect(readSavesFile(file as unknown as Blob)).rejects.toMatchObject({ code: "too_large" });
});

/** A file with a right head, whatever is in it. */
async function fileOf(root: unknown): Promise<Blob> {
  const writer = new Writer();
  writer.write(root);
  const body = new Blob([...writer.parts]);
  const head = new Uint8Array(await (await makeSavesFile(none, "a.example", madeAt)).file.slice(0, 60).arrayBuffer());
  new DataView(head.buffer).setFloat64(20, body.size, true);
  head.set(new Uint8Array(await crypto.subtle.digest("SHA-256", await body.arrayBuffer())), 28);
  return new Blob([head, body]);
}

const root = { host: "a.example", madeAt, ...none };
const store = { name: "s", keyPath: null, hasKeyGenerator: false, indexes: [], records: new Bytes([]) };
const database = { name: "d", version: 1, stores: [store] };
const index = { name: "i", keyPath: "k", isUnique: false, isMultiEntry: false };
const times = <Value>(count: number, of: (index: number) => Value) => Array.from({ length: count }, (_, at) => of(at));

test("a file that is made by hand as the page makes them is read", async () => {
  const full = {
    ...root,
    databases: [{ ...database, stores: times(1_000, (at) => ({ ...store, name: `${at}` })) }],
  };
  expect((await readSavesFile(await fileOf(full))).saves.databases[0]?.stores).toHaveLength(1_000);
});

test.each<[string, unknown]>([
  ["what is no object", [1]],
  ["no host", { ...root, host: 5 }],
  ["no time", { ...root, madeAt: "2026" }],
  ["a time that is none", { ...root, madeAt: new Date(Number.NaN) }],
  [
    "10,000 stores",
    { ...root, databases: [{ ...database, stores: times(10_000, (at) => ({ ...store, name: `${at}` })) }] },
  ],
  [
    "1,001 stores in two databases",
    {
      ...root,
      databases: ["a", "b"].map((name, at) => ({
        ...database,
        name,
        stores: times(500 + at, (place) => ({ ...store, name: `${place}` })),
      })),
    },
  ],
  ["101 databases", { ...root, databases: times(101, (at) => ({ ...database, name: `${at}` })) }],
  [
    "5,001 indexes",
    { ...root, databases: [{ ...database, stores: [{ ...store, indexes: times(5_001, () => index) }] }] },
  ],
  [
    "5,001 indexes in two stores",
    {
      ...root,
      databases: [{ ...database, stores: times(2, (at) => ({ ...store, indexes: times(2_500 + at, () => index) })) }],
    },
  ],
  ["two databases of one name", { ...root, databases: [database, database] }],
  ["a database of the page itself", { ...root, databases: [{ ...database, name: "svc-saves-copy" }] }],
  ["version 0", { ...root, databases: [{ ...database, version: 0 }] }],
  ["version 1.5", { ...root, databases: [{ ...database, version: 1.5 }] }],
  ["a version that is too large", { ...root, databases: [{ ...database, version: 2 ** 53 }] }],
  ["records that are no bytes", { ...root, databases: [{ ...database, stores: [{ ...store, records: [[1, 2]] }] }] }],
  [
    "a key without its value",
    { ...root, databases: [{ ...database, stores: [{ ...store, records: new Bytes([new Uint8Array([0x75])]) }] }] },
  ],
  ["a key path that is none", { ...root, databases: [{ ...database, stores: [{ ...store, keyPath: 5 }] }] }],
  ["a text that is a number", { ...root, texts: [["a", 5]] }],
  ["100,001 texts", { ...root, texts: times(100_001, (at) => [`${at}`, ""]) }],
  ["a file above its folder", { ...root, files: [{ path: ["..", "a"], content: new Blob([]) }] }],
  ["a file with a slash in its name", { ...root, files: [{ path: ["a/b"], content: new Blob([]) }] }],
  ["a file without a name", { ...root, files: [{ path: [], content: new Blob([]) }] }],
  ["a file that is a text", { ...root, files: [{ path: ["a"], content: "x" }] }],
])("a file with %s is refused", async (_, body) => {
  await expect(readSavesFile(await fileOf(body))).rejects.toMatchObject({ code: "invalid" });
});

test("something behind the saves is refused", async () => {
  const bytes = new Uint8Array(await (await fileOf(root)).slice(60).arrayBuffer());
  const body = new Uint8Array([...bytes, 0x75]);
  const head = new Uint8Array(await (await fileOf(root)).slice(0, 60).arrayBuffer());
  new DataView(head.buffer).setFloat64(20, body.length, true);
  head.set(new Uint8Array(await crypto.subtle.digest("SHA-256", body)), 28);
  const refusal = await readSavesFile(new Blob([head, body])).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SavesFileError);
  expect(refusal).toMatchObject({ code: "invalid" });
});
