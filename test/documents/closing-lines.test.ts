import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../support/documents.ts";

/*
 * The closing lines of .ci/run, from reports that the test runner writes with the settings of the browser tests.
 */

const folder = mkdtempSync(join(tmpdir(), "svc-reports-"));

/** A test that fails as often as it says, and the report of its run. */
function reportOf(name: string, failures: number): string {
  const [suite, report] = [join(folder, name), join(folder, `${name}.json`)];
  writeFileSync(
    `${suite}.test.cjs`,
    `let runs = 0; test("${name}", () => { if (++runs <= ${failures}) throw "flaky"; });`,
  );
  const config = {
    rootDir: folder,
    testMatch: [`${suite}.test.cjs`],
    setupFilesAfterEnv: [join(root, "test/browser/retry.js")],
  };
  const args = ["--experimental-vm-modules", join(root, "node_modules/jest/bin/jest.js")];
  spawnSync(process.execPath, [
    ...args,
    "--config",
    JSON.stringify(config),
    "--ci",
    "--json",
    `--outputFile=${report}`,
  ]);
  return report;
}

function closingLines(otherSteps: number, reports: readonly string[]): { status: number | null; lines: string[] } {
  const { status, stdout } = spawnSync(process.execPath, [join(root, ".ci/sum-up.js"), `${otherSteps}`, ...reports], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n") };
}

test("a test that passes when it is tried once more is passed and named as flaky; one that fails twice is failed", () => {
  try {
    const [steady, flaky, broken] = [reportOf("steady", 0), reportOf("fails once", 1), reportOf("fails twice", 2)];
    expect(closingLines(0, [steady])).toEqual({ status: 0, lines: ["1 passed, 0 failed"] });
    const namesFlaky = ["1 flaky", "  fails once", ""];
    expect(closingLines(0, [steady, flaky])).toEqual({ status: 0, lines: [...namesFlaky, "2 passed, 0 failed"] });
    expect(closingLines(1, [steady, flaky, broken])).toEqual({
      status: 1,
      lines: [...namesFlaky, "2 passed, 2 failed"],
    });
    expect(closingLines(0, [])).toEqual({ status: 1, lines: ["0 passed, 0 failed"] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
