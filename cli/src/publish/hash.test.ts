import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { secretCases, tokenOf } from "../../../test/support/folder/secret-texts.ts";
import { readFolder } from "./folder.ts";
import { hashAll, withUncompressed } from "./hash.ts";
import { manifestFiles } from "./manifest-files.ts";
import { type Progress, silent } from "./progress.ts";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "svc-hash-")), "game");
  mkdirSync(folder);
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);

/** Always with the same time of modification. */
function writeAtNoon(name: string, content: string): void {
  write(name, content);
  const noon = new Date("2026-01-01T12:00:00Z");
  utimesSync(join(folder, name), noon, noon);
}

const filesIn = async () =>
  (await readFolder(folder, () => "publish", { signal: new AbortController().signal, onFiles: () => {} })).files;

test("files of all sizes are hashed correctly", async () => {
  const contents = [0, 1, 262_143, 262_144, 262_145, 3_000_000, 16_777_216].map((size) => Buffer.alloc(size, "svc"));
  write("index.html", "");
  for (const [index, content] of contents.entries()) write(`${index}`, content);
  const hashed = await hashAll(await filesIn(), { progress: silent, signal: new AbortController().signal });
  const hashes = new Map(hashed.map(({ path, sha256 }) => [path, sha256]));
  for (const [index, content] of contents.entries())
    expect(hashes.get(`${index}`)).toBe(createHash("sha256").update(content).digest("hex"));
});

const hashedIn = async () => await hashAll(await filesIn(), { progress: silent, signal: new AbortController().signal });

test.each([
  ["a.js.gz", gzipSync],
  ["game.bin", gzipSync],
  ["a.js.br", brotliCompressSync],
  ["a.data.unityweb", brotliCompressSync],
] as const)("a token in %s, whose bytes are compressed, is found", async (name, compress) => {
  write("index.html", "");
  const token = tokenOf("k".repeat(22), "r".repeat(32));
  write(name, compress(`${"a".repeat(300_000)} const t = "${token}"`));
  await expect(hashedIn()).rejects.toMatchObject({
    code: "token_in_folder",
    places: [`${name}: contains the svc token pat_…${token.slice(-4)}`],
  });
});

test("other secrets are found in what is compressed, up to the first byte that cannot be unpacked", async () => {
  const [words, text] = secretCases[4] ?? ["", ""];
  write("index.html", "");
  write("a.js.gz", gzipSync(text));
  write("b.js.gz", gzipSync(text.repeat(999)).subarray(0, 60));
  write("c.js.br", text);
  write("d.js.br", "");
  const found = (await hashedIn()).map((file) => [file.path, file.found?.others]);
  expect(found).toEqual([
    ["a.js.gz", [words]],
    ["b.js.gz", [words]],
    ["c.js.br", undefined],
    ["d.js.br", undefined],
    ["index.html", undefined],
  ]);
});

test("pointers of Git LFS are refused", async () => {
  write("index.html", "");
  write("cover.png", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
  await expect(hashedIn()).rejects.toMatchObject({
    code: "lfs_pointers",
    places: ["cover.png: is a pointer of Git LFS, not the file"],
  });
});

test("what svc.toml leaves uncompressed has no Brotli copy, also if another file with the same bytes has one", async () => {
  write("index.html", "");
  for (const name of ["words.sqlite3", "words.json"]) write(name, "a".repeat(5_000));
  const files = withUncompressed(await hashedIn(), ["*.sqlite3"]);
  const copy = { size: 20, sha256: "c".repeat(64) };
  const copies = {
    variants: new Map(files.map(({ sha256 }) => [sha256, copy])),
    deltas: new Map(),
    indexes: new Map(),
  };
  const named = manifestFiles({ files, asStored: new Set() }, copies, undefined);
  expect(named.map(({ path, br }) => [path, br !== undefined])).toEqual([
    ["index.html", false],
    ["words.json", true],
    ["words.sqlite3", false],
  ]);
});

test("progress counts every file and every byte", async () => {
  write("index.html", "one");
  write("large", Buffer.alloc(17 * 1024 * 1024));
  const done = { files: 0, bytes: 0 };
  const progress: Progress = {
    start: (phase, total) => expect([phase, total]).toEqual(["Hashing", { files: 2, bytes: 17_825_795 }]),
    add: ({ files, bytes }) => Object.assign(done, { files: done.files + files, bytes: done.bytes + bytes }),
    end: () => expect(done).toEqual({ files: 2, bytes: 17_825_795 }),
  };
  await hashAll(await filesIn(), { progress, signal: new AbortController().signal });
  expect.assertions(2);
});

test("an interruption stops within a large file", async () => {
  write("index.html", Buffer.alloc(40 * 1024 * 1024));
  const stop = new AbortController();
  let read = 0;
  const add = ({ bytes }: { bytes: number }) => {
    read += bytes;
    if (read > 1024 * 1024) stop.abort(new Error("interrupted"));
  };
  const hashing = hashAll(await filesIn(), { progress: { ...silent, add }, signal: stop.signal });
  await expect(hashing).rejects.toThrow("interrupted");
  expect(read).toBeLessThan(20 * 1024 * 1024);
});

test.each<[string, () => void]>([
  ["longer, with the same time", () => writeAtNoon("index.html", "longer")],
  ["the same length, another time", () => write("index.html", "two")],
  ["removed", () => rmSync(join(folder, "index.html"))],
  [
    "a link to a file of the same size and time",
    () => {
      writeAtNoon("../secret", "two");
      rmSync(join(folder, "index.html"));
      symlinkSync("../secret", join(folder, "index.html"));
    },
  ],
])("hashing fails for a file that changed after the folder was read: %s", async (_, change) => {
  writeAtNoon("index.html", "one");
  const files = await filesIn();
  change();
  const hashing = hashAll(files, { progress: silent, signal: new AbortController().signal });
  await expect(hashing).rejects.toMatchObject({
    code: "folder_changes",
    places: ["index.html: changed while it was read"],
  });
});

test("files that cannot be read are named with the system's reason", async () => {
  write("index.html", "one");
  const files = await filesIn();
  rmSync(join(folder, "index.html"));
  mkdirSync(join(folder, "index.html"));
  const hashing = hashAll(files, { progress: silent, signal: new AbortController().signal });
  await expect(hashing).rejects.toMatchObject({
    code: "folder_unreadable",
    places: ["index.html: cannot be read: illegal operation on a directory (EISDIR)"],
  });
});
