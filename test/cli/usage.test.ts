import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type CliUser, cliProgram, createCliUser, inventToken } from "../support/cli.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../support/misbehaving-server.ts";

let person: CliUser;
beforeEach(() => {
  person = createCliUser();
});
afterEach(() => person.leave());

const commandIds = [
  "completion",
  "init",
  "login",
  "logout",
  "projects:create",
  "projects:list",
  "publish",
  "releases",
  "rollback",
  "whoami",
];

describe("a command line that does not fit exits with 2", () => {
  test.each([
    [["whoam"], "svc has no command whoam. Did you mean whoami?"],
    [["frobnicate"], "svc has no command frobnicate."],
    [["projects", "creat"], "svc has no command projects creat. Did you mean projects create?"],
    [["help", "whoam"], "svc has no command whoam. Did you mean whoami?"],
    [["projects", "creat", "--help"], "svc has no command projects creat. Did you mean projects create?"],
    [["--jsn", "whoami"], "The command comes first, its flags behind it."],
    [["login", "--tokn", "-"], "Nonexistent flag: --tokn. Did you mean --token?"],
    [["whoami", "--jsn"], "Nonexistent flag: --jsn. Did you mean --json?"],
    [["whoami", "extra"], "Unexpected argument: extra"],
    [["whoami", inventToken()], "Unexpected argument: pat_…"],
    [["completion"], "Missing 1 required arg"],
    [["completion", "tcsh"], "Expected tcsh to be one of: bash, zsh, fish"],
    [["logout", "--api=https://staging.svc.example"], "Nonexistent flag: --api=https://staging.svc.example"],
    [["releases", "--limit", "0"], "--limit: Expected an integer greater than or equal to 1"],
    [["init", "My Game"], "My Game cannot be the slug of a project: that is 3 to 40 of a-z, 0-9 and -."],
    [["projects", "create", "My_Game"], "My_Game cannot be the slug of a project: that is 3 to 40 of a-z, 0-9 and -."],
    [["whoami", "--api"], "Flag --api expects a value"],
  ])("%j", async (args, message) => {
    const [text, json] = await Promise.all([person.run(args), person.run([...args, "--json"])]);
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: 2, stdout: "" });
    expect(text.stderr).toContain(`error: ${message}`);
    expect(json.code).toBe(2);
    if (args.at(-1) !== "--api")
      expect(json.json.error).toMatchObject({ message: expect.stringContaining(message), exit_code: 2 });
  });
});

test("--version names version, system and node, and is JSON with --json", async () => {
  const { stdout } = await person.run(["--version"]);
  expect(stdout).toMatch(/^svc\/\d+\.\d+\.\d+ \S+ node-v\d+\.\d+\.\d+\n$/);
  expect((await person.run(["--version", "--json"])).json).toEqual({ version: expect.any(String) });
});

test.each(["--version", "--help", "completion bash"])(
  "a reader that has seen enough of svc %s is no error",
  async (args) => {
    const { code, stderr } = await person.run(
      ["-c", `"$0" "${cliProgram}" ${args} | true; echo "\${PIPESTATUS[0]}" >&2`, process.execPath],
      {
        program: ["bash"],
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "0\n" });
  },
);

test("a command does what it should where nobody reads its warnings", async () => {
  const script = `"$0" "${cliProgram}" logout 2>&1 >out | true; echo "\${PIPESTATUS[0]}"; cat out`;
  const { stdout } = await person.run(["-c", script, process.execPath], {
    program: ["bash"],
    env: { SVC_TOKEN: inventToken() },
  });
  expect(stdout).toMatch(/^0\nThere is no saved token /);
});

test("a full disk behind standard output is a failure", async () => {
  if (!existsSync("/dev/full")) return;
  const script = `"$0" "${cliProgram}" --version >/dev/full`;
  const { code, stderr } = await person.run(["-c", script, process.execPath], { program: ["bash"] });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "error: Standard output: no space left on device (ENOSPC).\n  system\n",
  });
});

test("DEBUG prints neither the command line nor the environment", async () => {
  const { stderr } = await person.run(["whoami", "--api", "http://127.0.0.1:9"], {
    env: { DEBUG: "*", SVC_TOKEN: inventToken() },
  });
  expect(stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:9 cannot be reached: nothing listens there\.\n/);
});

