import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "@jest/globals";

/** Folders on this machine that the tests of a file can drop or choose; removed after them. */
export interface Folders {
  /** The folder that they are in. */
  readonly parent: string;
  /** @returns the folder, with these files */
  write(name: string, files: Readonly<Record<string, string | Uint8Array>>): string;
}

export function folders(): Folders {
  let parent: string;
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), "svc-drop-"));
  });
  afterAll(() => rmSync(parent, { recursive: true }));
  return {
    get parent() {
      return parent;
    },
    write(name, files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(parent, name, path)), { recursive: true });
        writeFileSync(join(parent, name, path), content);
      }
      return join(parent, name);
    },
  };
}
