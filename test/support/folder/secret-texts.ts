import { crc32 } from "node:zlib";

/*
 * Secrets as files have them. None was ever valid; they are put together here, so that no scanner finds them in this repository.
 */

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A token of this service with the right checksum. */
export function tokenOf(key: string, random: string): string {
  const body = `pat_${key}${random}`;
  let [rest, checksum] = [crc32(body), ""];
  for (let index = 0; index < 6; index += 1) {
    checksum = `${digits[rest % 62]}${checksum}`;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

const many = "k9Zq".repeat(20);
const line = many.slice(0, 64);

/** Secrets that a warning tells of, each with a text that has it. */
export const secretCases: readonly (readonly [words: string, text: string])[] = [
  ["a private key", `-----BEGIN ${"PRIVATE"} KEY-----\n${line}\n-----END`],
  ["a private key", `-----BEGIN ${"RSA PRIVATE"} KEY-----\\n${line}\\n`],
  ["a private key", `-----BEGIN ${"OPENSSH PRIVATE"} KEY-----" +\n  "${line}" +`],
  ["a private key", `-----BEGIN ${"PGP PRIVATE"} KEY BLOCK-----\r\n\r\n${line}`],
  ...["ghp", "gho", "ghs", "ghu", "ghr"].map((kind) => ["a token of GitHub", `${kind}_${many.slice(0, 36)}`] as const),
  ["a token of GitHub", `github_${"pat"}_${many.slice(0, 22)}_${many.slice(0, 59)}`],
  ["an access key of AWS", `AKIA${"QWER2345".repeat(2)}`],
  ["an access key of AWS", `ASIA${"QWER2345".repeat(2)}`],
  ["a token of npm", `npm_${many.slice(0, 36)}`],
  ["a token of Slack", `xoxb-${"1234567890"}-${many.slice(0, 24)}`],
  ["a token of Slack", `https://hooks.slack.com/services/${"T0ABC"}/${"B0ABC"}/${many.slice(0, 24)}`],
];
