import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "@jest/globals";
import { root } from "../test/support/documents.ts";

/** Folder beside npm's packages of fetched-package.ts: kept between runs, and no part of the product. */
const folder = join(root, "build/fetched");

/** A judge that is not ours: its program, or why there is none here. */
export type Tool =
  | { readonly program: string; readonly missing?: undefined }
  | { readonly missing: string; readonly program?: undefined };

/**
 * Installs a program of a Python package, `name==version`, in a virtual environment of its own.
 *
 * @param more packages that it can do without, and then does less
 */
export function pythonTool(requirement: string, program: string, ...more: readonly string[]): Tool {
  const packages = [requirement, ...more];
  const environment = join(folder, `python-${packages.join("+")}`);
  return installed(requirement, join(environment, "bin", program), [
    ["python3", "-m", "venv", "--clear", environment],
    [join(environment, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", ...packages],
  ]);
}

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ["--version"]).status === 0;
}

/** Installs a program of a Go module, `path@version`. */
export function goTool(module: string, program: string): Tool {
  const bin = join(folder, `go-${module.replaceAll("/", "+")}`);
  return installed(module, join(bin, program), [["env", `GOBIN=${bin}`, "go", "install", "-modcacherw", module]]);
}

function installed(name: string, program: string, commands: readonly (readonly string[])[]): Tool {
  if (existsSync(program)) return { program };
  mkdirSync(folder, { recursive: true });
  for (const [command = "", ...args] of commands) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: 600_000 });
    if (status === 0) continue;
    // A program that is there in part would be taken for installed.
    rmSync(program, { force: true });
    const reason = stderr?.trim().split("\n").at(-1) || error?.message || `${command} failed`;
    return { missing: `${name} cannot be installed here, so it judges nothing: ${reason}` };
  }
  return { program };
}

/** `test`, skipped if the tool is missing, with a sentence on standard error. */
export function testWith({ missing }: Tool): typeof test.skip {
  if (missing === undefined) return test;
  console.warn(missing);
  return test.skip;
}

/** Output of a judge, and its exit code. */
export interface Judgement {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a judge to its end. */
export function judge(tool: Tool, args: readonly string[], options: { cwd?: string } = {}): Judgement {
  if (tool.program === undefined) throw new Error(tool.missing);
  const { status, stdout, stderr, error } = spawnSync(tool.program, args, {
    encoding: "utf8",
    timeout: 300_000,
    maxBuffer: 64 * 1024 ** 2,
    cwd: root,
    ...options,
  });
  if (error) throw error;
  return { code: status, stdout, stderr };
}
