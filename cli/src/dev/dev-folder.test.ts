import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { ignoreRulesOf } from "../../../contract/folder/ignore-rules.ts";
import { DevFolder } from "./dev-folder.ts";

test("a refresh waits for what changed while the folder was being read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-dev-"));
  const end = new AbortController();
  const refreshed = Promise.withResolvers<unknown>();
  writeFileSync(join(folder, "index.html"), "1");
  try {
    const opened = await DevFolder.open({
      source: () => ({
        folder,
        rules: ignoreRulesOf({ settings: [], ignoreFiles: [] }),
        isOwnProjectFile: true,
        file: {},
      }),
      projectDirectory: folder,
      signal: end.signal,
      // The first reading is over, and its round is not.
      onChanged: () => {
        writeFileSync(join(folder, "late.js"), "late");
        refreshed.resolve(opened.refresh().then(({ files }) => [...files.keys()].toSorted()));
      },
      onRefused: refreshed.reject,
    });
    writeFileSync(join(folder, "game.js"), "2");
    await opened.refresh();
    expect(await await refreshed.promise).toEqual(["game.js", "index.html", "late.js"]);
  } finally {
    end.abort();
    rmSync(folder, { recursive: true });
  }
});
