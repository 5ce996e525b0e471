import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { writeFiles } from "../../../support/cli/cli.ts";
import { atService, blocksToRun, codeBlocks, emptyShell, root, shellEnvironment } from "../../../support/documents.ts";
import { actorsOf, type Developer } from "../../../support/service/actors.ts";
import { useCliUser, useService } from "../../../support/service/suite.ts";

// Its commands name a project of their own, which may be created once.
const service = useService({});
const reader = useCliUser({ isNew: true });
let developer: Developer;

beforeAll(async () => {
  developer = await actorsOf(service).developer();
});

const run = async (
  script: string,
  env: Readonly<Record<string, string>>,
  options: { cwd?: string; trace?: true } = {},
) => {
  const { code, stdout, stderr } = await reader.run([...(options.trace ? ["-x"] : []), "-c", script], {
    program: emptyShell,
    env: { ...shellEnvironment(service), ...env },
    ...(options.cwd && { cwd: options.cwd }),
  });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

test("every command of docs/cli.md does what it says, with the package that its first ones install", async () => {
  const [fromStage = "", fromClone = "", login = "", session, change, ci] = blocksToRun("docs/cli.md", 6, service);
  const prefix = join(reader.home, "prefix");
  const npm = { npm_config_prefix: prefix, npm_config_ignore_scripts: "true" };
  const installed = { PATH: `${prefix}/bin:${process.env["PATH"]}` };
  await run(`${fromStage}\nsvc --version`, { ...npm, ...installed });
  // A copy of what is packed, without scripts, because they would build again while other tests use the build.
  const clone = join(reader.home, "clone");
  cpSync(join(root, "cli"), join(clone, "cli"), { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  writeFiles(clone, { "package.json": JSON.stringify({ private: true, workspaces: ["cli"] }) });
  await run(`npm uninstall --global @svc-publish/cli\n${fromClone}`, npm, { cwd: clone });

  expect(await run(login, {}, { cwd: root })).toContain("4. svc login --token - ");
  const output = await run(`${session}\n${change}`, installed);
  expect(output).toContain("This was a dry run: nothing was changed.");
  expect(output).toContain("<h1>Game</h1>");
  expect(output).toContain(" is live again.");
  expect(output).toContain("still works: revoke it");
  const ada = actorsOf(service).bearer(await service.idToken({ sub: "ada" }));
  const { body } = await ada.post("/tokens", { name: "CI", scopes: ["publish"] });
  const secrets = { ...installed, SVC_API: service.api, SVC_TOKEN: body.token };
  expect(await run(`cd my-game\n${ci}`, secrets)).toMatch(
    /"event":"published".*"sent":\{"files":0,"variants":0,"deltas":0,"bytes":0\}/,
  );
});

/** The script of a step. */
function scriptAfter(workflow: string, name: string): string {
  const [, script = ""] = /^ {8}run: \|\n((?: {10}.*\n)*)/m.exec(workflow.slice(workflow.indexOf(name))) ?? [];
  return script.replace(/^ {10}/gm, "");
}

test("the workflow of docs/github-actions.md publishes with the secret in its last step alone, and shows it nowhere", async () => {
  const [workflow = ""] = codeBlocks("docs/github-actions.md")
    .filter(({ language }) => language === "yaml")
    .map(({ text }) => atService(text.replaceAll("https://api.svc.example", service.api), service));
  expect(workflow).not.toMatch(/set -x|xtrace|\$SVC_TOKEN|printenv|pull_request_target/);
  expect(workflow.match(/secrets\.SVC_TOKEN/g)).toHaveLength(1);
  const install = scriptAfter(workflow, "- name: Install svc").replaceAll("https://dashboard.svc.example", service.api);
  const step = workflow.slice(workflow.indexOf("- name: Publish"));
  expect(step).toMatch(/ SVC_TOKEN: \$\{\{ secrets\.SVC_TOKEN \}\}$/m);
  const script = scriptAfter(workflow, "- name: Publish").replaceAll("my-game", "ci-game");
  await developer.post("/projects", { slug: "ci-game" });
  const narrow = await developer.token({ scopes: ["publish"], projects: ["ci-game"] });
  const prefix = join(reader.home, "ci");
  const PATH = `${prefix}/bin:${process.env["PATH"]}`;
  const packed = Buffer.from(await (await fetch(`${service.api}/svc.tgz`)).arrayBuffer());
  const pinned = { npm_config_prefix: prefix, SHA256: createHash("sha256").update(packed).digest("hex") };
  await run(install, pinned);
  const other = install.replace("svc-$SHA256", `svc-${pinned.SHA256}`);
  await expect(run(other, { ...pinned, SHA256: "0".repeat(64) })).rejects.toThrow("computed checksum did NOT match");
  const env = { PATH, SVC_API: service.api, SVC_TOKEN: narrow.credential };
  writeFiles(reader.home, { "dist/index.html": "<h1>From CI</h1>\n" });
  expect(await run(script, env)).toMatch(/Published 1 file .* of ci-game/);
  // Tracing should be off; if somebody turns it on, it must show no token.
  await run(script, env, { trace: true });
});
