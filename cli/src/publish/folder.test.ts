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

test("a rule excludes a file also under the path that a linked folder gives it", () => {
  write("index.html", "data/level.json", "data/drafts/next.json", "data/keys/.env");
  symlinkSync("data", join(folder, "public"));
  writeFileSync(join(folder, ".svcignore"), "/data/drafts/\n");
  const { files, secrets } = readFolder(folder, ignoreRules(folder, folder, []).judge);
  expect(files.map(({ path }) => path)).toEqual(["data/level.json", "index.html", "public/level.json"]);
  expect(secrets).toEqual(["data/keys/.env", "public/keys/.env"]);
});
