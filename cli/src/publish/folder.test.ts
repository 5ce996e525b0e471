import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readFolder } from "./folder.ts";
import { ignoreRules } from "./ignore-rules.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
}

const reading = { signal: new AbortController().signal, onFiles: () => {} };

test("a rule excludes a file also under the path that a linked folder gives it", async () => {
  write("index.html", "data/level.json", "data/drafts/next.json", "data/keys/.env");
  symlinkSync("data", join(folder, "public"));
  writeFileSync(join(folder, ".svcignore"), "/data/drafts/\n");
  const { files, secrets } = await readFolder(folder, ignoreRules(folder, folder, []).judge, reading);
  expect(files.map(({ path }) => path)).toEqual(["data/level.json", "index.html", "public/level.json"]);
  expect(secrets).toEqual(["data/keys/.env", "public/keys/.env"]);
});

test("reading stops at the limit of files, and not at the end of the folder", async () => {
  write("index.html");
  // Each of these folders has the same files behind links: 2^12 times 64 of them for 24 links.
  let inner = "z0";
  write(...Array.from({ length: 64 }, (_, index) => `z0/${index}.txt`));
  for (let depth = 1; depth <= 12; depth += 1) {
    mkdirSync(join(folder, `z${depth}`));
    for (const name of ["a", "b"]) symlinkSync(join("..", inner), join(folder, `z${depth}`, name));
    inner = `z${depth}`;
  }
  let read = 0;
  const onFiles = (count: number) => {
    read += count;
  };
  const failure = readFolder(folder, () => "publish", { ...reading, onFiles });
  await expect(failure).rejects.toMatchObject({ reason: { code: "too_many_files" } });
  expect(read).toBeLessThanOrEqual(20_001);
});

test("a folder without index.html is refused before more than its top is read", async () => {
  write("a/b/c/d/e/file.txt");
  const judged: string[] = [];
  const judge = (path: string) => {
    judged.push(path);
    return "publish" as const;
  };
  await expect(readFolder(folder, judge, reading)).rejects.toMatchObject({ reason: { code: "no_index_html" } });
  expect(judged).toEqual(["a/", "a/b/", "a/b/c/", "a/b/c/d/"]);
});

test("reading is stopped by a signal, and shows how many files there are", async () => {
  write("index.html", ...Array.from({ length: 200 }, (_, index) => `file-${index}`));
  const stop = new AbortController();
  let seen = 0;
  const slow = () => {
    const until = performance.now() + 5;
    while (performance.now() < until);
    return "publish" as const;
  };
  setTimeout(() => stop.abort(new Error("stopped")), 20);
  const onFiles = (count: number) => {
    seen += count;
  };
  await expect(readFolder(folder, slow, { signal: stop.signal, onFiles })).rejects.toThrow("stopped");
  expect(seen).toBeGreaterThan(0);
  expect(seen).toBeLessThan(200);
});
