import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { root } from "../../support/documents.ts";

/* `exclude` of a tsconfig is inherited, so that whole folders were once checked by no compiler, and nothing failed. */

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const programs = [...scripts.types.matchAll(/tsc -p (\S+)/g)].map(([, program]: string[]) => program ?? "");

test("each TypeScript file is checked by a program of npm run types", async () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const listed = programs.map(async (program) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [tsc, "-p", join(root, program), "--listFilesOnly"],
      {
        maxBuffer: 16 * 1024 ** 2,
      },
    );
    return stdout.split("\n").map((path) => relative(root, path.trim()));
  });
  const checked = new Set((await Promise.all(listed)).flat());
  const exclude = ["node_modules", "build", "*/node_modules", "*/build", "*/dist", "cdk.out"];
  const files = globSync("**/*.{ts,tsx}", { cwd: root, exclude });
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((file) => !checked.has(file))).toEqual([]);
}, 60_000);
