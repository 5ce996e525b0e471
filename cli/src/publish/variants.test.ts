import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { expect, test } from "@jest/globals";
import type { Progress } from "./progress.ts";
import { openVariantCache, temporaryFolder } from "./variant-cache.ts";
import { VariantMaker } from "./variants.ts";

const silent: Progress = { start() {}, add() {}, end() {} };
const wasm = new URL("../../../node_modules/playwright-core/lib/webp_codec.wasm", import.meta.url);

const emptyCache = {
  read: () => [],
  write() {},
  makeFolder: temporaryFolder,
};

/** The length of the variant of a file with this name and content. */
async function variantBytes(name: string, content: Buffer): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "svc-variants-test-"));
  const variants = new VariantMaker({ cache: emptyCache, progress: silent, signal: new AbortController().signal });
  try {
    mkdirSync(join(folder, "game"));
    const location = join(folder, "game", name);
    writeFileSync(location, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const { size, mtimeMs } = statSync(location);
    return (await variants.of([{ path: name, location, size, mtimeMs, sha256 }])).get(sha256)?.size;
  } finally {
    variants.close();
    rmSync(folder, { recursive: true });
  }
}

test("WebAssembly is compressed with quality 9, other files with quality 5", async () => {
  const content = await readFile(wasm);
  const bytesOf = (quality: number) =>
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;
  const [usual, hard] = [await variantBytes("game.data", content), await variantBytes("GAME.wasm", content)];
  expect(hard).toBeLessThan(usual ?? 0);
  // Within a few bytes: a stream is compressed in other blocks than one buffer.
  expect(Math.abs((usual ?? 0) - bytesOf(5))).toBeLessThan(500);
  expect(Math.abs((hard ?? 0) - bytesOf(9))).toBeLessThan(500);
});

test("an interruption while a file is compressed is what stops it, and no error of streams", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-variants-test-"));
  const stop = new AbortController();
  const progress = { ...silent, add: () => stop.abort(new Error("Interrupted")) };
  const variants = new VariantMaker({ cache: emptyCache, progress, signal: stop.signal });
  try {
    const location = join(folder, "game.wasm");
    const content = await readFile(wasm);
    writeFileSync(location, content);
    const { size, mtimeMs } = statSync(location);
    const sha256 = createHash("sha256").update(content).digest("hex");
    await expect(variants.of([{ path: "game.wasm", location, size, mtimeMs, sha256 }])).rejects.toThrow("Interrupted");
  } finally {
    variants.close();
    rmSync(folder, { recursive: true });
  }
});

test("what was compressed before an interruption is neither compressed again nor lost, in another process too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-variants-test-"));
  const environment = { XDG_CACHE_HOME: join(folder, "cache") };
  mkdirSync(join(folder, "game"));
  const files = ["first.js", "second.js", "third.js"].map((path, index) => {
    const location = join(folder, "game", path);
    const content = `let ${path.slice(0, -3)} = 0;\n`.repeat(3_000 - 1_000 * index);
    writeFileSync(location, content);
    const { size, mtimeMs } = statSync(location);
    return { path, location, size, mtimeMs, sha256: createHash("sha256").update(content).digest("hex") };
  });
  const compressed: number[] = [];
  const progress = {
    ...silent,
    start: (_phase: string, { files: count }: { files: number }) => void compressed.push(count),
  };
  const make = (signal = new AbortController().signal, add = silent.add) =>
    new VariantMaker({
      cache: openVariantCache(join(folder, "game"), environment),
      progress: { ...progress, add },
      signal,
    });
  try {
    const stop = new AbortController();
    let done = 0;
    const interrupted = make(stop.signal, (tally: { files: number }) => {
      done += tally.files;
      if (done === 1) stop.abort(new Error("Interrupted"));
    });
    await expect(interrupted.of(files)).rejects.toThrow("Interrupted");
    interrupted.close({ isContinued: true });
    const caches = join(folder, "cache", "svc", "compressed");
    const [own = ""] = readdirSync(caches).filter((name) => name.endsWith(`.${process.pid}`));
    const { pid } = spawnSync(process.execPath, ["--version"]);
    renameSync(join(caches, own), join(caches, own.replace(/\d+$/, String(pid))));
    const next = make();
    const variants = await next.of(files);
    const sent = await next.toUpload(files, new Set([...variants.values()].map(({ sha256 }) => sha256)));
    expect(compressed).toEqual([3, 2]);
    expect(sent?.map(({ location }) => brotliDecompressSync(readFileSync(location)).toString())).toEqual(
      files.map(({ location }) => readFileSync(location, "utf8")),
    );
    // Of the copy: with the time of the original, each refusal of the store would be called a change of the copy.
    expect(sent?.map(({ mtimeMs }) => mtimeMs)).toEqual(sent?.map(({ location }) => statSync(location).mtimeMs));
    next.close();
    expect(readdirSync(caches).filter((name) => !name.endsWith(".json"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a process that is killed while it compresses has kept each large file that was compressed before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-variants-test-"));
  const cache = openVariantCache(folder, { XDG_CACHE_HOME: join(folder, "cache") });
  const files = [5, 3].map((mebibytes) => {
    const location = join(folder, `${mebibytes}.pck`);
    const content = Buffer.alloc(mebibytes * 1024 ** 2, "a game");
    writeFileSync(location, content);
    const { size, mtimeMs } = statSync(location);
    const sha256 = createHash("sha256").update(content).digest("hex");
    return { path: `${mebibytes}.pck`, location, size, mtimeMs, sha256 };
  });
  const kept: string[][] = [];
  const add = ({ files: done }: { files: number }) => void (done > 0 && kept.push(cache.read().map(([of]) => of)));
  const variants = new VariantMaker({ cache, progress: { ...silent, add }, signal: new AbortController().signal });
  try {
    for (const file of files) await variants.of([file]);
    // Small ones are kept at the end.
    expect(kept).toEqual([[files[0]?.sha256], [files[0]?.sha256]]);
  } finally {
    variants.close();
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["game.js", 1_024, true],
  ["game.js", 1_023, false],
  ["a.png", 5_000, false],
  // The game loads them as they are, whatever is in them.
  ["level.json.br", 5_000, false],
  ["level.json.gz", 5_000, false],
  ["icon.svgz", 5_000, false],
])("a file %s of %i bytes has a variant: %s", async (name, bytes, hasVariant) => {
  const size = await variantBytes(name, Buffer.alloc(bytes, "a"));
  expect(size !== undefined).toBe(hasVariant);
});
