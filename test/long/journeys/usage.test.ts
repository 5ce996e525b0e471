import { chmodSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { cliProgram, inventToken, writeFiles } from "../../support/cli/cli.ts";
import { respondAsGoodApi, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { useCliUser } from "../../support/service/suite.ts";

const person = useCliUser();

describe("an invalid command line exits with 2", () => {
  test.each([
    [["whoam"], "svc has no command whoam. Did you mean svc whoami"],
    [["frobnicate"], "svc has no command frobnicate."],
    [["projects", "creat"], "svc has no command projects creat. Did you mean svc projects create"],
    [["deploy"], "svc has no command deploy. Did you mean svc publish"],
    [["deploy", "dist", "-n"], "svc has no command deploy. Did you mean svc publish dist -n"],
    [["push", "dist", "ada/my-game:web"], "svc has no command push. Did you mean svc publish dist --project my-game"],
    [["puglish", "dist"], "svc has no command puglish. Did you mean svc publish dist"],
    [["publish", "dist", "my-game"], "Unexpected argument: my-game. Did you mean svc publish dist --project my-game"],
    [["publish", "--dir", "dist", "-n"], "Nonexistent flag: --dir. Did you mean svc publish dist -n"],
    [["publish", "--dir=dist"], "Nonexistent flag: --dir=dist. Did you mean svc publish dist"],
    [["releases", "my-game"], "Unexpected argument: my-game. Did you mean svc releases --project my-game"],
    [["live", "3", "my-game"], "Unexpected argument: my-game. Did you mean svc live 3 --project my-game"],
    [["tokens", "create"], "svc has no command tokens. Did you mean svc open tokens"],
    [
      ["invite", "--role", "admin", "-p", "my-game"],
      "svc has no command invite. Did you mean svc open members -p my-game",
    ],
    [["publishers", "add"], "svc has no command publishers add. Did you mean svc open publishers"],
    [["projects", "delete", "my-game"], "svc has no command projects delete. Did you mean svc open delete -p my-game"],
    [["open", "my-game"], "svc open knows no place my-game. Did you mean svc open -p my-game"],
    [["open", "memebrs"], "svc open knows no place memebrs. Did you mean svc open members"],
    [["deploy", "it's"], "svc has no command deploy. Did you mean svc publish …"],
    [["api", "GET"], "Missing 1 required arg"],
    [["api", "/me"], "Missing 1 required arg"],
    [["projects", "edit", "my-game"], "Nothing to change is named."],
    [["init", "api"], "api cannot be an address: it is a reserved word."],
    [["projects", "create", "no-reply"], "no-reply cannot be an address: it is a reserved word."],
    [["projects", "create", "a--b"], "a--b cannot be an address: 3 to 40 of a-z, 0-9 and -."],
    [["projects", "create", "my-game", "-n", "My game"], "Nonexistent flag: -n"],
    [["help", "whoam"], "svc has no command whoam. Did you mean svc whoami"],
    [["projects", "creat", "--help"], "svc has no command projects creat. Did you mean svc projects create"],
    [["--jsn", "whoami"], "The command comes first, then its flags."],
    [["login", "--tokn", "-"], "Nonexistent flag: --tokn. Did you mean --token?"],
    [["whoami", "--jsn"], "Nonexistent flag: --jsn. Did you mean --json?"],
    [["whoami", "extra"], "Unexpected argument: extra"],
    [["whoami", inventToken()], "Unexpected argument: pat_…"],
    [["completion"], "Missing 1 required arg"],
    [["completion", "tcsh"], "Expected tcsh to be one of: bash, zsh, fish"],
    [["init", "my-game", "--api=https://staging.svc.example"], "Nonexistent flag: --api=https://staging.svc.example"],
    [["releases", "--limit", "0"], "--limit: Expected an integer greater than or equal to 1"],
    [["init", "My Game"], "My Game cannot be an address: 3 to 40 of a-z, 0-9 and -."],
    [["projects", "create", "My_Game"], "My_Game cannot be an address: 3 to 40 of a-z, 0-9 and -."],
    [["publish", "-p", "My_Game"], "My_Game cannot be an address: 3 to 40 of a-z, 0-9 and -."],
    [["releases", "-p", "a/b"], "a/b cannot be an address: 3 to 40 of a-z, 0-9 and -."],
    [
      ["stats", "-p", "my-game", "--from", "yesterday", "--api", "http://127.0.0.1:9"],
      "--from must be a day such as 2",
    ],
    [["whoami", "--api"], "Flag --api expects a value"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await person.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
  });

  test.each([
    [["whoam"], "svc has no command whoam. Did you mean svc whoami"],
    [["whoami", "extra"], "Unexpected argument: extra"],
    [["init", "api"], "api cannot be an address: it is a reserved word."],
  ])("%j with --json too, with a document", async (args, message) => {
    const { code, json } = await person.run([...args, "--json"]);
    expect({ code, error: json.error }).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining(message), exit_code: 2 },
    });
  });
});

