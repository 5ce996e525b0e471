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
import { CopyMaker } from "../../../publisher/copies.ts";
import { type Progress, silent } from "../../../publisher/progress.ts";
import { type CopyFolder, openCopyFolder } from "./copy-folder.ts";
import { localFile } from "./local-file.ts";
import { nodePlatform } from "./node-platform.ts";

const wasm = new URL("../../../node_modules/playwright-core/lib/webp_codec.wasm", import.meta.url);
const { signal } = new AbortController();

function makerIn(store: CopyFolder, progress: Progress = silent, given = signal) {
  return new CopyMaker({ platform: nodePlatform, store, progress, signal: given });
}

/** A file in a folder, and its hash. */
function hashedFile(folder: string, name: string, content: Buffer | string) {
  const location = join(folder, name);
  writeFileSync(location, content);
  return { ...localFile(name, location), sha256: createHash("sha256").update(content).digest("hex") };
}

/** The length of the copy of a file with this name and content. */
async function copyBytes(name: string, content: Buffer): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "svc-copies-test-"));
  const store = openCopyFolder(undefined, {});
  try {
    const file = hashedFile(folder, name, content);
    return (await makerIn(store).of([file])).get(file.sha256)?.size;
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

test("WebAssembly is compressed with quality 9, other files with quality 5", async () => {
  const content = await readFile(wasm);
  const bytesOf = (quality: number) =>
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;
  const [usual, hard] = [await copyBytes("game.data", content), await copyBytes("GAME.wasm", content)];
  expect(hard).toBeLessThan(usual ?? 0);
  // Within a few bytes: a stream is compressed in other blocks than one buffer.
  expect(Math.abs((usual ?? 0) - bytesOf(5))).toBeLessThan(500);
  expect(Math.abs((hard ?? 0) - bytesOf(9))).toBeLessThan(500);
});

test("what was compressed before an interruption is neither compressed again nor lost, in another process too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-copies-test-"));
  const game = join(folder, "game");
  mkdirSync(game);
  const files = ["first.js", "second.js", "third.js"].map((path, index) =>
    hashedFile(game, path, `let ${path.slice(0, -3)} = 0;\n`.repeat(3_000 - 1_000 * index)),
  );
  const compressed: number[] = [];
  const start = (_phase: string, { files: count }: { files: number }) => void compressed.push(count);
  const open = () => openCopyFolder(game, { XDG_CACHE_HOME: join(folder, "cache") });
  try {
    const stop = new AbortController();
    let done = 0;
    const add = (tally: { files: number }) => {
      done += tally.files;
      if (done === 1) stop.abort(new Error("Interrupted"));
    };
    const before = open();
    const interrupted = makerIn(before, { ...silent, start, add }, stop.signal);
    await expect(interrupted.of(files)).rejects.toThrow("Interrupted");
    before.close({ isContinued: true });
    const caches = join(folder, "cache", "svc", "compressed");
    const [own = ""] = readdirSync(caches).filter((name) => name.endsWith(`.${process.pid}`));
    const { pid } = spawnSync(process.execPath, ["--version"]);
    renameSync(join(caches, own), join(caches, own.replace(/\d+$/, String(pid))));
    const store = open();
    const next = makerIn(store, { ...silent, start });
    const copies = await next.of(files);
    const sent = await next.toUpload(files, new Set([...copies.values()].map(({ sha256 }) => sha256)));
    expect(compressed).toEqual([3, 2]);
    expect(sent?.map(({ location }) => brotliDecompressSync(readFileSync(location)).toString())).toEqual(
      files.map(({ location }) => readFileSync(location, "utf8")),
    );
    // Of the copy: with the time of the original, each refusal of the store would be called a change of the copy.
    expect(sent?.map(({ mtimeMs }) => mtimeMs)).toEqual(sent?.map(({ location }) => statSync(location).mtimeMs));
    store.close();
    expect(readdirSync(caches).filter((name) => !name.endsWith(".json"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a process that is killed while it compresses has kept each large file that was compressed before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-copies-test-"));
  const store = openCopyFolder(folder, { XDG_CACHE_HOME: join(folder, "cache") });
  const files = [5, 3].map((mebibytes) =>
    hashedFile(folder, `${mebibytes}.pck`, Buffer.alloc(mebibytes * 1024 ** 2, "a game")),
  );
  const kept: string[][] = [];
  const add = ({ files: done }: { files: number }) => void (done > 0 && kept.push([...store.read().keys()]));
  const maker = makerIn(store, { ...silent, add });
  try {
    for (const file of files) await maker.of([file]);
    // Small ones are kept at the end.
    expect(kept).toEqual([[files[0]?.sha256], [files[0]?.sha256]]);
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
});

test("of a copy that only the cache knows, the bytes are made when they are sent, or are found to be others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-copies-test-"));
  const open = () => openCopyFolder(folder, { XDG_CACHE_HOME: join(folder, "cache") });
  const file = hashedFile(folder, "a.js", "let a;".repeat(1_000));
  try {
    const first = open();
    const [copy] = (await makerIn(first).of([file])).values();
    first.close();
    const [again, wanted] = [open(), new Set([copy?.sha256 ?? ""])];
    const sent = await makerIn(again).toUpload([file], wanted);
    expect(sent).toEqual([expect.objectContaining({ ...copy, path: "a.js (Brotli)" })]);
    again.close();
    // As if another version of Brotli had made it.
    const other = { size: 40, sha256: "c".repeat(64) };
    const changed = open();
    changed.write(new Map([[file.sha256, other]]));
    const maker = makerIn(changed);
    expect(await maker.toUpload([file], new Set([other.sha256]))).toBeUndefined();
    expect([...(await maker.of([file])).values()]).toEqual([copy]);
    changed.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
