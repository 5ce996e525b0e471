import { createHash, hash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FilePart } from "../sites/object-bytes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A response's bytes: in memory, or in a file of the cache's folder; `sha256` if it is the whole file, in hexadecimal digits. */
export type Body = Buffer | (FilePart & { readonly sha256?: string });

export const emptyBody = Buffer.alloc(0);
/** Longer bodies are in files. */
const inMemoryBytes = 256 * 1024;
/** What is dropped may be on its way to a viewer just now. */
const sentMilliseconds = 60_000;

export function lengthOf(body: Body): number {
  return Buffer.isBuffer(body) ? body.length : body.end - body.start;
}

/** The bytes from `start` to before `end` of a body. */
export function partOf(body: Body, start: number, end: number): Body {
  if (Buffer.isBuffer(body)) return body.subarray(start, end);
  return { path: body.path, start: body.start + start, end: body.start + end };
}

/** Whether a whole body has the SHA-256 with which its ETag begins (edge/frame.ts). An ETag that names none says nothing. */
export function isNamedBy(etag: string | undefined, body: Body): boolean {
  const named = /^"([0-9a-f]{64})[."]/.exec(etag ?? "")?.[1];
  return named === undefined || named === (Buffer.isBuffer(body) ? hash("sha256", body) : body.sha256);
}

/** Where a cache has the bytes of its responses. */
export class Bodies {
  #folder: Promise<string> | undefined;

  /** @throws Error if the bytes do not arrive whole; nothing is kept of them */
  async read(response: Response): Promise<Body> {
    const length = Number(response.headers.get("content-length") ?? 0);
    if (length <= inMemoryBytes || response.body === null) return Buffer.from(await response.arrayBuffer());
    this.#folder ??= temporaryFolder("edge");
    const path = join(await this.#folder, randomUUID());
    const digest = createHash("sha256");
    const hashed = async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        digest.update(piece);
        yield piece;
      }
    };
    try {
      await pipeline(Readable.fromWeb(response.body), hashed, createWriteStream(path, { flags: "wx" }));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { path, start: 0, end: length, sha256: digest.digest("hex") };
  }

  drop(body: Body): void {
    if (!Buffer.isBuffer(body)) setTimeout(() => void rm(body.path, { force: true }), sentMilliseconds).unref();
  }

  async stop(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}
