import { limits } from "../api/limits.ts";

/*
 * The name of a file's content in a manifest, for everything that publishes (docs/decisions/0059-large-files-in-parts.md). It takes
 * its hash functions, because Node and browsers have different ones.
 */

export interface HashFunctions {
  /** Begins a SHA-256; `digest` ends it, in lower-case hexadecimal. */
  sha256(): { update(chunk: Uint8Array): unknown; digest(): string };
  /** In lower-case hexadecimal. */
  sha512(bytes: Uint8Array): string;
}

/** The name of these bytes in a manifest, which are all of a file. */
export function nameOfContent(bytes: Uint8Array, functions: HashFunctions): string {
  const hash = new ContentHash(functions, bytes.length);
  hash.update(bytes);
  return hash.digest();
}

/** Whether a file of so many bytes is sent in parts, so that its upload can go on after an interruption. */
export function isSentInParts(size: number): boolean {
  return size > limits.largeFileBytes;
}

/** The lengths of a file's parts, in their order: all of one length but the last. */
export function partSizes(size: number, bytesPerPart: number = limits.bytesPerPart): number[] {
  return Array.from({ length: Math.ceil(size / bytesPerPart) }, (_, index) =>
    Math.min(bytesPerPart, size - index * bytesPerPart),
  );
}

/** The name of a file that is sent in parts, from their SHA-256s in hexadecimal. */
export function nameFrom(parts: readonly string[], sha512: HashFunctions["sha512"]): string {
  const bytes = parts.join("").match(/../g) ?? [];
  return sha512(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16))).slice(0, 64);
}

/** Computes the name of a content piece by piece: its SHA-256, or for a file that is sent in parts the name that these give. */
export class ContentHash {
  readonly #functions: HashFunctions;
  readonly #bytesPerPart: number;
  readonly #whole: ReturnType<HashFunctions["sha256"]> | undefined;
  readonly #parts: string[] = [];
  #part: ReturnType<HashFunctions["sha256"]> | undefined;
  #inPart = 0;
  #size = 0;

  /**
   * @param size in bytes, if it is known: it saves one of two hashes
   * @param bytesPerPart as the upload said it
   */
  constructor(functions: HashFunctions, size?: number, bytesPerPart: number = limits.bytesPerPart) {
    this.#functions = functions;
    this.#bytesPerPart = bytesPerPart;
    if (size === undefined || !isSentInParts(size)) this.#whole = functions.sha256();
    if (size === undefined || isSentInParts(size)) this.#part = functions.sha256();
  }

  update(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#whole?.update(chunk);
    for (let from = 0; this.#part !== undefined && from < chunk.length; ) {
      const some = chunk.subarray(from, from + this.#bytesPerPart - this.#inPart);
      this.#part.update(some);
      this.#inPart += some.length;
      from += some.length;
      if (this.#inPart === this.#bytesPerPart) this.#endPart(this.#part);
    }
  }

  /** The SHA-256 of each part of a file that is sent in parts, at the end. */
  parts(): readonly string[] {
    if (this.#part !== undefined && this.#inPart > 0) this.#endPart(this.#part);
    return this.#parts;
  }

  /** In hexadecimal; to be called once, at the end. */
  digest(): string {
    return this.#whole !== undefined && !isSentInParts(this.#size)
      ? this.#whole.digest()
      : nameFrom(this.parts(), this.#functions.sha512);
  }

  #endPart(part: ReturnType<HashFunctions["sha256"]>): void {
    this.#parts.push(part.digest());
    this.#part = this.#functions.sha256();
    this.#inPart = 0;
  }
}
