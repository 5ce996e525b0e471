import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Client } from "../../../contract/client.ts";
import { ignoreRules } from "./ignore-rules.ts";
import { patienceWith } from "./patience.ts";
import { publishFolder } from "./publish.ts";

test("what must be known of the project is asked for before the folder is hashed, which may take long", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-publish-test-"));
  const phases: string[] = [];
  const { signal } = new AbortController();
  try {
    writeFileSync(join(folder, "index.html"), "<h1>Game");
    const publishing = publishFolder({
      client: {} as Client,
      slug: "game",
      folder,
      rules: ignoreRules(folder, folder, []),
      isOwnProjectFile: true,
      description: {},
      isDryRun: false,
      preview: undefined,
      expectCurrent: undefined,
      file: {},
      isForced: false,
      isFresh: true,
      progress: { start: (phase) => void phases.push(phase), add: () => {}, end: () => {} },
      signal,
      patience: patienceWith({ signal, isWatched: false, note: () => {} }),
      beforeHashing: () => Promise.reject(new Error("There is no such project")),
      onSecrets: () => {},
      onAdvice: () => {},
      onActivation: () => {},
    });
    await expect(publishing).rejects.toThrow("There is no such project");
    expect(phases).toEqual(["Reading"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
