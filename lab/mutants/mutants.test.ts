import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const repository = join(import.meta.dirname, "../..");

test("npm run test:mutants notices every change of a tested file, and says which change no test reaches", () => {
  const paths = ["functions/http/middleware/methods.ts", "functions/table/sweep/run-items.ts"];
  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["lab/mutants/main.ts", ...paths, "test/api/requests/root.test.ts"],
    { cwd: repository, encoding: "utf8", env: { ...process.env, CONCURRENCY: "1", MUTANTS_FOLDER: folder } },
  );
  expect({ status, stderr, stdout: status === 0 ? "" : stdout }).toEqual({ status: 0, stderr: "", stdout: "" });
  const { files } = JSON.parse(readFileSync(join(folder, "mutants-run.json"), "utf8"));
  rmSync(folder, { recursive: true });
  const statuses = paths.map((path) => files[path].mutants.map((mutant: { status: string }) => mutant.status));
  expect(statuses[0].length).toBeGreaterThan(30);
  // The compiler refuses some, and the tests notice the others.
  expect(new Set(statuses[0])).toEqual(new Set(["CompileError", "Killed"]));
  // No test named here sweeps.
  expect(statuses[1]).toContain("NoCoverage");
  expect(new Set(statuses[1])).toEqual(new Set(["CompileError", "NoCoverage"]));
}, 300_000);
