import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readFolder } from "./folder.ts";
import { hashAll } from "./hash.ts";
import { openHashCache } from "./hash-cache.ts";
import type { Progress } from "./progress.ts";

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "svc-hash-"));
  folder = join(root, "game");
  mkdirSync(folder);
  environment = { XDG_CACHE_HOME: join(root, "cache") };
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

const { signal } = new AbortController();
const silent: Progress = { start() {}, add() {}, end() {} };
const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);

/** Always with the same time of modification. */
function writeAtNoon(name: string, content: string): void {
  write(name, content);
  utimesSync(join(folder, name), noon, noon);
}
const noon = new Date("2026-01-01T12:00:00Z");

/** Hashes the folder as if a minute later, when its files no longer count as recently changed. */
const hashLater = () => hash(Date.now() + 60_000);

async function hash(now = Date.now()): Promise<{ hashes: Record<string, string>; read: number; progress: string[] }> {
  let read = 0;
  const cache = openHashCache(folder, environment);
  const { files } = await readFolder(folder, () => "publish", {
    signal: new AbortController().signal,
    onFiles: () => {},
  });
  const counting = {
    ...cache,
    get: (...call: Parameters<typeof cache.get>) => {
      const known = cache.get(...call);
      if (known === undefined) read += 1;
      return known;
    },
  };
  const calls: string[] = [];
  const progress: Progress = {
    start: (phase, { files, bytes }) => calls.push(`${phase} ${files} ${bytes}`),
    add: ({ files, bytes }) => calls.push(`${files} ${bytes}`),
    end: () => calls.push("end"),
  };
  const hashed = await hashAll(files, { cache: counting, progress, signal, now });
  return { hashes: Object.fromEntries(hashed.map((file) => [file.path, file.sha256])), read, progress: calls };
}

test("files of all sizes are hashed correctly", async () => {
  const contents = [0, 1, 1_048_575, 1_048_576, 1_048_577, 3_000_000].map((size) => Buffer.alloc(size, "svc"));
  write("index.html", "");
  for (const [index, content] of contents.entries()) write(`${index}`, content);
  const { hashes } = await hash();
  for (const [index, content] of contents.entries()) expect(hashes[`${index}`]).toBe(sha256(content));
});

test.each([
  [1_999, 1],
  [2_000, 0],
])("a file that was changed %i milliseconds ago is read again %i times", async (age, times) => {
  write("index.html", "one");
  const { mtimeMs, ctimeMs } = statSync(join(folder, "index.html"));
  const now = Math.max(mtimeMs, ctimeMs) + age;
  expect((await hash(now)).read).toBe(1);
  expect((await hash(now)).read).toBe(times);
});

test("a hash taken too soon after a change is not saved, and a saved one is not used too soon after a change", async () => {
  write("index.html", "one");
  const { mtimeMs, ctimeMs } = statSync(join(folder, "index.html"));
  const tooSoon = Math.max(mtimeMs, ctimeMs) + 1_999;
  await hash(tooSoon);
  expect((await hashLater()).read).toBe(1);
  expect((await hashLater()).read).toBe(0);
  expect((await hash(tooSoon)).read).toBe(1);
});

test("a changed file whose modification time was set back is detected by its inode's time of change", async () => {
  writeAtNoon("index.html", "one");
  await hashLater();
  writeAtNoon("index.html", "two");
  expect((await hashLater()).hashes["index.html"]).toBe(sha256("two"));
});

test("a hashed file is not read again until it changes", async () => {
  write("index.html", "one");
  write("a", "a");
  expect((await hashLater()).read).toBe(2);
  expect(await hashLater()).toMatchObject({ hashes: { "index.html": sha256("one"), a: sha256("a") }, read: 0 });
  write("b", "two");
  renameSync(join(folder, "b"), join(folder, "a"));
  expect(await hashLater()).toMatchObject({ hashes: { "index.html": sha256("one"), a: sha256("two") }, read: 1 });
});

test("progress counts the files that are hashed, not those in the cache", async () => {
  write("index.html", "one");
  await hashLater();
  const large = 17 * 1024 * 1024;
  write("large", Buffer.alloc(large));
  expect((await hashLater()).progress).toEqual([`Hashing 1 ${large}`, `1 ${large}`, "end"]);
});

test("without a writable cache the files are hashed", async () => {
  write("index.html", "one");
  environment = { XDG_CACHE_HOME: join(folder, "index.html") };
  expect((await hash()).hashes["index.html"]).toBe(sha256("one"));
});

test.each<[string, () => void]>([
  ["longer, with the same time", () => writeAtNoon("index.html", "longer")],
  ["the same length, another time", () => write("index.html", "two")],
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
  const cache = openHashCache(folder, environment);
  const { files } = await readFolder(folder, () => "publish", {
    signal: new AbortController().signal,
    onFiles: () => {},
  });
  change();
  const hashing = hashAll(files, { cache, progress: silent, signal, now: Date.now() });
  // In Jest, an error of Node is no instance of the sandbox's Error, so a refused link counts as unreadable here.
  await expect(hashing).rejects.toMatchObject({
    code: expect.stringMatching(/^folder_(changes|unreadable)$/),
    places: [expect.stringMatching(/^index.html: (changed while it was read|cannot be read)$/)],
  });
});
