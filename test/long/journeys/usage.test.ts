import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "@jest/globals";
import { cliProgram, inventToken } from "../../support/cli/cli.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { useCliUser } from "../../support/service/suite.ts";

const person = useCliUser();

describe("an invalid command line exits with 2", () => {
  test.each([
    [["whoam"], "svc has no command whoam. Did you mean whoami?"],
    [["frobnicate"], "svc has no command frobnicate."],
    [["projects", "creat"], "svc has no command projects creat. Did you mean projects create?"],
    [["deploy"], "svc has no command deploy. Did you mean publish?"],
    [["tokens", "create"], "Unexpected argument: create"],
    [["api", "GET"], "Missing 1 required arg"],
    [["api", "/me"], "Missing 1 required arg"],
    [["projects", "edit", "my-game"], "Nothing to change is named."],
    [["init", "api"], "api cannot be the slug of a project: it is a reserved word."],
    [["projects", "create", "no-reply"], "no-reply cannot be the slug of a project: it is a reserved word."],
    [["projects", "create", "a--b"], "a--b cannot be the slug of a project: a slug is 3 to 40 of a-z, 0-9 and -."],
    [["projects", "create", "my-game", "-n", "My game"], "Nonexistent flag: -n"],
    [["help", "whoam"], "svc has no command whoam. Did you mean whoami?"],
    [["projects", "creat", "--help"], "svc has no command projects creat. Did you mean projects create?"],
    [["--jsn", "whoami"], "The command comes first, then its flags."],
    [["login", "--tokn", "-"], "Nonexistent flag: --tokn. Did you mean --token?"],
    [["whoami", "--jsn"], "Nonexistent flag: --jsn. Did you mean --json?"],
    [["whoami", "extra"], "Unexpected argument: extra"],
    [["whoami", inventToken()], "Unexpected argument: pat_…"],
    [["completion"], "Missing 1 required arg"],
    [["completion", "tcsh"], "Expected tcsh to be one of: bash, zsh, fish"],
    [["logout", "--api=https://staging.svc.example"], "Nonexistent flag: --api=https://staging.svc.example"],
    [["releases", "--limit", "0"], "--limit: Expected an integer greater than or equal to 1"],
    [["init", "My Game"], "My Game cannot be the slug of a project: a slug is 3 to 40 of a-z, 0-9 and -."],
    [
      ["projects", "create", "My_Game"],
      "My_Game cannot be the slug of a project: a slug is 3 to 40 of a-z, 0-9 and -.",
    ],
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
    const server = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
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
