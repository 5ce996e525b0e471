import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";

const areas = readdirSync("lab/bench/areas").map((file) => file.slice(0, -".ts".length));

/** The programs of a contender that npm does not install; .ci/run installs them. */
const programs: Readonly<Record<string, readonly string[]>> = {
  packs: ["/usr/bin/aws"],
  publish: ["/usr/bin/aws"],
  updates: [process.env["CHROMIUM"] ?? "/usr/bin/chromium"],
  play: [process.env["CHROMIUM"] ?? "/usr/bin/chromium", "/usr/bin/njs", "/usr/bin/wrk"],
};

describe.each(areas)("the area %s of bench", (name) => {
  const isInstalled = (programs[name] ?? []).every((path) => existsSync(path));

  // bench itself fails if a figure that the area promises is not measured.
  (isInstalled ? test : test.skip)(
    "starts, and its short form fills every row, beside tests that use the build",
    () => {
      const built = statSync("build/functions").ino;
      const { status, stdout, stderr } = spawnSync(process.execPath, ["lab/bench/main.ts", name, "--quick"], {
        encoding: "utf8",
        env: { ...process.env, NODE_OPTIONS: "" },
      });
      expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toMatch(/^\| figure \| measured \|/m);
      expect(stdout).not.toMatch(/NaN|undefined/);
      expect(statSync("build/functions").ino).toBe(built);
    },
  );
});
