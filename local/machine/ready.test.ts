import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-ready-"));
  cpSync("package.json", join(folder, "package.json"));
  cpSync("local/machine", join(folder, "local/machine"), { recursive: true });
  writeFileSync(join(folder, "program.ts"), "const text: string = 'runs';\nconsole.log(text);\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a program of the folder as npm's scripts do, on a Node that says it has this version. */
async function run(version: string) {
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const says = `data:text/javascript,Object.defineProperty(process, "versions", { value: ${versions} })`;
  const args = ["--import", says, "--import", "./local/machine/ready.mjs", "program.ts"];
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return await promise;
}

const install = () => {
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
};

test("on a Node that is too old one line says what to do, before and after npm ci", async () => {
  const way = /^svc needs Node 24\.5 or later, and this is Node 20\.19\.0\. .*npm ci.*, then try again\.\n$/;
  expect(await run("20.19.0")).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(way) });
  install();
  expect(await run("20.19.0")).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(way) });
});

test("without packages one line names npm ci, and with them the program runs", async () => {
  expect(await run("24.5.0")).toEqual({
    code: 1,
    stdout: "",
    stderr: "The packages of svc are not installed. Run npm ci, then try again.\n",
  });
  install();
  expect(await run("24.5.0")).toEqual({ code: 0, stdout: "runs\n", stderr: "" });
});

test("every script that people begin with says so", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const name of ["start", "demo", "try", "deploy", "smoke", "operator"])
    expect(scripts[name]).toMatch(/^node --import \.\/local\/machine\/ready\.mjs \S+\.ts$/);
});
