import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { cliEnvironment, cliProgram, commandIds, inventToken } from "../../support/cli/cli.ts";
import { sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { useCliUser, useServers } from "../../support/service/suite.ts";

const person = useCliUser();
const keep = useServers();

const releases = ["0Vx3mGk8cW2bT7qLr9Zs4A", "1Ax3mGk8cW2bT7qLr9Zs4B"];

/** Puts `svc` into a folder of the PATH, with folders to complete beside it. */
beforeEach(() => {
  for (const name of ["bin", "dist", "sp ace", "it's"]) mkdirSync(join(person.home, name));
  const program = join(person.home, "bin", "svc");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${cliProgram}" "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(person.home, "svc.toml"), 'project = "space-war"\n');
});

async function apiEnvironment() {
  const server = await keep(
    startMisbehavingServer((request, response) => {
      const isReleases = request.url?.includes("/releases");
      const items = isReleases
        ? releases.map((id) => ({ id, message: "Faster" }))
        : [
            { slug: "chess", name: "Ada's chess" },
            { slug: "space-war", name: "Space" },
          ];
      sendJson(response, 200, { [isReleases ? "releases" : "projects"]: items, next_cursor: null });
    }),
  );
  return { SVC_API: server.origin, SVC_TOKEN: inventToken() };
}

/** Runs a shell's completion of the last of `words`, with the script that svc prints for it. */
type Shell = (words: readonly string[], env?: Record<string, string>) => Promise<string[]>;

const bash: Shell = (words, env) =>
  lines("bash", [
    `eval "$(svc completion bash)"; COMP_WORDS=(svc "$@"); COMP_CWORD=$#; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    words,
    env,
  ]);

/** Prints what the script hands to zsh's own functions, which need a terminal. */
const zsh: Shell = (words, env) =>
  lines("zsh", [
    `compdef() { : }
     _describe() { print -rl -- "\${(@)\${(P)2}%%:*}" }
     compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "$@" }
     eval "$(svc completion zsh)"; words=(svc "$@"); CURRENT=$#words; _svc`,
    words,
    env,
  ]);

const fish: Shell = async (words, env) => {
  const line = ["svc", ...words].map((word) => word.replace(/[ ']/g, "\\$&")).join(" ");
  const found = await lines("fish", ["svc completion fish | source; complete -C $argv[1]", [line], env]);
  return found.map((completion) => completion.split("\t")[0]?.replace(/\/$/, "").replaceAll("\\", "") ?? "");
};

async function lines(
  shell: string,
  [script, words, env = {}]: [string, readonly string[], Record<string, string> | undefined],
): Promise<string[]> {
  const options = shell === "bash" ? ["--norc", "-c", script, shell] : shell === "zsh" ? ["-fc", script, shell] : [];
  const args = shell === "fish" ? ["--no-config", "-c", script] : options;
  const PATH = `${join(person.home, "bin")}:${process.env["PATH"]}`;
  const child = spawn(shell, [...args, ...words], {
    cwd: person.home,
    env: { ...cliEnvironment(person.home, env), PATH },
    timeout: 30_000,
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  await new Promise((resolve) => child.on("close", resolve));
  expect(output.stderr).toBe("");
  return output.stdout.split("\n").filter(Boolean);
}

const shells = { bash, zsh, fish };
const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

for (const [name, complete] of Object.entries(shells))
  (has(name) ? test : test.skip)(
    `${name} completes commands, folders with a space or an apostrophe in their names, and projects`,
    async () => {
      const first = commandIds.map((id) => id.split(":")[0] ?? "");
      expect(new Set(await complete([""]))).toEqual(new Set([...first, "help"]));
      expect(await complete(["projects", "li"])).toEqual(["list"]);
      expect((await complete(["publish", "--directory", ""])).sort()).toEqual(["bin", "dist", "it's", "sp ace"]);
      expect(await complete(["init", "--dir", "sp"])).toEqual(["sp ace"]);
      expect(await complete(["publish", "--project", "ch"], await apiEnvironment())).toEqual(["chess"]);
    },
  );

test.each([
  [["who"], ["whoami"]],
  [["help", "projects", "cr"], ["create"]],
  [["dev", "--no"], ["--no-reload"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish", "powershell"],
  ],
  [["open", "me"], ["members"]],
  [["publish", "-"], expect.arrayContaining(["-p", "-n", "--project", "--json"])],
  [["publish", "di"], ["dist"]],
  [
    ["publish", "-p", ""],
    ["chess", "space-war"],
  ],
  [["rollback", ""], releases],
  [["publish", "--expect-current", ""], releases],
  [["previews", "--end", ""], releases],
  [["publish", "--message", ""], []],
])("the words for %j", async (words, completions) => {
  const args = ["complete", "--", `=${words.at(-1)}`, ...words.slice(0, -1)];
  const { stdout } = await person.run(args, { env: await apiEnvironment() });
  const found = stdout.split("\n").filter(Boolean);
  expect(found.map((line) => line.split("\t")[0]?.replace(/\/$/, ""))).toEqual(completions);
});

test("without a login projects are not completed, and nothing is printed", async () => {
  const { code, stdout, stderr } = await person.run(["complete", "--", "=", "publish", "--project"]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("a summary with an apostrophe is printed as it is", async () => {
  const { stdout } = await person.run(["complete", "--", "=", "publish", "-p"], { env: await apiEnvironment() });
  expect(stdout).toContain("chess\tAda's chess\n");
});

test("PowerShell gets a script, and the shells that have none are refused", async () => {
  expect((await person.run(["completion", "powershell"])).stdout).toContain("Register-ArgumentCompleter -Native");
  expect((await person.run(["completion", "tcsh"])).code).toBe(2);
});
