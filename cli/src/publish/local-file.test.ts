import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type ReadOptions, withFacts } from "../../../publisher/facts.ts";
import { type Progress, silent } from "../../../publisher/progress.ts";
import { beginningOf } from "../../../publisher/source.ts";
import { readFolder } from "./folder.ts";
import type { LocalFile } from "./local-file.ts";
import { nodePlatform } from "./node-platform.ts";

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

const { signal } = new AbortController();
const filesIn = async () => (await readFolder(folder, () => "publish", { signal, onFiles: () => {} })).files;
const read = async (files: readonly LocalFile[], options: Partial<ReadOptions> = {}) =>
  await withFacts(files, { platform: nodePlatform, progress: silent, signal, ...options });

test("files of all sizes are hashed correctly", async () => {
  const contents = [0, 1, 262_143, 262_144, 262_145, 3_000_000, 16_777_216].map((size) => Buffer.alloc(size, "svc"));
  write("index.html", "");
  for (const [index, content] of contents.entries()) write(`${index}`, content);
  const hashes = new Map((await read(await filesIn())).map(({ path, sha256 }) => [path, sha256]));
  for (const [index, content] of contents.entries())
    expect(hashes.get(`${index}`)).toBe(createHash("sha256").update(content).digest("hex"));
});

test("a file that is read in part is closed", async () => {
  write("index.html", Buffer.alloc(1_000_000, "svc"));
  const [file] = await filesIn();
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let times = 0; times < 20; times += 1) expect(await beginningOf(file, 300_000)).toHaveLength(524_288);
  expect(open()).toBeLessThan(before + 10);
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
  await read(await filesIn(), { progress });
  expect.assertions(2);
});

test("an interruption stops within a large file", async () => {
  write("index.html", Buffer.alloc(40 * 1024 * 1024));
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("interrupted")), 1);
  let bytesRead = 0;
  const add = ({ bytes }: { bytes: number }) => {
    bytesRead += bytes;
  };
  const hashing = read(await filesIn(), { progress: { ...silent, add }, signal: stop.signal });
  await expect(hashing).rejects.toThrow("interrupted");
  expect(bytesRead).toBeLessThan(20 * 1024 * 1024);
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
  const hashing = read(files);
  await expect(hashing).rejects.toMatchObject({
    reason: { code: "folder_changes" },
    places: ["index.html: changed while it was read"],
  });
});

test("files that cannot be read are named with the system's reason", async () => {
  write("index.html", "one");
  const files = await filesIn();
  rmSync(join(folder, "index.html"));
  mkdirSync(join(folder, "index.html"));
  const hashing = read(files);
  await expect(hashing).rejects.toMatchObject({
    reason: { code: "folder_unreadable" },
    places: ["index.html: cannot be read: illegal operation on a directory (EISDIR)"],
  });
});
