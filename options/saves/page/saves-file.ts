import { Bytes, NotMovable, NotReadable, Reader, Writer } from "./encoding.ts";

/*
 * The file with everything that a game keeps in a browser.
 */

export interface SavedIndex {
  readonly name: string;
  readonly keyPath: string | readonly string[];
  readonly isUnique: boolean;
  readonly isMultiEntry: boolean;
}

export type SavedRecord = readonly [key: unknown, value: unknown];

export interface SavedStore {
  readonly name: string;
  /** Null: keys are not in the values. */
  readonly keyPath: string | readonly string[] | null;
  readonly hasKeyGenerator: boolean;
  readonly indexes: readonly SavedIndex[];
  readonly records: readonly SavedRecord[];
}

export interface SavedDatabase {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly SavedStore[];
}

/** A file of the origin private file system, or a folder if it has no content. */
export interface SavedFile {
  readonly path: readonly string[];
  readonly content: Blob | undefined;
}

/** Everything that an origin keeps, apart from cookies, caches and workers. */
export interface Saves {
  readonly databases: readonly SavedDatabase[];
  /** The entries of localStorage. */
  readonly texts: readonly (readonly [key: string, value: string])[];
  readonly files: readonly SavedFile[];
}

/** What a file says about itself. */
export interface SavesFacts {
  /** The host of the game whose saves they are. */
  readonly host: string;
  readonly madeAt: Date;
  /** The places that have something, each with its size in bytes. */
  readonly places: readonly SavedPlace[];
}

export interface SavedPlace {
  readonly name: string;
  readonly count: number;
  readonly sizeBytes: number;
}

export interface SavesFile {
  readonly facts: SavesFacts;
  readonly saves: Saves;
}

export interface MadeSavesFile {
  readonly facts: SavesFacts;
  readonly file: Blob;
  /** Kinds of values that cannot leave the browser, and how many records are not in the file for that reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

export type SavesFileProblem = "not_saves" | "newer" | "cut" | "changed" | "too_large" | "invalid";

/** A file that is not taken. Its message is for a person. */
export class SavesFileError extends Error {
  override readonly name = "SavesFileError";
  readonly code: SavesFileProblem;

