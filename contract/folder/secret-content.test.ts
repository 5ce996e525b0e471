import { expect, test } from "@jest/globals";
import { secretCases, tokenOf } from "../../test/support/folder/secret-texts.ts";
import { packingOf, SecretScan } from "./secret-content.ts";
import { secretsIn } from "./secret-forms.ts";

/** The secrets found in a file that comes in pieces of this size. */
function foundIn(
  text: string,
  { path = "game.js", piece = 1_000_000, bytes = new TextEncoder().encode(text) as Uint8Array } = {},
) {
  const scan = new SecretScan({ path });
  for (let from = 0; from < bytes.length; from += piece) scan.update(bytes.subarray(from, from + piece));
  return scan.secrets();
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

test("a token is found in files of every kind", () => {
  for (const path of ["cover.png", "game.pck", "a.wasm", "read.me"])
    expect(foundIn(`\u0000ä${token}é`, { path })).toMatchObject({ token: masked });
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
  `{apiKey:"AI${"za"}SyA0123456789abcdefghijklmnopqrstuv",authDomain:"game.firebaseapp.com"}`,
  "postgres://user:password@localhost/game",
  "postgres://user:hunter22@localhost/game",
  ["mongodb://", "{user}:", "{password}@", "{host}"].join("$"),
  `e${"yJ"}hbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.${"k9Zq".repeat(10)}`,
  `sk_${"live"}_short`,
  "task-management-and-other-words-of-a-game",
  "CREATE TABLE words (word TEXT, score INTEGER)",
])("%s is no secret", (text) => {
  expect(foundIn(text)).toBeUndefined();
});

test("in pictures, and behind the first 4 MiB, nothing but tokens is looked for", () => {
  const text = secretCases[0]?.[1] ?? "";
  expect(foundIn(text, { path: "cover.png" })).toBeUndefined();
  const before = " ".repeat(5_000_000);
  expect(foundIn(before + text)).toBeUndefined();
  expect(foundIn(`${before} ${token}`)).toMatchObject({ token: masked });
});

test.each([1, 64, 129, 1_000])("in UTF-16 of both byte orders secrets are found in pieces of %i bytes", (piece) => {
  for (const text of [token, secretCases[4]?.[1] ?? ""]) {
    const little = Buffer.from(`\ufeff a_b = "${text}"`, "utf16le");
    const secrets = [little, Buffer.from(little).swap16()].map((bytes) => foundIn("", { piece, bytes }));
    expect(secrets).toEqual(
      Array(2).fill(text === token ? { token: masked, others: [] } : { others: ["a token of GitHub"] }),
    );
  }
});

test.each([
  ["a.js.gz", [0x1f, 0x8b], { encoding: "gzip", innerPath: "a.js" }],
  ["a.unityweb", [0x1f, 0x8b], { encoding: "gzip", innerPath: "a" }],
  ["a.bin", [0x1f, 0x8b], { encoding: "gzip", innerPath: "a.bin" }],
  ["a.js.br", [0x0b, 0x02], { encoding: "br", innerPath: "a.js" }],
  ["a.unityweb", [0x0b, 0x02], { encoding: "br", innerPath: "a" }],
  ["a.js.gz", [0x0b, 0x02], undefined],
  ["a.js", [], undefined],
])("%s with the bytes %j is packed as %j", (path, head, packing) => {
  expect(packingOf(path, new Uint8Array(head))).toEqual(packing);
});

/** Texts on which each form goes as far as it can without a match. */
const worst = [
  "-----BEGIN PRIVATE KEY-----\\n\\n",
  "Proc-Type: 4,ENCRYPTED",
  "eyJaaaaaaaaaaaaa.",
  "sk-proj-",
  "postgres://a:",
  "CREATE TABLE a(",
  "MDAwMDAw",
  "0123456789:AA",
  "aaaaaaaaaaaaaa.",
  "A",
];

test.each(worst)("64 KiB of %j are searched in linear time: with quadratic time it would be minutes", (text) => {
  const began = performance.now();
  secretsIn(new TextEncoder().encode(text.repeat((64 * 1024) / text.length)));
  expect(performance.now() - began).toBeLessThan(5_000);
});
