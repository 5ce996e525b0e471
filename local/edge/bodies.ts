import { hash, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { ContentHash } from "../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../contract/folder/node-hashes.ts";
import type { Arrival, FilePart } from "../sites/object-bytes.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { FunctionFailure } from "./events.ts";

/** A response's bytes: in memory, or in a file of the cache's folder, which may still be written. */
export type Body = Buffer | (FilePart & { readonly arrival?: ArrivingFile });

export const emptyBody = Buffer.alloc(0);
/** Longer bodies are in files. */
const inMemoryBytes = 256 * 1024;
/** A body that is dropped may be on its way to a viewer just now. */
const sentMilliseconds = 60_000;

export function lengthOf(body: Body): number {
  return Buffer.isBuffer(body) ? body.length : body.end - body.start;
}

/** The bytes from `start` to before `end` of a body. */
export function partOf(body: Body, start: number, end: number): Body {
  if (Buffer.isBuffer(body)) return body.subarray(start, end);
  return { ...body, start: body.start + start, end: body.start + end };
}

/** Resolves when a body is there and right; undefined if it is in memory. */
export function wholeOf(body: Body): Promise<void> | undefined {
  return Buffer.isBuffer(body) ? undefined : body.arrival?.whole;
}

/** Body that is to be written into a file of the cache's folder. */
interface Arriving {
  readonly path: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Bytes. */
  readonly length: number;
  /** The name of its content in a manifest. */
  readonly sha256: string | undefined;
  /** The length of the parts in which it was sent to the store; its own length if it was not. */
  readonly bytesPerPart: number | undefined;
}

/** A file of the cache's folder, which is there only while it is written and if that ends well. */
class ArrivingFile implements Arrival {
  /** Resolves when the whole file is there and right. */
  readonly whole: Promise<void>;
  #sendable = 0;
  #more = Promise.withResolvers<void>();

  /** @param file open for writing, and empty */
  constructor(file: FileHandle, arriving: Arriving) {
    this.#more.promise.catch(() => undefined);
    this.whole = this.#write(file, arriving);
    // After those who wait for the whole: a viewer that tries again must not join what has just broken off.
    this.whole.catch((error) => setImmediate(() => this.#more.reject(error)));
  }

  async reach(position: number): Promise<void> {
    while (this.#sendable < position) await this.#more.promise;
  }

  async #write(file: FileHandle, { path, pieces, length, sha256, bytesPerPart }: Arriving): Promise<void> {
    const names = sha256 === undefined ? [] : possibleNames(length, bytesPerPart);
    let written = 0;
    try {
      for await (const piece of pieces) {
        for (const name of names) name.update(piece);
        await file.appendFile(piece);
        written += piece.length;
        this.#send(Math.min(written, length - 1));
      }
      assertNamed(names, sha256);
      this.#send(written);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  #send(position: number): void {
    const { resolve } = this.#more;
    this.#sendable = position;
    this.#more = Promise.withResolvers();
    this.#more.promise.catch(() => undefined);
    resolve();
  }
}

/**
 * Computes the names that bytes may have in a manifest: the one that their parts give, or the SHA-256 of the whole. A store that does not know
 * the parts says that there is one.
 */
function possibleNames(length: number, bytesPerPart = length) {
  const isInParts = bytesPerPart < length;
  const inParts = new ContentHash(nodeHashes, length, isInParts ? bytesPerPart : undefined);
  return isInParts ? [inParts] : [inParts, nodeHashes.sha256()];
}

function assertNamed(names: readonly { digest(): string }[], sha256: string | undefined): void {
  if (sha256 === undefined || names.some((name) => name.digest() === sha256)) return;
  throw new FunctionFailure(502, "The bucket's bytes are not those that their key names");
}

/** Storage for the bytes of a cache's responses. */
export class Bodies {
  #folder: Promise<string> | undefined;

  /**
   * A long body is there from its first bytes on, and no longer than it takes to see that it is not whole or not right.
   *
   * @param name what it is called in a manifest, and the length of the parts in which it was sent; undefined: nobody says
   * @throws FunctionFailure if a short body is not right
   * @throws Error if it does not arrive whole
   */
  async read(response: Response, name: Partial<Pick<Arriving, "sha256" | "bytesPerPart">> = {}): Promise<Body> {
    const { sha256, bytesPerPart } = name;
    const length = Number(response.headers.get("content-length") ?? 0);
    if (length <= inMemoryBytes || response.body === null) {
      const body = Buffer.from(await response.arrayBuffer());
      assertNamed([{ digest: () => hash("sha256", body) }], sha256);
      return body;
    }
    this.#folder ??= temporaryFolder("edge");
    const path = join(await this.#folder, randomUUID());
    const arrival = new ArrivingFile(await open(path, "ax"), {
      ...{ path, pieces: response.body, length, sha256, bytesPerPart },
    });
    return { path, start: 0, end: length, arrival };
  }

  drop(body: Body): void {
    if (!Buffer.isBuffer(body)) setTimeout(() => void rm(body.path, { force: true }), sentMilliseconds).unref();
  }

  async stop(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}
