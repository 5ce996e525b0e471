/*
 * A personal access token is `pat_`, 22 characters of account key, 32 random characters and 6 characters of checksum:
 * 64 in all, so that a scanner finds it with one regular expression and anyone can refuse a mistyped one offline.
 */
export const base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const shape = /^pat_[0-9A-Za-z]{60}$/;
const checksumLength = 6;
/** Text that looks like a token, a mistyped one too. */
export const tokenLike = /pat_[0-9A-Za-z]{12,}/;

export const tokenPrefix = "pat_";
export const accountKeyLength = 22;
/** 62^32 is more than 2^190. */
export const tokenRandomLength = 32;

/** Writes a number of 0 or more in base62, most significant digit first, padded to `length` characters. Its order is that of the numbers. */
export function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = base62Digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}

/** CRC-32/ISO-HDLC of ASCII characters. Not Node's, because browsers find tokens in files too. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The base62 CRC32 of everything before it, the last six characters of a token. */
export function tokenChecksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength);
}

/** Tells without a request whether `text` can be a personal access token: prefix, length, alphabet and checksum fit. */
export function isWellFormedToken(text: string): boolean {
  return shape.test(text) && tokenChecksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The account key inside a well-formed token. */
export function accountKeyOf(token: string): string {
  return token.slice(tokenPrefix.length, tokenPrefix.length + accountKeyLength);
}

/** The last four characters. They belong to the checksum, so they tell nothing secret. */
export function tokenHint(token: string): string {
  return token.slice(-4);
}

/** Form of a token for people: `pat_…` and its hint. */
export function maskToken(token: string): string {
  return `${tokenPrefix}…${tokenHint(token)}`;
}
