import { randomBytes } from "node:crypto";
import {
  accountKeyOf,
  base62Digits,
  isWellFormedToken,
  tokenChecksum,
  tokenHint,
  tokenPrefix,
  tokenRandomLength,
} from "../../../contract/api/tokens/token-format.ts";
import { hashOfSecret, isHashOf } from "../secret-hash.ts";

/** A personal access token's raw value. Nothing prints it, because its field is private; only {@link reveal} returns it. */
export class RawToken {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** Returns undefined for text whose prefix, length or checksum is wrong. */
  static parse(text: string): RawToken | undefined {
    return isWellFormedToken(text) ? new RawToken(text) : undefined;
  }

  /** A new token of an account, with more than 190 bits of randomness. */
  static generate(accountKey: string): RawToken {
    const body = tokenPrefix + accountKey + randomBase62(tokenRandomLength);
    return new RawToken(body + tokenChecksum(body));
  }

  get accountKey(): string {
    return accountKeyOf(this.#value);
  }

  /** The last four characters, which are not secret. */
  get hint(): string {
    return tokenHint(this.#value);
  }

  /** SHA-256 of the raw value: all that is stored of it. */
  get hash(): Buffer {
    return hashOfSecret(this.#value);
  }

  /** Compares with a stored hash (base64) in constant time. */
  matches(storedHash: string): boolean {
    return isHashOf(storedHash, this.#value);
  }

  /** The secret itself, for the one response that carries it. */
  reveal(): string {
    return this.#value;
  }
}

/** Random digits. Every one is equally likely: bytes that would favour some digits are not used. */
export function randomBase62(length: number): string {
  const unbiased = 256 - (256 % base62Digits.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length))
      if (byte < unbiased && text.length < length) text += base62Digits.charAt(byte % base62Digits.length);
  }
  return text;
}
