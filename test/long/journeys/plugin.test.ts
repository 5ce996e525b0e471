import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "@jest/globals";
import { inventToken, writeFiles } from "../../support/cli/cli.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { duringTests, useCliUser } from "../../support/service/suite.ts";

/*
 * Another command line that is made with oclif, `host`, which has the commands of svc because its package.json names our
 * package as a plugin. It has an oclif of its own.
 */
const server = duringTests(() => startMisbehavingServer((_, response) => sendJson(response, 200, goodMe)));
const person = useCliUser();
let program: string[];

beforeEach(() => {
  program = [process.execPath, makeHost(join(person.home, "host"))];
});

function makeHost(folder: string): string {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const files = {
    "package.json": JSON.stringify({
      name: "host",
      version: "1.0.0",
      dependencies: { "@oclif/core": "*", "@svc-publish/cli": "*" },
      oclif: { bin: "host", topicSeparator: " ", commands: "./commands", plugins: ["@svc-publish/cli"] },
    }),
    "commands/hello.js":
      'const { Command } = require("@oclif/core"); module.exports = class extends Command { run() { this.log("hello"); } };',
    "bin/run.js": 'require("@oclif/core").execute({ dir: __dirname });',
  };
  writeFiles(folder, files);
  for (const [name, target] of Object.entries({
    "@oclif/core": "node_modules/@oclif/core",
    "@svc-publish/cli": "cli",
  })) {
    mkdirSync(join(folder, "node_modules", dirname(name)), { recursive: true });
    symlinkSync(join(root, target), join(folder, "node_modules", name));
  }
  return join(folder, "bin", "run.js");
}

const host = (args: string[], env: Record<string, string> = {}) =>
  person.run(args, { program, env: { SVC_API: server.origin, ...env } });

test("has svc's commands besides its own, also in its help", async () => {
  expect((await host(["hello"])).stdout).toBe("hello\n");
  const { stdout, stderr } = await host(["--help"]);
  for (const line of ["hello", "whoami", "publish", "projects"])
    expect(stdout).toMatch(new RegExp(`^  ${line}\\b`, "m"));
  expect(stderr).toBe("");
  expect((await host(["projects", "create", "--help"])).stdout).toContain("$ host projects create");
});

test("runs svc's commands with the same results, errors and exit codes", async () => {
  const token = inventToken();
  const { code, json, stderr } = await host(["whoami", "--json"], { SVC_TOKEN: token });
  expect({ code, stderr, uid: json.user.uid }).toEqual({ code: 0, stderr: "", uid: "ada" });
  for (const args of [["whoami"], ["whoami", "--json"], ["login", "--tokn", "-"], ["completion", "tcsh", "--json"]]) {
    const [there, here] = [await host(args), await person.run(args, { env: { SVC_API: server.origin } })];
    expect(there).toMatchObject({ code: here.code, stdout: here.stdout, stderr: here.stderr });
    expect(here.code).not.toBe(0);
  }
});

test("keeps its own error for a command that neither has", async () => {
  const { code, stderr } = await host(["whoam"]);
  expect(code).toBe(2);
  expect(stderr).toContain("command whoam not found");
});
