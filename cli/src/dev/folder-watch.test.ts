import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { FolderWatch } from "./folder-watch.ts";

test.each([true, false])(
  "a change in a folder below is noticed, if the system watches recursively: %s",
  async (isRecursive) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "svc-watch-")));
    const below = join(root, "assets", "images");
    mkdirSync(below, { recursive: true });
    let changes = 0;
    const watch = new FolderWatch(() => {
      changes += 1;
    }, isRecursive);
    try {
      watch.replace(new Map([root, join(root, "assets"), below].map((folder) => [folder, undefined])));
      writeFileSync(join(below, "ship.png"), "1");
      for (let waited = 0; changes === 0 && waited < 5_000; waited += 20) await delay(20);
      expect(changes).toBeGreaterThan(0);
    } finally {
      watch.close();
      rmSync(root, { recursive: true });
    }
  },
);

test("a folder that is watched recursively has the only watch, so that those below can be renamed on Windows", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "svc-watch-")));
  mkdirSync(join(root, "assets"));
  const watch = new FolderWatch(() => undefined, true);
  const folders = new Map([root, join(root, "assets")].map((folder) => [folder, undefined]));
  try {
    expect(watch.replace(folders)).toBe(true);
    // A watch of the folder below would be made anew for the one that has its name now.
    rmSync(join(root, "assets"), { recursive: true });
    mkdirSync(join(root, "assets"));
    expect(watch.replace(folders)).toBe(false);
  } finally {
    watch.close();
    rmSync(root, { recursive: true });
  }
});
