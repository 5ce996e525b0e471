import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { useAction, useGitHub, writtenFor } from "../../support/cli/action.ts";
import { writeFiles } from "../../support/cli/cli.ts";
import { createCertificate } from "../../support/network/certificate.ts";
import { startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { liveRelease, newProject } from "../../support/service/steps.ts";
import { useOwner, useServers, useService } from "../../support/service/suite.ts";

/* The action with a token. */

const service = useService();
const ada = useOwner(service);
const action = useAction(() => ({ project: ada.slug, api: service.api }));
const github = useGitHub();
const keep = useServers();
const { run } = action;

const ofBranch = { pull_request: { number: 7, head: { repo: { id: 1 } } }, repository: { id: 1 } };
const ofFork = { pull_request: { number: 7, head: { repo: { id: 2 } } }, repository: { id: 1 } };

const tokenEnv = async () => ({ SVC_TOKEN: (await ada.token({ scopes: ["publish"] })).credential });

test("publishes, writes its outputs and a line of the summary, and nothing for later steps' environment", async () => {
  const env = await tokenEnv();
  const { code, log, masks, written } = await run({ env });
  expect({ code, log }).toEqual({ code: 0, log: expect.stringContaining(`${ada.slug} is live as release `) });
  expect(masks).toEqual([env.SVC_TOKEN]);
  const release = await liveRelease(ada, ada.slug);
  const url = `http://${ada.slug}.${service.gamesDomain}/`;
  expect(written).toEqual(writtenFor({ slug: ada.slug, url, release }));
  expect(readdirSync(join(action.folder, "temp"))).toEqual(["keep"]);

  const again = await run({ env });
  expect(again.written["GITHUB_OUTPUT"]).toBe(`url=${url}\nrelease=${release}\nchanged=false\nstatus=live\n`);
});

test("with check it publishes nothing if no browser can start the game", async () => {
  const env = { ...(await tokenEnv()), CHROME_PATH: join(action.folder, "none") };
  const { code, log } = await run({ inputs: { check: "true" }, env });
  expect({ code, log }).toEqual({ code: 5, log: expect.stringContaining("/none is no program.") });
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();
  const unclear = await run({ inputs: { check: "yes" }, env });
  expect(unclear).toMatchObject({
    code: 1,
    log: expect.stringContaining("The input check is true or false, not yes."),
  });
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "a job that is cancelled (%s) ends svc too, which says so",
  async (signal) => {
    const asked = Promise.withResolvers<void>();
    const api = await keep(startMisbehavingServer(() => asked.resolve()));
    const interrupt = { after: asked.promise, signal };
    const { code, log } = await run({ inputs: { api: api.origin }, env: await tokenEnv(), interrupt });
    expect({ code, log }).toEqual({ code: 130, log: expect.stringContaining("Interrupted") });
  },
);

test("installs and runs nothing of the workspace: neither its svc, its .npmrc nor its scripts", async () => {
  const trap = `require("node:fs").writeFileSync(${JSON.stringify(join(action.folder, "trapped"))}, "")`;
  writeFiles(action.folder, {
    "work/node_modules/@svc-publish/cli/bin/run.cjs": trap,
    "work/node_modules/.bin/svc": `#!/usr/bin/env node\n${trap}`,
    "work/.npmrc": `script-shell=${join(action.folder, "work/trap.sh")}\nregistry=http://127.0.0.1:1/\n`,
    "work/package.json": JSON.stringify({ name: "game", scripts: { preinstall: `node -e '${trap}'` } }),
    "work/trap.cjs": trap,
  });
  const { code } = await run({ env: { ...(await tokenEnv()), NODE_OPTIONS: undefined } });
  expect(code).toBe(0);
  expect(existsSync(join(action.folder, "trapped"))).toBe(false);
  expect(readdirSync(join(action.folder, "work")).toSorted()).toEqual([
    ".npmrc",
    "dist",
    "node_modules",
    "package.json",
    "trap.cjs",
  ]);
});

test.each([
  ["a pull request from a fork", ofFork],
  ["one whose fork is deleted", { pull_request: { number: 7, head: { repo: null } }, repository: { id: 1 } }],
  [
    "a workflow that a fork's workflow started",
    { workflow_run: { head_repository: { id: 2 } }, repository: { id: 1 } },
  ],
  ["one that a deleted fork's workflow started", { workflow_run: { head_repository: null }, repository: { id: 1 } }],
  ["an event that names no repository", { workflow_run: { head_repository: null } }],
])("publishes nothing for %s, also if the job has a token, and says why", async (_, event) => {
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
  [{ cli: "@svc-publish/cli@0.1.0" }, "The input sha256 is the SHA-256 of what cli names"],
  [{ cli: "https://dashboard.svc.example/svc.tgz" }, "The input sha256 is the SHA-256 of what cli names"],
  [{ sha256: "sha512-x" }, "The input sha256 is the SHA-256 of what cli names"],
  [{ preview: "Not a name" }, "true or false, or a name"],
  [{ api: "" }, "The input api is missing"],
])("refuses the inputs %j", async (inputs, sentence) => {
  const { code, log } = await run({ inputs, env: await tokenEnv() });
  expect({ code, log }).toEqual({ code: 1, log: expect.stringContaining(sentence) });
});

test.each(["its host", "the registry"])(
  "installs the package that the workflow pins from %s, and no other",
  async (from) => {
    const certificate = createCertificate("localhost");
    writeFiles(action.folder, { "host.pem": certificate.cert });
    const bytes = readFileSync(action.packed);
    let status = 200;
    const host = await keep(
      startMisbehavingServer(({ url }, response) => {
        const tarball = `${host.origin}/svc.tgz`;
        if (url === "/@svc-publish%2fcli/0.1.0") response.end(JSON.stringify({ dist: { tarball } }));
        else response.writeHead(status).end(bytes);
      }, certificate),
    );
    const cli = from === "the registry" ? "@svc-publish/cli@0.1.0" : `${host.origin}/svc.tgz`;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const env = {
      ...(await tokenEnv()),
      NODE_EXTRA_CA_CERTS: join(action.folder, "host.pem"),
      NPM_CONFIG_REGISTRY: `${host.origin}/`,
    };
    const other = sha256.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    const refused = await run({ inputs: { cli, sha256: other }, env });
    expect({ code: refused.code, log: refused.log }).toEqual({
      code: 1,
      log: expect.stringContaining(`::error::${cli} has the SHA-256 ${sha256}, which is not the input sha256.`),
    });
    status = 503;
    const unavailable = await run({ inputs: { cli, sha256 }, env });
    expect({ code: unavailable.code, log: unavailable.log }).toEqual({
      code: 1,
      log: `::error::svc could not be downloaded from ${cli}: ${new URL(host.origin).host} responded with 503.\n`,
    });
    expect(readdirSync(join(action.folder, "temp"))).toEqual(["keep"]);
    expect(await liveRelease(ada, ada.slug)).toBeUndefined();
    status = 200;
    expect((await run({ inputs: { cli, sha256: sha256.toUpperCase() }, env })).code).toBe(0);
  },
);

test("starts without npm in PATH, and tells tar no credential and no file of the step", async () => {
  const PATH = join(action.folder, "bin");
  mkdirSync(PATH);
  const tar = execFileSync("sh", ["-c", "command -v tar"], { encoding: "utf8" }).trim();
  const told = join(action.folder, "told");
  writeFileSync(join(PATH, "tar"), `#!/bin/sh\nexport -p > ${told}\nexec ${tar} "$@"\n`, { mode: 0o755 });
  const env = { ...(await tokenEnv()), ACTIONS_RUNTIME_TOKEN: "of the runner", GITHUB_TOKEN: "of the job", PATH };
  const { code, log } = await run({ env });
  expect(readFileSync(told, "utf8")).toMatch(/ PATH=/);
  expect(readFileSync(told, "utf8")).not.toMatch(/SVC_TOKEN|ACTIONS_|INPUT_|NODE_OPTIONS|GITHUB_(TOKEN|OUTPUT|ENV)\b/);
  expect({ code, log }).toEqual({ code: 0, log: expect.stringContaining(`${ada.slug} is live as release `) });
});

test("a refused folder is named with its files", async () => {
  writeFiles(action.folder, { "work/dist/A.png": "1", "work/dist/a.png": "2" });
  const { code, log } = await run({ env: await tokenEnv() });
  expect(code).toBe(1);
  expect(log).toMatch(/^::error::dist cannot be published; nothing was sent\.%0A- .*a\.png/m);
});

test("no line of svc's output is a command to the runner", async () => {
  writeFiles(action.folder, { "work/dist/x\n::set-env name=A::b.pem": "key" });
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
  expect(existsSync(join(action.folder, "work/trapped"))).toBe(false);
});

test("a preview is commented on its pull request, once: a later run changes its own comment and no stranger's", async () => {
  // More than are on GitHub's first page.
  for (let id = 1; id <= 100; id += 1)
    github.comments.push({ id, body: `<!-- svc preview of ${ada.slug} -->\nmine`, user: { type: "User" } });
  const strangers = github.comments.map(({ body }) => body);
  const own = () => github.comments.map(({ body }) => body).slice(100);
  const step = { event: ofBranch, inputs: { preview: "true", "github-token": "ghs_secret" } };
  const env = { ...(await tokenEnv()), GITHUB_API_URL: github.endpoint };
  const { code, log, masks, written } = await run({ ...step, env });
  expect(code).toBe(0);
  expect(log).not.toContain("ghs_secret");
  expect(masks).toContain("ghs_secret");
  const url = /url=(.*)\n/.exec(written["GITHUB_OUTPUT"] ?? "")?.[1] ?? "";
  expect(new URL(url).hostname).toContain("--");
  expect(written["GITHUB_OUTPUT"]).toMatch(/^changed=true$/m);
  expect(own()).toEqual([expect.stringContaining(`[Play the preview of ${ada.slug}](${url})`)]);
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();

  writeFiles(action.folder, { "work/dist/index.html": "2" });
  await run({ ...step, env });
  expect(github.comments.map(({ body }) => body).slice(0, 100)).toEqual(strangers);
  // Each push is played at the same URL.
  expect(own()).toEqual([expect.stringContaining(url)]);
  const previews = async () => (await ada.get(`/projects/${ada.slug}/previews`)).body.previews;
  expect(await previews()).toMatchObject([{ name: "pr-7" }]);
  rmSync(join(action.folder, "work/dist"), { recursive: true });
  const ended = await run({ ...step, event: { ...ofBranch, action: "closed" }, env });
  expect(ended).toMatchObject({ code: 0, log: expect.stringContaining(`The preview pr-7 of ${ada.slug} is deleted.`) });
  expect(await previews()).toEqual([]);
  expect(own()).toEqual([expect.stringContaining("is deleted: the pull request is closed.")]);
  expect(new Set(github.authorizations)).toEqual(new Set(["Bearer ghs_secret"]));
});

test("a pull request without a comment gets none when its preview is deleted", async () => {
  const env = { ...(await tokenEnv()), GITHUB_API_URL: github.endpoint };
  await run({ event: ofBranch, inputs: { preview: "true" }, env });
  const inputs = { preview: "true", "github-token": "ghs_secret" };
  const { code } = await run({ event: { ...ofBranch, action: "closed" }, inputs, env });
  expect({ code, comments: github.comments }).toEqual({ code: 0, comments: [] });
});

test("a comment that GitHub refuses is a warning: the preview is there", async () => {
  const inputs = { preview: "true", "github-token": "ghs_secret" };
  const env = { ...(await tokenEnv()), GITHUB_API_URL: `${github.endpoint}/refuses` };
  const { code, log } = await run({ event: ofBranch, inputs, env });
  expect({ code, log }).toEqual({
    code: 0,
    log: expect.stringContaining("::warning::The pull request has no comment: GitHub responded with 403."),
  });
});
