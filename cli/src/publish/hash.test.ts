import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readFolder } from "./folder.ts";
import { hashAll } from "./hash.ts";
import { openHashCache } from "./hash-cache.ts";

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "svc-hash-"));
  folder = join(root, "game");
  mkdirSync(folder);
  environment = { XDG_CACHE_HOME: join(root, "cache") };
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

/** Writes a file as it was ten seconds ago. */
function writeOld(name: string, content: string | Buffer): void {
  writeFileSync(join(folder, name), content);
  const past = new Date(Date.now() - 10_000);
  utimesSync(join(folder, name), past, past);
}

async function hash(): Promise<{ hashes: Record<string, string>; read: number }> {
  let read = 0;
  const cache = openHashCache(folder, environment);
  const { files } = readFolder(folder, () => "publish");
  const counting = {
    ...cache,
    get: (...call: Parameters<typeof cache.get>) => {
      const known = cache.get(...call);
      if (known === undefined) read += 1;
      return known;
    },
  };
  const hashed = await hashAll(files, { cache: counting, onProgress: () => {}, signal: new AbortController().signal });
  return { hashes: Object.fromEntries(hashed.map((file) => [file.path, file.sha256])), read };
}

test("the hash is that of the bytes, whatever the size", async () => {
  const contents = [0, 1, 1_048_575, 1_048_576, 1_048_577, 3_000_000].map((size) => Buffer.alloc(size, "svc"));
  writeFileSync(join(folder, "index.html"), "");
  for (const [index, content] of contents.entries()) writeFileSync(join(folder, `${index}`), content);
  const { hashes } = await hash();
  for (const [index, content] of contents.entries()) expect(hashes[`${index}`]).toBe(sha256(content));
});

test("a file that was touched within the last two seconds is not believed to be the same", async () => {
  writeFileSync(join(folder, "index.html"), "one");
  expect((await hash()).read).toBe(1);
  expect((await hash()).read).toBe(1);
});

test("one whose time was set back is known by its inode's time of change, which nobody can set", async () => {
  writeOld("index.html", "one");
  await hash();
  const { mtime } = statSync(join(folder, "index.html"));
  writeFileSync(join(folder, "index.html"), "two");
  utimesSync(join(folder, "index.html"), mtime, mtime);
  expect((await hash()).hashes["index.html"]).toBe(sha256("two"));
});

test("what is settled is not read again, until it changes", async () => {
  writeOld("index.html", "one");
  writeOld("a", "a");
  // Setting a file's times changes its inode: what counts is two seconds after that.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect((await hash()).read).toBe(2);
  expect(await hash()).toEqual({ hashes: { "index.html": sha256("one"), a: sha256("a") }, read: 0 });
  writeFileSync(join(folder, "b"), "two");
  renameSync(join(folder, "b"), join(folder, "a"));
  expect(await hash()).toEqual({ hashes: { "index.html": sha256("one"), a: sha256("two") }, read: 1 });
});

test("a damaged cache, or none that can be written, only costs time", async () => {
  writeOld("index.html", "one");
  environment = { XDG_CACHE_HOME: join(folder, "index.html") };
  expect((await hash()).hashes["index.html"]).toBe(sha256("one"));
});

test("a file that is not as it was when the folder was read ends it", async () => {
  writeFileSync(join(folder, "index.html"), "one");
  const cache = openHashCache(folder, environment);
  const { files } = readFolder(folder, () => "publish");
  writeFileSync(join(folder, "index.html"), "longer");
  const hashing = hashAll(files, { cache, onProgress: () => {}, signal: new AbortController().signal });
  await expect(hashing).rejects.toMatchObject({
    code: "folder_changes",
    places: ["index.html: changed while it was read"],
  });
});
