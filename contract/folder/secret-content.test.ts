import { expect, test } from "@jest/globals";
import { secretCases, tokenOf } from "../../test/support/folder/secret-texts.ts";
import { SecretScan } from "./secret-content.ts";

/** The secrets found in a file that comes in pieces of this size. */
function foundIn(text: string, { path = "game.js", piece = 1_000_000, size = text.length } = {}) {
  const scan = new SecretScan({ path, size });
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += piece) scan.update(bytes.subarray(from, from + piece));
  return scan.found();
}

const token = tokenOf("0123456789abcdefghijkl", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef");
const masked = `pat_…${token.slice(-4)}`;

test.each([1, 7, 63, 64, 65, 1_000])(
  "a token is found in pieces of %i bytes, also behind others of its form",
  (piece) => {
    const text = `a_b = "pat_${"0".repeat(60)}"; const t = "${token}"; pat_`;
    expect(foundIn(text, { piece })).toEqual({ token: masked, others: [] });
  },
);

test("a token is found in files of every kind and size", () => {
  for (const path of ["cover.png", "game.pck", "a.wasm", "read.me"])
    expect(foundIn(`\u0000ä${token}é`, { path, size: 500_000_000 })).toMatchObject({ token: masked });
});

test.each([
  token.slice(0, -1),
  `${token.slice(0, -1)}!`,
  token.replace("0", "1"),
  token.toUpperCase(),
  `pat-${token.slice(4)}`,
])("%s is no token", (text) => {
  expect(foundIn(text)).toBeUndefined();
});

test.each(secretCases)("%s is found, in pieces too", (words, text) => {
  for (const piece of [1, 50, 1_000_000])
    expect(foundIn(`const a = "${text}";`, { piece })).toEqual({ others: [words] });
});

test.each([
  'if (pem.startsWith("-----BEGIN PRIVATE KEY-----")) read(pem);',
  '"-----BEGIN PUBLIC KEY-----\\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyXcqLI0wZ6"',
  "AKIAIOSFODNN7EXAMPLE",
  "data:font/woff2;base64,AKIAABCDEFGHIJKLMNOPQRSTUVWXYZ",
  "npm_config_registry",
  "ghp_short",
  "xoxb-",
  "https://hooks.slack.com/services/",
])("%s is no secret", (text) => {
  expect(foundIn(text)).toBeUndefined();
});

test("in pictures, and in what is larger than a text of a game, nothing but tokens is looked for", () => {
  const text = secretCases[0]?.[1] ?? "";
  expect(foundIn(text, { path: "cover.png" })).toBeUndefined();
  expect(foundIn(text, { size: 4 * 1024 * 1024 + 1 })).toBeUndefined();
});
