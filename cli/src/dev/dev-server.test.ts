import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { ignoreRules } from "../publish/ignore-rules.ts";
import type { HashedFile } from "../publish/local-file.ts";
import { CompressedCopies } from "./compressed-copies.ts";
import type { DevFolder } from "./dev-folder.ts";
import { devServer } from "./dev-server.ts";
import { takeSnapshot } from "./snapshot.ts";

class CountedCopies extends CompressedCopies {
  readonly made: string[] = [];

  override async make(file: HashedFile): Promise<void> {
    this.made.push(file.path);
    await super.make(file);
  }
}

test("a file is compressed at its first request, and its copy is not compressed again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-dev-"));
  const { signal } = new AbortController();
  const copies = new CountedCopies(signal);
  writeFileSync(join(folder, "index.html"), "<h1>Game");
  const script = Array.from({ length: 9_000 }, (_, index) => `let a${index};`).join("");
  writeFileSync(join(folder, "game.js"), script);
  const rules = ignoreRules(folder, folder, []);
  const snapshot = await takeSnapshot({ folder, rules, isOwnProjectFile: true, file: {} }, signal);
  const site = { snapshot, current: async () => snapshot, refresh: async () => snapshot };
  const server = devServer({
    folder: site as unknown as DevFolder,
    ...{ copies, pages: undefined, hosts: new Set(["localhost"]) },
  }).listen(0, "localhost");
  try {
    await once(server, "listening");
    const url = `http://localhost:${(server.address() as AddressInfo).port}/game.js`;
    for (let times = 0; times < 2; times += 1) {
      const response = await fetch(url, { headers: { "accept-encoding": "br" } });
      expect(response.headers.get("content-encoding")).toBe("br");
      expect(await response.text()).toBe(script);
    }
    expect(copies.made).toEqual(["game.js"]);
  } finally {
    server.close();
    copies.close();
    rmSync(folder, { recursive: true });
  }
});
