import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { cliProgram, modeOf } from "../../support/cli/cli.ts";
import { useCliUser } from "../../support/service/suite.ts";

/*
 * V8's compiled code of the bundle is in $XDG_CACHE_HOME/svc/code. Whoever can write there decides which code runs.
 */
const person = useCliUser({ isNew: true });
let folder: string;
beforeEach(() => {
  folder = join(person.home, ".cache", "svc", "code");
});

/** Runs svc where everything that is created is open to everybody. */
async function helpUnderUmaskZero(env: Record<string, string> = {}): Promise<void> {
  const program = ["/bin/sh", "-c", 'umask 000; exec "$@"', "sh", process.execPath, cliProgram];
  const { code, stdout } = await person.run(["whoami", "--help"], { program, env });
  expect({ code, isHelp: stdout.includes("USAGE") }).toEqual({ code: 0, isHelp: true });
}

const onlyFile = () => {
  const [name = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
};

test("only the owner can open folder and file, with any umask", async () => {
  await helpUnderUmaskZero();
  for (const part of [join(person.home, ".cache"), join(person.home, ".cache", "svc"), folder])
    expect(modeOf(part)).toBe(0o700);
  expect(modeOf(onlyFile())).toBe(0o600);
});

test("a cache folder whose parents are missing too is made, for its owner alone", async () => {
  const parents = ["a", "a/b"].map((path) => join(person.home, path));
  folder = join(person.home, "a/b/svc/code");
  await helpUnderUmaskZero({ XDG_CACHE_HOME: join(person.home, "a/b") });
  for (const part of [...parents, folder]) expect(modeOf(part)).toBe(0o700);
  expect(modeOf(onlyFile())).toBe(0o600);
});

test("the second run uses the compiled code of the first", async () => {
  await helpUnderUmaskZero();
  const before = readFileSync(onlyFile());
  await helpUnderUmaskZero();
  expect(readFileSync(onlyFile()).equals(before)).toBe(true);
});

test("the content of a folder that was open to others is deleted", async () => {
  await helpUnderUmaskZero();
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "planted"), "");
  const kept = onlyKept();
  writeFileSync(kept, "planted");
  await helpUnderUmaskZero();
  expect(modeOf(folder)).toBe(0o700);
  expect(readFileSync(onlyFile(), "latin1")).not.toBe("planted");
});

const onlyKept = () => join(folder, readdirSync(folder).find((name) => name !== "planted") ?? "");

test("a file that is open to others, or is not compiled code, is not used but replaced", async () => {
  await helpUnderUmaskZero();
  const file = onlyFile();
  const good = readFileSync(file);
  writeFileSync(file, "no compiled code");
  await helpUnderUmaskZero();
  expect(readFileSync(file).length).toBeGreaterThan(good.length / 2);
  chmodSync(file, 0o666);
  await helpUnderUmaskZero();
  expect(modeOf(file)).toBe(0o600);
});

test("a symbolic link instead of the folder is not followed", async () => {
  const elsewhere = join(person.home, "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  mkdirSync(join(person.home, ".cache", "svc"), { recursive: true });
  symlinkSync(elsewhere, folder);
  await helpUnderUmaskZero();
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("code of other builds is removed", async () => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  writeFileSync(join(folder, "0".repeat(64)), "");
  await helpUnderUmaskZero();
  onlyFile();
});

test("svc works with a cache folder that cannot be written", async () => {
  await helpUnderUmaskZero({ XDG_CACHE_HOME: "/proc/self" });
  await helpUnderUmaskZero({ XDG_CACHE_HOME: "relative" });
});
