import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  readonly hasInstallScript?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

const folders = [".", ".github/actions/deploy", "lab", "local/machine/node"];
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

function entriesOf(folder: string): [name: string, entry: Entry][] {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.entries<Entry>(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
    .map(([path, entry]) => [path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length), entry]);
}

/** No registry that was asked has these; nothing else may be installed unchecked. */
const unchecked = ["darwin-arm64", "darwin-x64", "linux-arm64", "win32-x64"].map((system) => `@dynoxide/${system}`);

test.each(folders)("each package in the lock file of %s has its integrity, on every system", (folder) => {
  const without = entriesOf(folder).filter(([, { integrity, inBundle }]) => !integrity && !inBundle);
  expect(without.map(([name]) => name).filter((name) => !unchecked.includes(name))).toEqual([]);
});

test("no package's install script runs, and an unlisted one fails the installation", () => {
  const scripted = entriesOf(".").filter(([, { hasInstallScript }]) => hasInstallScript);
  const refused = scripted.map(([name]) => [name, false]);
  expect(manifest.allowScripts).toEqual(Object.fromEntries(refused));
  expect(readFileSync(".npmrc", "utf8")).toMatch(/^strict-allow-scripts=true$/m);
});

test("no package has a command named node, which would take the place of the machine's own in every script", () => {
  expect(entriesOf(".").filter(([, { bin }]) => bin?.["node"] !== undefined)).toEqual([]);
});

test("npm test runs on a Node that is new enough, whatever the machine has", () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  expect(major * 100 + minor).toBeGreaterThanOrEqual(2_405);
});

test("an older Node without a newer one for its system is refused in one sentence", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-prepare-"));
  const older = join(folder, "older.mjs");
  writeFileSync(
    older,
    `Object.defineProperty(process.versions, "node", { value: "22.9.0" });
Object.defineProperty(process, "platform", { value: "darwin" });`,
  );
  const prepare = () =>
    execFileSync(process.execPath, ["--import", older, "local/machine/prepare.mjs"], {
      encoding: "utf8",
      stdio: "pipe",
    });
  expect(prepare).toThrow(
    "svc needs Node 24.5 or later, and this is Node 22.9.0. Install a newer one (https://nodejs.org), then try again.",
  );
  rmSync(folder, { recursive: true });
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
  const env = { ...process.env, npm_config_registry: registry, npm_execpath: undefined };
  const program = resolve("local/machine/complete-lock.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: folder, env });
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  server.close();
  rmSync(folder, { recursive: true });
  expect(packages["node_modules/@a/darwin-arm64"]).toMatchObject({ integrity: "sha512-known", os: ["darwin"] });
  expect(packages["node_modules/@a/win32-x64"]).not.toHaveProperty("integrity");
  expect(stdout).toContain("does not know the integrity of @a/win32-x64@1.0.0");
});
