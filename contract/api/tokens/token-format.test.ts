import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyText } from "../../../test/support/any-text.ts";
import {
  accountKeyLength,
  accountKeyOf,
  base62,
  base62Digits,
  isWellFormedToken,
  maskToken,
  tokenChecksum,
  tokenHint,
  tokenPrefix,
  tokenRandomLength,
} from "./token-format.ts";

const digit = fc.constantFrom(...base62Digits);
const body = fc.string({
  unit: digit,
  minLength: accountKeyLength + tokenRandomLength,
  maxLength: accountKeyLength + tokenRandomLength,
});
const token = body.map((text) => tokenPrefix + text + tokenChecksum(tokenPrefix + text));

test("a token is 64 characters that one regular expression finds", () => {
  fc.assert(fc.property(token, (raw) => /^pat_[0-9A-Za-z]{60}$/.test(raw) && isWellFormedToken(raw)));
});

test("the checksum is the usual CRC-32", () => {
  // The check value of CRC-32/ISO-HDLC over "123456789" is cbf43926.
  expect(tokenChecksum("123456789")).toBe(base62(0xcbf43926n, 6));
});

test("any changed character makes a token malformed", () => {
  fc.assert(
    fc.property(token, fc.nat(59), digit, (raw, index, replacement) => {
      const at = tokenPrefix.length + index;
      fc.pre(raw[at] !== replacement);
      return !isWellFormedToken(raw.slice(0, at) + replacement + raw.slice(at + 1));
    }),
  );
});

test("a truncated, lengthened or differently prefixed token is malformed", () => {
  fc.assert(
    fc.property(token, fc.nat(63), digit, (raw, length, more) => {
      const variants = [raw.slice(0, length), raw + more, `${raw}\n`, ` ${raw}`, raw.replace("pat_", "PAT_")];
      return variants.every((variant) => !isWellFormedToken(variant));
    }),
  );
});

test("any text is checked without an exception", () => {
  fc.assert(fc.property(anyText(), (text) => isWellFormedToken(text) === false));
});

test("the account key is the first part of the body", () => {
  fc.assert(
    fc.property(token, (raw) => {
      expect(accountKeyOf(raw)).toHaveLength(accountKeyLength);
      return raw.startsWith(tokenPrefix + accountKeyOf(raw));
    }),
  );
});

test("a masked token shows four characters, all of them of the checksum", () => {
  fc.assert(
    fc.property(token, (raw) => {
      expect(maskToken(raw)).toBe(`pat_…${raw.slice(-4)}`);
      expect(tokenHint(raw)).toHaveLength(4);
    }),
  );
});

test("base62 keeps the order of numbers", () => {
  const number = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
  fc.assert(
    fc.property(
      number,
      number,
      (a, b) => Math.sign(compare(base62(a, 22), base62(b, 22))) === Math.sign(Number(a - b)),
    ),
  );
});

/** Order of sort keys in DynamoDB: by bytes. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
