import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { assertNoTokens, writeFiles } from "../../support/cli/cli.ts";
import { root } from "../../support/documents.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { liveRelease, newProject } from "../../support/service/steps.ts";
import { duringTests, useOwner, useService } from "../../support/service/suite.ts";

/* The action, started as GitHub's runner starts it: inputs in the environment, outputs in files, commands on standard output. */

const service = useService();
const ada = useOwner(service);
let folder: string;
let packed: string;

beforeAll(() => {
  const packages = mkdtempSync(join(tmpdir(), "svc-packed-"));
  execFileSync("npm", ["pack", "--workspace", "cli", "--ignore-scripts", "--pack-destination", packages], {
    cwd: root,
  });
  packed = join(packages, readdirSync(packages)[0] ?? "");
});
afterAll(() => rmSync(join(packed, ".."), { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-action-"));
  writeFiles(folder, { "work/dist/index.html": "1", "temp/keep": "", "home/keep": "" });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const branch = { pull_request: { number: 7, head: { repo: { id: 1 } } }, repository: { id: 1 } };
const fork = { pull_request: { number: 7, head: { repo: { id: 2 } } }, repository: { id: 1 } };

interface Step {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What started the workflow. */
  readonly event?: unknown;
}

/** Runs one step of a job. */
async function run({ inputs = {}, env = {}, event = { repository: { id: 1 } } }: Step = {}) {
  const files = Object.fromEntries(
    ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH"].map((name) => [name, join(folder, name)]),
  );
  for (const path of Object.values(files)) writeFileSync(path, "");
  writeFileSync(join(folder, "event.json"), JSON.stringify(event));
  const given = { dir: "dist", project: ada.slug, api: service.api, cli: packed, preview: "false", ...inputs };
  const child = spawn(process.execPath, [join(root, "action/main.mjs")], {
    cwd: join(folder, "work"),
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: join(folder, "work"),
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      GITHUB_REPOSITORY: "ada/star-hopper",
      RUNNER_TEMP: join(folder, "temp"),
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...files,
      ...env,
    },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  const [code] = await once(child, "close");
  // The runner takes a mask for itself; everything else is in the log that people read.
  const shown = log.replace(/^::add-mask::.*\n/gm, "");
  const written = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, readFileSync(path, "utf8")]));
  assertNoTokens(shown + Object.values(written).join(""), Object.values(env).map(String));
  return { code, log: shown, masks: [...log.matchAll(/^::add-mask::(.*)$/gm)].map(([, mask]) => mask), written };
}

const tokenEnv = async () => ({ SVC_TOKEN: (await ada.token({ scopes: ["publish"] })).credential });

test("publishes, writes its outputs and a line of the summary, and nothing for later steps' environment", async () => {
  const env = await tokenEnv();
  const { code, log, masks, written } = await run({ env });
  expect({ code, log }).toEqual({ code: 0, log: expect.stringContaining(`${ada.slug} is live as release `) });
  expect(masks).toEqual([env.SVC_TOKEN]);
  const release = await liveRelease(ada, ada.slug);
  const url = `http://${ada.slug}.${service.gamesDomain}/`;
  expect(written).toEqual({
    GITHUB_OUTPUT: `url=${url}\nrelease=${release}\nchanged=true\n`,
    GITHUB_STEP_SUMMARY: `[${ada.slug}](${url}) is live as release \`${release}\`.\n`,
    GITHUB_ENV: "",
    GITHUB_PATH: "",
  });
  expect(readdirSync(join(folder, "temp"))).toEqual(["keep"]);

  const again = await run({ env });
  expect(again.written["GITHUB_OUTPUT"]).toBe(`url=${url}\nrelease=${release}\nchanged=false\n`);
});

test("installs and runs nothing of the workspace: neither its svc, its .npmrc nor its scripts", async () => {
  const trap = `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "trapped"))}, "")`;
  writeFiles(folder, {
    "work/node_modules/@svc-publish/cli/bin/run.cjs": trap,
    "work/node_modules/.bin/svc": `#!/usr/bin/env node\n${trap}`,
    "work/.npmrc": `script-shell=${join(folder, "work/trap.sh")}\nregistry=http://127.0.0.1:1/\n`,
    "work/package.json": JSON.stringify({ name: "game", scripts: { preinstall: `node -e '${trap}'` } }),
    "work/trap.cjs": trap,
  });
  const { code } = await run({ env: { ...(await tokenEnv()), NODE_OPTIONS: undefined } });
  expect(code).toBe(0);
  expect(existsSync(join(folder, "trapped"))).toBe(false);
  expect(readdirSync(join(folder, "work")).toSorted()).toEqual([
    ".npmrc",
    "dist",
    "node_modules",
    "package.json",
    "trap.cjs",
  ]);
});

test.each([
  ["a pull request from a fork", fork],
  ["one whose fork is deleted", { pull_request: { number: 7, head: { repo: null } }, repository: { id: 1 } }],
  [
    "a workflow that a fork's workflow started",
    { workflow_run: { head_repository: { id: 2 } }, repository: { id: 1 } },
  ],
  ["one that a deleted fork's workflow started", { workflow_run: { head_repository: null }, repository: { id: 1 } }],
  ["an event that names no repository", { workflow_run: { head_repository: null } }],
])("publishes nothing for %s, also where the job has a token, and says why", async (_, event) => {
  const { code, log, written } = await run({ event, env: await tokenEnv() });
  expect({ code, log }).toEqual({
    code: 1,
    log: expect.stringMatching(
      /^::error::This job is for a pull request from a fork, .* this action does not publish it/,
    ),
  });
  expect(written["GITHUB_OUTPUT"]).toBe("");
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();
});

test("without an identity and a token the step says how to give it one", async () => {
  const { code, log } = await run();
  expect({ code, log }).toEqual({
    code: 1,
    log: expect.stringMatching(/^::error::.*permissions: id-token: write.*SVC_TOKEN/),
  });
});

test("what the service refuses is the error of the step, with the exit code of svc", async () => {
  const project = await newProject(ada);
  const { credential } = await ada.token({ scopes: ["publish"], projects: [project] });
  const { code, log } = await run({ env: { SVC_TOKEN: credential } });
  expect(code).toBe(4);
  expect(log).toMatch(/^::error::.*project/m);
});

test.each([
  [{ cli: "@svc-publish/cli@latest" }, "an exact version"],
  [{ cli: "@svc-publish/cli@^0.1.0" }, "an exact version"],
  [{ cli: "--registry=https://attacker.example" }, "an exact version"],
  [{ preview: "yes" }, "true or false"],
  [{ api: "" }, "The input api is missing"],
])("refuses the inputs %j", async (inputs, sentence) => {
  const { code, log } = await run({ inputs, env: await tokenEnv() });
  expect({ code, log }).toEqual({ code: 1, log: expect.stringContaining(sentence) });
});

test("no line of svc's output is a command to the runner", async () => {
  writeFiles(folder, { "work/dist/x\n::set-env name=A::b.pem": "key" });
  const { log } = await run({ env: await tokenEnv() });
  const [, marker = ""] = /^::stop-commands::(.+)$/m.exec(log) ?? [];
  const outside = log
    .split(`::stop-commands::${marker}\n`)
    .flatMap((part, index) => (index === 0 ? [part] : [part.split(`::${marker}::\n`)[1] ?? ""]));
  expect(marker).toMatch(/^[0-9a-f-]{36}$/);
  expect(outside.join("")).not.toMatch(/^::set-env/m);
});

test("an input is one word of svc's command line, whatever it holds", async () => {
  const inputs = { project: `${ada.slug}; touch trapped $(touch trapped)`, dir: "--help" };
  const { code } = await run({ inputs, env: await tokenEnv() });
  expect(code).not.toBe(0);
  expect(existsSync(join(folder, "work/trapped"))).toBe(false);
});

const github = useGitHub();

test("a preview is commented on its pull request, once: a later run changes its own comment and no stranger's", async () => {
  github.comments.push({ id: 1, body: `<!-- svc preview of ${ada.slug} -->\nmine`, user: { type: "User" } });
  const step = { event: branch, inputs: { preview: "true", "github-token": "ghs_secret" } };
  const env = { ...(await tokenEnv()), GITHUB_API_URL: github.endpoint };
  const { code, log, masks, written } = await run({ ...step, env });
  expect(code).toBe(0);
  expect(log).not.toContain("ghs_secret");
  expect(masks).toContain("ghs_secret");
  const url = /url=(.*)\n/.exec(written["GITHUB_OUTPUT"] ?? "")?.[1] ?? "";
  expect(new URL(url).hostname).toContain("--");
  expect(github.comments).toHaveLength(2);
  expect(github.comments[1]?.body).toContain(`[Play the preview of ${ada.slug}](${url})`);
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();

  writeFiles(folder, { "work/dist/index.html": "2" });
  await run({ ...step, env });
  expect(github.comments).toHaveLength(2);
  expect(github.comments[0]?.body).toMatch(/mine$/);
  expect(github.comments[1]?.body).not.toContain(url);
  expect(new Set(github.authorizations)).toEqual(new Set(["Bearer ghs_secret"]));
});

test("a comment that GitHub refuses is a warning: the preview is there", async () => {
  const inputs = { preview: "true", "github-token": "ghs_secret" };
  const env = { ...(await tokenEnv()), GITHUB_API_URL: `${github.endpoint}/refuses` };
  const { code, log } = await run({ event: branch, inputs, env });
  expect({ code, log }).toEqual({
    code: 0,
    log: expect.stringContaining("::warning::The pull request has no comment: GitHub responded with 403."),
  });
});

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly type: string };
}

/** The part of GitHub's API that comments need. */
function useGitHub() {
  const comments: Comment[] = [];
  const authorizations: (string | undefined)[] = [];
  beforeEach(() => {
    comments.length = 0;
    authorizations.length = 0;
  });
  return duringTests(async () => {
    const server = await startHttpServer(async (request, response) => {
      authorizations.push(request.headers.authorization);
      const body = JSON.parse((await request.toArray()).join("") || "{}").body;
      const id = Number(/^\/repos\/ada\/star-hopper\/issues\/comments\/(\d+)$/.exec(request.url ?? "")?.[1]);
      const isList = /^\/repos\/ada\/star-hopper\/issues\/7\/comments(\?|$)/.test(request.url ?? "");
      if (!isList && !id) return response.writeHead(403).end("{}");
      if (request.method === "POST") comments.push({ id: 2, body, user: { type: "Bot" } });
      if (request.method === "PATCH") comments.splice(id - 1, 1, { id, body, user: { type: "Bot" } });
      return response.end(JSON.stringify(request.method === "GET" ? comments : {}));
    });
    return { ...server, comments, authorizations };
  });
}
