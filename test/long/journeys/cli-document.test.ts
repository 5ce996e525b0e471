import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { assertNoTokens, cliProgram } from "../../support/cli/cli.ts";
import { actorsOf, type Developer, type TokenActor } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const docs = join(root, "docs");
// Its commands name a project of their own, which may be created once.
const service = useService({});
let developer: Developer;
let token: TokenActor;
let home: string;

beforeAll(async () => {
  developer = await actorsOf(service).developer();
  token = await developer.token({ scopes: ["publish", "projects"] });
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc-docs-"));
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "svc"), `#!/bin/sh\nexec "${process.execPath}" "${cliProgram}" "$@"\n`);
  chmodSync(join(home, "bin", "svc"), 0o755);
  mkdirSync(join(home, "game", "dist"), { recursive: true });
  writeFileSync(join(home, "game", "dist", "index.html"), "<h1>Game</h1>\n");
});
afterEach(() => rmSync(home, { recursive: true }));

async function blocksOf(document: string, language: string): Promise<string[]> {
  const text = await readFile(join(docs, document), "utf8");
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, block = ""]) =>
    block
      .replaceAll(/http:\/\/127\.0\.0\.1:8787|https:\/\/api\.svc\.example/g, service.api)
      .replaceAll("localhost:8787", service.gamesDomain),
  );
}

/** Runs a script in the game's folder with an empty home directory, and fails where a token was printed. */
async function run(script: string, env: Record<string, string>, ...options: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(
    "bash",
    ["--noprofile", "--norc", "-euo", "pipefail", ...options, "-c", script],
    {
      cwd: join(home, "game"),
      env: { PATH: `${join(home, "bin")}:${process.env["PATH"]}`, HOME: home, ...env },
    },
  );
  assertNoTokens(stdout + stderr, [token.credential]);
  return stdout;
}

test("every command of docs/cli.md does what it says", async () => {
  const [install, login, session, change, ci, ...rest] = await blocksOf("cli.md", "sh");
  expect(rest).toEqual([]);
  // test/long/journeys/package.test.ts packs and installs.
  expect(install).toBe("npm pack -w cli\nnpm install --global ./svc-publish-cli-0.1.0.tgz\n");
  // npm itself is slow to start; package.json names the same program.
  expect(login).toBe("npm run try\n");
  const ports = { PORT: new URL(service.api).port, IDP_PORT: new URL(service.issuer).port };
  expect(await run(`"${process.execPath}" "${join(root, "local/try.ts")}"`, ports)).toContain(
    "4. svc login --token - ",
  );
  const output = await run(`${session}\n${change}`, {});
  expect(output).toContain("This was a dry run: nothing was changed.");
  expect(output).toContain("<h1>Game</h1>");
  expect(output).toContain(" is live again, in place of ");
  expect(output).toContain("still works: revoke it");
  const ada = actorsOf(service).bearer(await service.idToken({ sub: "ada" }));
  const { body } = await ada.post("/tokens", { name: "CI", scopes: ["publish"] });
  expect(await run(`cd my-game\n${ci}`, { SVC_API: service.api, SVC_TOKEN: body.token })).toMatch(
    /"event":"published".*"sent":\{"files":0,"variants":0,"bytes":0\}/,
  );
});

test("the workflow of docs/github-actions.md publishes with the secret in its last step alone, and shows it nowhere", async () => {
  const [workflow = ""] = await blocksOf("github-actions.md", "yaml");
  expect(workflow).not.toMatch(/set -x|xtrace|\$SVC_TOKEN|printenv|pull_request_target/);
  expect(workflow.match(/secrets\.SVC_TOKEN/g)).toHaveLength(1);
  const step = workflow.slice(workflow.indexOf("- name: Publish"));
  expect(step).toMatch(/ SVC_TOKEN: \$\{\{ secrets\.SVC_TOKEN \}\}$/m);
  const script = step
    .slice(step.indexOf("run: |") + "run: |".length)
    .replace(/^ {10}/gm, "")
    .replaceAll("my-game", "ci-game");
  await developer.post("/projects", { slug: "ci-game" });
  const narrow = await developer.token({ scopes: ["publish"], projects: ["ci-game"] });
  const env = { SVC_API: service.api, SVC_TOKEN: narrow.credential };
  writeFileSync(join(home, "game", "dist", "index.html"), "<h1>From CI</h1>\n");
  expect(await run(script, env)).toMatch(/Published 1 file .* of ci-game/);
  // Tracing should be off; if somebody turns it on, it must show no token.
  await run(script, env, "-x");
});
