import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../test/support/documents.ts";

/** Copies what a clone of the repository would have, with files that are not committed yet. */
export function copyRepository(target: string): void {
  const printed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
  for (const path of printed.trim().split("\n")) {
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path));
  }
}