describe("svc NAME runs svc-NAME of the PATH", () => {
  const script = `#!/bin/sh
echo "$0: $*: $SVC_TOKEN$SVC_ID_TOKEN: $SVC_API"
[ "$1" = stop ] && kill -TERM $$
exit 7
`;

  async function run(args: readonly string[], folder = "bin") {
    const names = ["hello", "whoami", "projects", "help", "login", "complete"];
    for (const name of names) {
      writeFiles(person.home, { [`bin/svc-${name}`]: script });
      chmodSync(join(person.home, `bin/svc-${name}`), 0o755);
    }
    writeFiles(person.home, { "bin/svc-text": "not executable" });
    const bin = folder.startsWith(".") ? folder : join(person.home, folder);
    const env = { PATH: `${bin}:${process.env["PATH"]}`, SVC_API: "http://127.0.0.1:9" };
    return await person.run(args, { env: { ...env, SVC_TOKEN: inventToken(), SVC_ID_TOKEN: "e.y.J" } });
  }

  test("with its arguments and exit code, and without the token", async () => {
    const { code, stdout, stderr } = await run(["hello", "--json", "a b", "--", "-x", "--help"]);
    expect({ code, stderr }).toEqual({ code: 7, stderr: "" });
    expect(stdout).toBe(`${person.home}/bin/svc-hello: --json a b -- -x --help: : http://127.0.0.1:9\n`);
    expect(await run(["hello", "--help"])).toMatchObject({ code: 7 });
    expect(await run(["hello", "stop"])).toMatchObject({ code: 143 });
  });

  test.each([
    [["whoami", "--help"], 0],
    [["whoami", "extra"], 2],
    [["projects"], 0],
    [["projects", "frobnicate"], 2],
    [["help", "frobnicate"], 2],
    [["login", "--frobnicate"], 2],
    [["complete", "--", "=hel"], 0],
    [["../bin/svc-hello"], 2],
    [["text"], 2],
  ])("but never in place of a command of svc, nor what is no program: %j", async (args, code) => {
    const ran = await run(args);
    expect({ code: ran.code, ran: ran.stdout.includes("/bin/svc-") }).toEqual({ code, ran: false });
  });

  test("nor one of a relative folder", async () => {
    expect(await run(["hello"], "./bin")).toMatchObject({ code: 2, stdout: "" });
  });
});

test("--version names version, system and node, and is JSON with --json", async () => {
  const { stdout } = await person.run(["--version"]);
  expect(stdout).toMatch(/^svc\/\d+\.\d+\.\d+ \S+ node-v\d+\.\d+\.\d+\n$/);
  expect((await person.run(["--version", "--json"])).json).toEqual({ version: expect.any(String) });
});

test.each(["--version", "--help", "completion bash"])("svc %s into a closed pipe is no error", async (args) => {
  const { code, stderr } = await person.run(
    ["-c", `"$0" "${cliProgram}" ${args} | true; echo "\${PIPESTATUS[0]}" >&2`, process.execPath],
    {
      program: ["bash"],
    },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "0\n" });
});

test("a command works if standard error is closed", async () => {
  const script = `"$0" "${cliProgram}" logout 2>&1 >out | true; echo "\${PIPESTATUS[0]}"; cat out`;
  const { stdout } = await person.run(["-c", script, process.execPath], {
    program: ["bash"],
    env: { SVC_TOKEN: inventToken() },
  });
  expect(stdout).toMatch(/^0\nThere is no saved token /);
});

test("a full disk for standard output is a failure", async () => {
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

describe("without home directory or user entry", () => {
  const isRoot = process.getuid?.() === 0;
  // With the permission to read this checkout in any folder.
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
    const server = await startMisbehavingServer(respondAsGoodApi);
    const env = { HOME: "", SVC_API: server.origin };
    try {
      const options = { program, cwd: tmpdir() };
      const { code } = await person.run(["whoami"], { ...options, env: { ...env, SVC_TOKEN: inventToken() } });
      expect(code).toBe(0);
      const login = await person.run(["login", "--token", "-"], { ...options, env, input: inventToken() });
      expect(login.code).toBe(1);
      expect(login.stderr).toContain("error: There is no home directory in which to save the token.");
    } finally {
      await server.stop();
    }
  });

  test("a folder of -C that is not there is named", async () => {
    const { code, stderr } = await person.run(["completion", "bash", "-C", "nowhere"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: nowhere: no such file or directory (ENOENT).\n  system\n",
    });
  });

  test("a removed current directory is an error with its reason, not a bug", async () => {
    const { code, stderr } = await person.run(["init", "my-game"], {
      program: ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', process.execPath, cliProgram],
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: The current directory: no such file or directory (ENOENT).\n  system\n",
    });
  });
});
