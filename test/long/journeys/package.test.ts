import { spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import { parseTarGzip } from "nanotar";
import { inventToken } from "../../support/cli/cli.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { useCliUser } from "../../support/service/suite.ts";

const person = useCliUser();

describe("the package", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-package-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("installed globally in an empty prefix it has no dependencies and works", async () => {
    const npm = (...args: string[]) => {
      // No scripts, because they would build again while other tests use the build.
      const env = {
        PATH: process.env["PATH"],
        HOME: folder,
        npm_config_ignore_scripts: "true",
        npm_config_update_notifier: "false",
      };
      const { status, stdout, stderr } = spawnSync("npm", args, {
        cwd: fileURLToPath(new URL("../../../cli", import.meta.url)),
        env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(stderr);
      return stdout;
    };
    const [packed] = JSON.parse(npm("pack", "--json", "--pack-destination", folder));
    const files = packed.files.map(({ path }: { path: string }) => path).sort();
    const served = await parseTarGzip(readFileSync("build/dashboard/svc.tgz"));
    expect(served.map(({ name }) => name.replace("package/", "")).sort()).toEqual(files);
    expect(files).toEqual([
      "LICENSE",
      "README.md",
      "bin/run.cjs",
      "completion/svc.bash",
      "completion/svc.fish",
      "completion/svc.ps1",
      "completion/svc.zsh",
      "dist/bundle.cjs",
      "dist/contract-check.cjs",
      "dist/licences.txt",
      "dist/page-scripts.json",
      "dist/version.cjs",
      "dist/zip.cjs",
      "index.cjs",
      "oclif.manifest.json",
      "package.json",
    ]);
    const prefix = join(folder, "prefix");
    npm(
      "install",
      "--global",
      "--offline",
      "--no-audit",
      "--no-fund",
      "--prefix",
      prefix,
      join(folder, packed.filename),
    );
    expect(readdirSync(join(prefix, "lib", "node_modules"))).toEqual(["@svc-publish"]);
    const licences = readFileSync(
      join(prefix, "lib", "node_modules", "@svc-publish", "cli", "dist", "licences.txt"),
      "utf8",
    );
    for (const name of ["@oclif/core", "ignore", "smol-toml"])
      expect(licences).toMatch(new RegExp(`^--- ${name} \\d`, "m"));

    const server = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
    try {
      const { code, json } = await person.run(["whoami", "--json"], {
        program: [join(prefix, "bin", "svc")],
        env: { SVC_API: server.origin, SVC_TOKEN: inventToken() },
      });
      expect({ code, uid: json.user.uid }).toEqual({ code: 0, uid: "ada" });
    } finally {
      await server.stop();
    }
  });
});

test("a package that was packed with SVC_DEFAULT_API uses it where nothing else is chosen", async () => {
  const server = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
  const folder = join(person.home, "packed");
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  try {
    mkdirSync(folder);
    for (const name of ["node_modules", "contract", "edge", "infra", "options", "programs", "publisher"])
      symlinkSync(join(root, name), join(folder, name));
    cpSync(join(root, "cli"), join(folder, "cli"), { recursive: true, filter: (path) => !path.includes("/cli/dist") });
    const build = (api: string) =>
      spawnSync(process.execPath, [join(folder, "cli", "build.ts")], {
        env: { PATH: process.env["PATH"], SVC_DEFAULT_API: api },
        encoding: "utf8",
      });
    expect(build("http://api.example").stderr).toContain("must be https");
    expect(build(server.origin)).toMatchObject({ status: 0 });
    const program = [process.execPath, join(folder, "cli", "bin", "run.cjs")];
    const { code, stdout } = await person.run(["whoami"], { program, env: { SVC_TOKEN: inventToken() } });
    expect(code).toBe(0);
    expect(stdout).toContain(`${server.origin} (from the built-in default)`);
    // A command that runs while another one builds goes on reading what it has begun.
    const opened = openSync(join(folder, "cli", "dist", "bundle.cjs"), "r");
    expect(build("https://api.example")).toMatchObject({ status: 0 });
    expect(readFileSync(opened, "utf8").includes(server.origin)).toBe(true);
    closeSync(opened);
  } finally {
    await server.stop();
  }
});
