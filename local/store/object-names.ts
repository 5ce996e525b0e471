import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

export interface ListOptions {
  readonly prefix: string;
  /** Keys after this one are listed. */
  readonly after: string;
  /** Keys and common prefixes after this one are listed: the last one of the page before. */
  readonly continuesAfter: string;
  readonly maxKeys: number;
  /** Keys that have it after the prefix are listed as common prefixes, up to it; empty: none are. */
  readonly delimiter: string;
}

export interface Listing {
  readonly keys: readonly string[];
  readonly commonPrefixes: readonly string[];
  /** The last key or common prefix, if there are more; undefined: there are no more. */
  readonly continuesAfter: string | undefined;
}

/** The suffix of a file that has an object's bytes: a key may be the beginning of another one. Folders of earlier versions have it. */
export const objectSuffix = "._S3rver_object";

/** Cached names of objects, by folder. A folder is read again after a write, because reading the names of 20,000 objects takes long. */
export class ObjectNames {
  readonly #directory: string;
  readonly #names = new Map<string, Promise<readonly string[]>>();
  /** Paths of deleted objects, which may be among the cached names. */
  readonly #deleted = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Call this after an object was written to this path. */
  objectWritten(objectPath: string): void {
    this.#deleted.delete(objectPath);
    for (let folder = dirname(objectPath); folder.length >= this.#directory.length; folder = dirname(folder))
      this.#names.delete(folder);
  }

  /** Call this before the object at this path is deleted. Its folder is not read again. */
  objectDeleted(objectPath: string): void {
    this.#deleted.add(objectPath);
  }

  /** Lists the objects whose keys begin with `prefix`, in the order of their keys. */
  async list({ prefix, after, continuesAfter, maxKeys, delimiter }: ListOptions): Promise<Listing> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const keys = (await this.#namesBelow(folder)).map((name) => folder + name);
    const wanted = keys.filter((key) => key.startsWith(prefix) && key > after && !this.#isDeleted(key));
    const entries = [...new Set(wanted.map((key) => commonPrefix(key, prefix, delimiter) ?? key))];
    const left = entries.filter((entry) => entry > continuesAfter);
    const page = left.slice(0, maxKeys);
    const isPrefix = (entry: string) => commonPrefix(entry, prefix, delimiter) !== undefined;
    return {
      keys: page.filter((entry) => !isPrefix(entry)),
      commonPrefixes: page.filter(isPrefix),
      continuesAfter: left.length > page.length ? page.at(-1) : undefined,
    };
  }

  #isDeleted(key: string): boolean {
    return this.#deleted.has(join(this.#directory, key + objectSuffix));
  }

  #namesBelow(folder: string): Promise<readonly string[]> {
    // Without a slash at the end, as in `objectWritten`.
    const path = join(this.#directory, folder, ".");
    const names = this.#names.get(path) ?? objectNames(path);
    this.#names.set(path, names);
    return names;
  }
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

async function objectNames(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files
    .filter((file) => file.endsWith(objectSuffix))
    .map((file) => file.slice(0, -objectSuffix.length).replaceAll(sep, "/"))
    .sort();
}
