import { createHash, type Hash } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { nameOfParts } from "../../../contract/parts.ts";

/**
 * Computes the name of a content: its SHA-256, or for a file that is sent in parts the name that its parts give
 * (contract/parts.ts).
 */
export class ContentHash {
  readonly #whole: Hash | undefined;
  readonly #parts: string[] = [];
  #part: Hash | undefined;
  #inPart = 0;
  #size = 0;

  /** @param size in bytes, where it is known: it saves one of two hashes */
  constructor(size?: number) {
    if (size === undefined || size <= limits.largeFileBytes) this.#whole = createHash("sha256");
    if (size === undefined || size > limits.largeFileBytes) this.#part = createHash("sha256");
  }

  update(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#whole?.update(chunk);
    for (let from = 0; this.#part !== undefined && from < chunk.length; ) {
      const some = chunk.subarray(from, from + limits.bytesPerPart - this.#inPart);
      this.#part.update(some);
      this.#inPart += some.length;
      from += some.length;
      if (this.#inPart === limits.bytesPerPart) this.#endPart(this.#part);
    }
  }

  /** The SHA-256 of each part of a file that is sent in parts; to be called once, at the end. */
  parts(): readonly string[] {
    if (this.#part !== undefined && this.#inPart > 0) this.#endPart(this.#part);
    return this.#parts;
  }

  /** In hexadecimal; to be called once, at the end. */
  digest(): string {
    return this.#whole !== undefined && this.#size <= limits.largeFileBytes
      ? this.#whole.digest("hex")
      : nameOfParts(this.parts());
  }

  #endPart(part: Hash): void {
    this.#parts.push(part.digest("hex"));
    this.#part = createHash("sha256");
    this.#inPart = 0;
  }
}
