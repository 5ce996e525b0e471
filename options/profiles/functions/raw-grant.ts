import { hashOfSecret, isHashOf } from "../../../functions/domain/secret-hash.ts";
import { randomBase62 } from "../../../functions/domain/tokens/raw-token.ts";
import { grantKey } from "../../../functions/table/keys.ts";

const prefix = "tgr_";
const shape = /^tgr_[0-9A-Za-z]{32}$/;

/** A telemetry grant's raw value, with more than 190 bits of randomness. Nothing prints it; only {@link reveal} returns it. */
export class RawGrant {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** Returns undefined for text that no grant is. */
  static parse(text: string): RawGrant | undefined {
    return shape.test(text) ? new RawGrant(text) : undefined;
  }

  static generate(): RawGrant {
    return new RawGrant(prefix + randomBase62(32));
  }

  /** Its key in the table. */
  get key(): string {
    return grantKey(this.#value);
  }

  /** SHA-256 of the raw value, base64: all that is stored of it. */
  get hash(): string {
    return hashOfSecret(this.#value).toString("base64");
  }

  /** Compares with a stored hash in constant time. */
  matches(storedHash: string): boolean {
    return isHashOf(storedHash, this.#value);
  }

  /** The secret itself, for the one response that carries it. */
  reveal(): string {
    return this.#value;
  }
}
