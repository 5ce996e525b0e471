import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, expect, test } from "@jest/globals";
import { mayHaveVariant } from "../../../contract/api/releases/manifest-rules.ts";
import { loadEncoder, variantOf } from "./brotli.ts";

beforeAll(async () => {
  const module = "../../../node_modules/brotli-wasm/pkg.web/brotli_wasm_bg.wasm";
  await loadEncoder(readFileSync(new URL(module, import.meta.url)));
});

function fileOf(path: string, bytes: Uint8Array<ArrayBuffer>) {
  const blob = new Blob([bytes]);
  return { path, size: blob.size, stream: () => blob.stream(), blob: async () => blob };
}

test.each(["game.js", "engine.wasm"])("a variant of %s is its bytes in Brotli", async (path) => {
  const bytes = new TextEncoder().encode(Array.from({ length: 300_000 }, (_, index) => `${index % 977} `).join(""));
  let compressed = 0;
  const variant = await variantOf(fileOf(path, bytes), (more) => {
    compressed += more;
  });
  const blob = await variant?.source.blob();
  const sent = Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer());
  expect(brotliDecompressSync(sent).equals(bytes)).toBe(true);
  expect(variant?.source.size).toBe(sent.length);
  expect(variant?.source.size).toBeLessThan(bytes.length / 20);
  expect(compressed).toBe(bytes.length);
});

test("a file of random bytes has no variant", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  expect(await variantOf(fileOf("save.bin", bytes), () => {})).toBeUndefined();
});

test.each([
  ["index.html", 1_023, false],
  ["index.html", 1_024, true],
  ["engine.wasm", 5_000, true],
  ["art.png", 5_000, false],
  ["game.data.br", 5_000, false],
])("%s of %i bytes: a candidate for a variant is %s", (path, size, expected) => {
  expect(mayHaveVariant({ path, size })).toBe(expected);
});