  constructor(code: SavesFileProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const beginning = new TextEncoder().encode("svc saved games\n");
const version = 1;
const lengthAt = beginning.length + 4;
const digestAt = lengthAt + 8;
const bodyAt = digestAt + 32;

/** A file is in memory as a whole, on phones too. */
const maxFileBytes = 512 * 1024 ** 2;
/** Each of them costs a browser far more than its bytes. */
const maxCounts = { databases: 100, stores: 1_000, indexes: 5_000, texts: 100_000, files: 100_000 };

/**
 * The file of these saves. Records with a value that cannot leave the browser are left out of it.
 *
 * @throws SavesFileError `too_large` above 512 MiB
 */
export async function makeSavesFile(saves: Saves, host: string, madeAt: Date): Promise<MadeSavesFile> {
  const leftOut = new Map<string, number>();
  const databases = saves.databases.map((database) => ({
    ...database,
    stores: database.stores.map((store) => ({ ...store, records: new Bytes(partsOf(store.records, leftOut)) })),
  }));
  const writer = new Writer();
  writer.write({ host, madeAt, ...saves, databases });
  const body = new Blob([...writer.parts]);
  if (body.size > maxFileBytes - bodyAt)
    throw new SavesFileError("too_large", "This game keeps more than 512 MB here, which is too much for one file.");
  const head = new Uint8Array(digestAt);
  head.set(beginning);
  const view = new DataView(head.buffer);
  view.setUint32(beginning.length, version, true);
  view.setFloat64(lengthAt, body.size, true);
  const digest = await sha256(await body.arrayBuffer());
  const places = databases.flatMap(({ name, stores }) =>
    stores.map((store, index) => ({
      name: `${name}: ${store.name}`,
      count: saves.databases.find((each) => each.name === name)?.stores[index]?.records.length ?? 0,
      sizeBytes: store.records.size,
    })),
  );
  const facts = { host, madeAt, places: [...places, ...otherPlaces(saves)] };
  return { facts, file: new Blob([head, digest, body], { type: "application/octet-stream" }), leftOut };
}

function partsOf(records: readonly SavedRecord[], leftOut: Map<string, number>) {
  return records.flatMap((record) => {
    const writer = new Writer(256);
    try {
      for (const part of record) writer.write(part);
    } catch (error) {
      if (!(error instanceof NotMovable)) throw error;
      leftOut.set(error.message, (leftOut.get(error.message) ?? 0) + 1);
      return [];
    }
    return [...writer.parts];
  });
}

function otherPlaces({ texts, files }: Saves): SavedPlace[] {
  const textBytes = texts.reduce((sum, [key, value]) => sum + 2 * (key.length + value.length), 0);
  const fileBytes = files.reduce((sum, { content }) => sum + (content?.size ?? 0), 0);
  return [
    { name: "Local storage", count: texts.length, sizeBytes: textBytes },
    { name: "Files", count: files.filter(({ content }) => content !== undefined).length, sizeBytes: fileBytes },
  ].filter(({ count }) => count > 0);
}

/**
 * What a file has, all of it checked: whatever it is made of, nothing of it is used before.
 *
 * @throws SavesFileError
 */
export async function readSavesFile(file: Blob): Promise<SavesFile> {
  if (file.size > maxFileBytes) throw new SavesFileError("too_large", "This file is larger than 512 MB.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length < bodyAt || beginning.some((byte, index) => bytes[index] !== byte))
    throw new SavesFileError("not_saves", "This is no file with saved games.");
  const view = new DataView(bytes.buffer);
  if (view.getUint32(beginning.length, true) !== version)
    throw new SavesFileError("newer", "This file was made by a newer version of this page.");
  const length = view.getFloat64(lengthAt, true);
  if (length > bytes.length - bodyAt)
    throw new SavesFileError("cut", "The end of this file is missing. Copy or download it once more.");
  const body = bytes.subarray(bodyAt);
  const digest = await sha256(body);
  if (length !== body.length || digest.some((byte, index) => bytes[digestAt + index] !== byte))
    throw new SavesFileError("changed", "This file is damaged: it is not as it was made.");
  try {
    return savesFileOf(body);
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    throw new SavesFileError("invalid", "This file has something in it that no game keeps.", { cause: error });
  }
}

async function sha256(bytes: BufferSource): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function savesFileOf(body: Uint8Array<ArrayBuffer>): SavesFile {
  const reader = new Reader(body);
  const root = membersOf(reader.read());
  mustBe(reader.isAtEnd);
  const { host, madeAt } = root;
  mustBe(typeof host === "string" && isDate(madeAt));
  const places: SavedPlace[] = [];
  const databases = listOf(root["databases"], maxCounts.databases).map((each) => databaseOf(membersOf(each), places));
  mustBe(new Set(databases.map(({ name }) => name)).size === databases.length);
  const stores = databases.flatMap((database) => database.stores);
  mustBe(stores.length <= maxCounts.stores);
  mustBe(stores.flatMap(({ indexes }) => indexes).length <= maxCounts.indexes);
  const texts = listOf(root["texts"], maxCounts.texts).map((each) => {
    const [key, value] = listOf(each, 2);
    return [textOf(key), textOf(value)] as const;
  });
  const saves = { databases, texts, files: listOf(root["files"], maxCounts.files).map(fileOf) };
  const facts = { host: String(host), madeAt: madeAt as Date, places: [...places, ...otherPlaces(saves)] };
  return { facts, saves };
}

function databaseOf(members: Members, places: SavedPlace[]): SavedDatabase {
  const name = textOf(members["name"]);
  const number = Number(members["version"]);
  mustBe(Number.isSafeInteger(number) && number >= 1 && !name.startsWith(ownDatabases));
  const stores = listOf(members["stores"], maxCounts.stores).map((each) => {
    const store = membersOf(each);
    const records = recordsOf(store["records"]);
    const storeName = textOf(store["name"]);
    const sizeBytes = (store["records"] as ArrayBuffer).byteLength;
    places.push({ name: `${name}: ${storeName}`, count: records.length, sizeBytes });
    return {
      name: storeName,
      keyPath: store["keyPath"] === null ? null : keyPathOf(store["keyPath"]),
      hasKeyGenerator: store["hasKeyGenerator"] === true,
      indexes: listOf(store["indexes"], maxCounts.indexes).map(indexOf),
      records,
    };
  });
  return { name, version: number, stores };
}

/** Databases of the page itself begin so. They are in no file. */
export const ownDatabases = "svc-saves-";

function recordsOf(value: unknown): SavedRecord[] {
  mustBe(Object.prototype.toString.call(value) === "[object ArrayBuffer]");
  const reader = new Reader(new Uint8Array(value as ArrayBuffer));
  const records: SavedRecord[] = [];
  while (!reader.isAtEnd) records.push([reader.read(), reader.read()]);
  return records;
}

function indexOf(value: unknown): SavedIndex {
  const { name, keyPath, isUnique, isMultiEntry } = membersOf(value);
  return {
    name: textOf(name),
    keyPath: keyPathOf(keyPath),
    isUnique: isUnique === true,
    isMultiEntry: isMultiEntry === true,
  };
}

function keyPathOf(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? listOf(value, maxCounts.indexes).map(textOf) : textOf(value);
}

function fileOf(value: unknown): SavedFile {
  const { path, content } = membersOf(value);
  const names = listOf(path, 100).map(textOf);
  // As the file system's own API refuses them (https://fs.spec.whatwg.org/#valid-file-name).
  mustBe(names.length > 0 && names.every((name) => name !== "" && !/^\.{1,2}$|[\\/]/.test(name)));
  mustBe(content === undefined || /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(content)));
  return { path: names, content: content as Blob | undefined };
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  mustBe(Object.prototype.toString.call(value) === "[object Object]");
  return value as Members;
}

function listOf(value: unknown, maxLength: number): readonly unknown[] {
  mustBe(Array.isArray(value) && value.length <= maxLength);
  return value as readonly unknown[];
}

function textOf(value: unknown): string {
  mustBe(typeof value === "string");
  return value as string;
}

function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Date]" && !Number.isNaN(Number(value));
}

function mustBe(isRight: boolean): void {
  if (!isRight) throw new NotReadable("It is not made as such a file is");
}