describe("completion", () => {
  /** What bash offers for the last word of a command line. */
  function completeInBash(script: string, ...words: string[]): string[] {
    const setup = `${script}\nCOMP_WORDS=(svc "$@"); COMP_CWORD=$#; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, status, stderr } = spawnSync("bash", ["-c", setup, "bash", ...words], {
      encoding: "utf8",
      cwd: person.home,
    });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim().split("\n");
  }

  test("bash completes commands, flags and values", async () => {
    const { stdout } = await person.run(["completion", "bash"]);
    expect(completeInBash(stdout, "")).toEqual(expect.arrayContaining(commandIds.map((id) => id.split(":")[0])));
    expect(completeInBash(stdout, "who")).toEqual(["whoami"]);
    expect(completeInBash(stdout, "login", "--")).toEqual([
      "--token",
      "--device",
      "--no-verify",
      "--api",
      "--json",
      "--help",
    ]);
    expect(completeInBash(stdout, "completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(completeInBash(stdout, "projects", "")).toEqual(["create", "list"]);
    mkdirSync(join(person.home, "dist"));
    expect(completeInBash(stdout, "publish", "di")).toEqual(["dist"]);
  });

  test("bash keeps a folder with a space whole, and offers projects where one is wanted", async () => {
    const script = (await person.run(["completion", "bash"])).stdout;
    for (const name of ["sp ace", "spot"]) mkdirSync(join(person.home, name));
    expect(completeInBash(script, "publish", "sp").sort()).toEqual(["sp ace", "spot"]);
    expect(completeInBash(script, "init", "--dir", "sp").sort()).toEqual(["sp ace", "spot"]);
    const list = JSON.stringify({ projects: [{ slug: "space-war" }, { slug: "chess" }] }, null, 2);
    const withProjects = `${script}\nsvc() { [[ "$*" == "projects list --json" ]] && cat <<'END'\n${list}\nEND\n}`;
    for (const flag of ["--project", "-p"]) {
      expect(completeInBash(withProjects, "publish", flag, "").sort()).toEqual(["chess", "space-war"]);
      expect(completeInBash(withProjects, "publish", flag, "sp")).toEqual(["space-war"]);
    }
    expect(completeInBash(script, "publish", "--message", "")).toEqual([""]);
  });

  const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;
  for (const shell of ["zsh", "fish"])
    (has(shell) ? test : test.skip)(`${shell} accepts its script`, async () => {
      const { stdout } = await person.run(["completion", shell]);
      const file = join(person.home, "completion");
      writeFileSync(file, stdout);
      expect(spawnSync(shell, ["-n", file], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    });

  test.each(["zsh", "fish"])("the %s script names every command", async (shell) => {
    const { json } = await person.run(["completion", shell, "--json"]);
    for (const id of commandIds) expect(json.script).toContain(id.replaceAll(":", " "));
  });
});

describe("the package", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-package-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("installed globally in an empty prefix it has no dependencies and works", async () => {
    const npm = (...args: string[]) => {
      // Its scripts would build again, under the feet of the other tests.
      const env = {
        PATH: process.env["PATH"],
        HOME: folder,
        npm_config_ignore_scripts: "true",
        npm_config_update_notifier: "false",
      };
      const { status, stdout, stderr } = spawnSync("npm", args, {
        cwd: fileURLToPath(new URL("../../cli", import.meta.url)),
        env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(stderr);
      return stdout;
    };
    const [packed] = JSON.parse(npm("pack", "--json", "--pack-destination", folder));
    expect(packed.files.map(({ path }: { path: string }) => path).sort()).toEqual([
      "LICENSE",
      "README.md",
      "bin/run.cjs",
      "dist/bundle.cjs",
      "dist/hash-worker.cjs",
      "dist/licences.txt",
      "dist/version.cjs",
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

test("a package that was packed with SVC_DEFAULT_API goes there where nothing else is chosen", async () => {
  const server = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
  const folder = join(person.home, "packed");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  try {
    mkdirSync(folder);
    for (const name of ["node_modules", "contract"]) symlinkSync(join(root, name), join(folder, name));
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
  } finally {
    await server.stop();
  }
});

describe("where something is missing", () => {
  const isRoot = process.getuid?.() === 0;
  // With the right to read this checkout, wherever it lies.
  const rights = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const asUser = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", ...rights];

  test.each([
    ["HOME is empty", [process.execPath, cliProgram], false],
    // As in a container that is run under an invented user id.
    [
      "there is no HOME and nobody knows the user",
      [...asUser, "env", "-u", "HOME", process.execPath, cliProgram],
      true,
    ],
  ])("%s: a token in SVC_TOKEN works, and login says what it needs", async (_, program, needsRoot) => {
    if (needsRoot && !isRoot) return;
    const server = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
    const env = { HOME: "", SVC_API: server.origin };
    try {
      const options = { program, cwd: tmpdir() };
      const { code } = await person.run(["whoami"], { ...options, env: { ...env, SVC_TOKEN: inventToken() } });
      expect(code).toBe(0);
      const login = await person.run(["login", "--token", "-"], { ...options, env, input: inventToken() });
      expect(login.code).toBe(1);
      expect(login.stderr).toContain("error: There is no home directory to keep the credential in.");
    } finally {
      await server.stop();
    }
  });

  test("the current directory: that is said, and not called a bug", async () => {
    const { code, stderr } = await person.run(["init", "my-game"], {
      program: ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', process.execPath, cliProgram],
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: The current directory: no such file or directory (ENOENT).\n  system\n",
    });
  });
});
