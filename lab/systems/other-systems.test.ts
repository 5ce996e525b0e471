import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { runNpm } from "../../local/machine/npm.ts";
import { copyRepository } from "../repository-copy.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-other-systems-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["darwin", "arm64"],
  ["win32", "x64"],
])(
  "a stage is synthesised from what npm ci installs on %s %s",
  (os, cpu) => {
    const copy = join(folder, os);
    copyRepository(copy);
    runNpm(["ci", `--os=${os}`, `--cpu=${cpu}`, "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: copy });
    expect(readdirSync(join(copy, "node_modules/@esbuild"))).toEqual([`${os}-${cpu}`]);
    expect(existsSync(join(copy, "node_modules/.bin/node"))).toBe(false);

    // That system's programs do not run here: esbuild's and swc's are this machine's. Its Node is the only one on the path.
    for (const program of ["@esbuild/linux-x64", "@swc/core-linux-x64-gnu"])
      symlinkSync(resolve("node_modules", program), join(copy, "node_modules", program));
    const programs = join(folder, `${os}-programs`);
    mkdirSync(programs);
    symlinkSync(process.execPath, join(programs, "node"));
    const { status, stderr } = spawnSync(
      process.execPath,
      ["node_modules/aws-cdk/bin/cdk", "synth", "-c", "stage=production", "--quiet"],
      {
        cwd: copy,
        encoding: "utf8",
        env: {
          PATH: `${programs}:/usr/bin:/bin`,
          HOME: folder,
          AWS_EC2_METADATA_DISABLED: "true",
          ESBUILD_BINARY_PATH: resolve("node_modules/@esbuild/linux-x64/bin/esbuild"),
        },
      },
    );
    if (status !== 0) throw new Error(stderr);
    expect(existsSync(join(copy, "cdk.out/svc-production.template.json"))).toBe(true);
    rmSync(copy, { recursive: true });
  },
  300_000,
);
