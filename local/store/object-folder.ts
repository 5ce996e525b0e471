import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ByteRange } from "./byte-range.ts";
import { type Listing, type ListOptions, ObjectNames, objectSuffix } from "./object-names.ts";
import { refuseOverwriting, S3Error } from "./s3-error.ts";

/** An object that is stored. */
export interface StoredObject {
  readonly path: string;
  readonly size: number;
  readonly modified: Date;
  /** With its quotation marks. The hyphen says, as in S3's own of uploads in parts, that it is no MD5. */
  readonly etag: string;
}

/** Of a file beside an object's that has the length of its parts. */
const partsSuffix = ".parts";

/** The objects of a bucket, each in a file. Only this process writes to them. */
export class ObjectFolder {
  readonly path: string;
  readonly #names: ObjectNames;
  readonly #overwrites: boolean;
  readonly #onWritten: (key: string) => void;

  /**
   * @param overwrites whether an object may be replaced
   * @param onWritten is called with the key of an object that is complete
   */
  constructor(path: string, overwrites: boolean, onWritten: (key: string) => void = () => undefined) {
    this.path = path;
    this.#onWritten = onWritten;
    this.#names = new ObjectNames(path);
    this.#overwrites = overwrites;
  }

  /** @throws S3Error `NoSuchKey` */
  async find(key: string): Promise<StoredObject> {
    const path = this.#pathOf(key);
    const file = await stat(path).catch(() => undefined);
    if (file === undefined) throw new S3Error("NoSuchKey", "The specified key does not exist.");
    const { size, mtime, mtimeMs } = file;
    const etag = `"${Math.round(mtimeMs * 1_000).toString(16)}-${size}"`;
    return { path, size, modified: mtime, etag };
  }

  /**
   * Writes an object completely or not at all.
   *
   * @param write writes the bytes to this file
   * @param bytesPerPart of an upload in parts: {@link bytesPerPart}
   * @throws S3Error `PreconditionFailed` if it exists and may not be replaced
   */
  async write(key: string, write: (path: string) => Promise<unknown>, bytesPerPart?: number): Promise<StoredObject> {
    const path = this.#pathOf(key);
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.${randomUUID()}`;
    try {
      await write(temporary);
      if (bytesPerPart !== undefined) await writeFile(path + partsSuffix, String(bytesPerPart));
      await (this.#overwrites ? rename(temporary, path) : link(temporary, path).catch(refuseOverwriting));
    } finally {
      await rm(temporary, { force: true });
    }
    this.#names.objectWritten(path);
    this.#onWritten(key);
    return await this.find(key);
  }

  /** Its folder stays, because another object may be on its way into it. */
  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    this.#names.objectDeleted(path);
    await rm(path, { force: true });
    await rm(path + partsSuffix, { force: true });
  }

  /** Length of the first part of an object; undefined if it was not sent in parts, or to a version that did not keep it. */
  async bytesPerPart(key: string): Promise<number | undefined> {
    const text = await readFile(this.#pathOf(key) + partsSuffix, "utf8").catch(() => undefined);
    return text === undefined ? undefined : Number(text);
  }

  async list(options: ListOptions): Promise<Listing> {
    return await this.#names.list(options);
  }

  #pathOf(key: string): string {
    if (key.split("/").some((segment) => segment === "." || segment === ".."))
      throw new S3Error("InvalidArgument", "A key with a segment . or .. cannot be stored here");
    return join(this.path, key + objectSuffix);
  }
}

/** @param range undefined: all bytes */
export function readBytes({ path }: StoredObject, range: ByteRange | undefined): AsyncIterable<Buffer> {
  return createReadStream(path, range);
}
