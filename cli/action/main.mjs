import { execFileSync, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { comment } from "./comment.mjs";

/*
 * The action: installs svc outside the workspace, runs `svc publish`, and writes what it did to the files of the step. Without
 * dependencies, so that what the pinned commit holds is all that runs beside svc.
 */

/** Mistake that the person can correct. */
class Refusal extends Error {}

const env = process.env;

/** The runner replaces spaces alone: `github-token` is INPUT_GITHUB-TOKEN. */
function input(name) {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

function readInputs() {
  const preview = input("preview") || "false";
  if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(preview))
    throw new Refusal(`The input preview is true or false, or a name such as beta, not ${preview}.`);
  if (input("api") === "")
    throw new Refusal("The input api is missing: the API's URL, such as https://api.svc.example.");
  const names = { dir: input("dir"), project: input("project"), api: input("api"), owner: input("owner") };
  const cli = cliSource(input("cli"));
  return {
    ...names,
    isPreview: preview !== "false",
    isChecked: truth("check"),
    previewName: preview === "true" || preview === "false" ? undefined : preview,
    cli,
    sha256: digest(input("sha256"), cli),
    githubToken: input("github-token"),
  };
}

/** @throws Refusal */
function truth(name) {
  const text = input(name) || "false";
  if (text === "true" || text === "false") return text === "true";
  throw new Refusal(`The input ${name} is true or false, not ${text}.`);
}

/**
 * Never a range or a tag, which somebody else moves later. A path is relative to the workspace.
 *
 * @throws Refusal
 */
function cliSource(text) {
  if (/^@?[\w.-]+(\/[\w.-]+)?@\d+\.\d+\.\d+(-[\w.]+)?$/.test(text) || /^https:\/\/\S+\.tgz$/.test(text)) return text;
  if (/^[./]\S*\.tgz$/.test(text)) return resolve(workspace(), text);
  throw new Refusal(
    "The input cli is an exact version such as @svc-publish/cli@0.1.0, or a .tgz: an https URL or a path.",
  );
}

/**
 * The download is pinned: its host could serve something else by the next run.
 *
 * @throws Refusal
 */
function digest(text, cli) {
  if (/^[0-9a-f]{64}$/i.test(text) || (text === "" && isAbsolute(cli))) return text.toLowerCase();
  throw new Refusal(
    "The input sha256 is the SHA-256 of what cli names, 64 hexadecimal digits as sha256sum prints them.",
  );
}

function workspace() {
  return env["GITHUB_WORKSPACE"] || process.cwd();
}

/** The event that started the workflow, as GitHub describes it. */
function readEvent() {
  const path = env["GITHUB_EVENT_PATH"];
  return path ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/**
 * A fork's code is a stranger's, whatever started the job: `pull_request_target` and `workflow_run` would publish it with this
 * repository's credential.
 *
 * @throws Refusal
 */
function refuseFork({ pull_request: pull, workflow_run: run, repository }) {
  // A fork that was deleted meanwhile is null there.
  const head = pull ? pull.head?.repo : run?.head_repository;
  if (!(pull || run) || (head?.id !== undefined && head.id === repository?.id)) return;
  throw new Refusal(
    "This job is for a pull request from a fork, whose code is a stranger's, so this action does not publish it, whatever " +
      "credential the job has. Publish after the merge, or from a branch of this repository.",
  );
}

/** @throws Refusal */
function requireCredential() {
  if (env["SVC_TOKEN"] || env["ACTIONS_ID_TOKEN_REQUEST_URL"]) return;
  throw new Refusal(
    "This job has no identity and no SVC_TOKEN. Give it `permissions: id-token: write` and add its workflow to the trusted " +
      "publishers on the project's page, or set SVC_TOKEN in the env of this step.",
  );
}

/** The environment of programs that need no credential. Their outputs are not this step's either. */
function bareEnvironment() {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !/^(INPUT_|GITHUB_(TOKEN|OUTPUT|STEP_SUMMARY|ENV|PATH|STATE)$|ACTIONS_|SVC_TOKEN$|NODE_OPTIONS$)/i.test(name),
  );
  return Object.fromEntries(kept);
}

/** `svc publish` exchanges the job's identity by itself. */
function svcEnvironment() {
  const names = ["SVC_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];
  const credential = Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  return { ...bareEnvironment(), ...credential };
}

/**
 * Unpacks svc into a folder of its own, without npm: no .npmrc, package or script of the workspace has a say. svc has no
 * dependencies, so the file whose digest is pinned is all that runs.
 *
 * @returns the file to run
 * @throws Refusal
 */
async function installSvc(folder, { cli, sha256 }) {
  const packages = join(folder, "package");
  mkdirSync(packages);
  const bytes = isAbsolute(cli) ? readFileSync(cli) : await download(cli);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (sha256 && found !== sha256)
    throw new Refusal(
      `${cli} has the SHA-256 ${found}, which is not the input sha256. A deployment of its stage may have replaced it: ` +
        "name the new one once you know what it is.",
    );
  // By a relative name, because GNU tar takes what is before a colon, as in C:\\, for a host. Every runner has tar.
  writeFileSync(join(packages, "svc.tar"), gunzipSync(bytes));
  execFileSync("tar", ["-xf", "svc.tar"], {
    cwd: packages,
    env: bareEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(packages, "package/bin/run.cjs");
}

/** @throws Refusal */
async function download(cli) {
  const url = cli.startsWith("https:") ? cli : await tarballUrl(cli);
  return Buffer.from(await (await get(url, cli)).arrayBuffer());
}

/** The URL of an exact version of a package, as https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md has it. */
async function tarballUrl(cli) {
  const [, name, version] = /^(.+)@(.+)$/.exec(cli);
  const registry = (env["NPM_CONFIG_REGISTRY"] || env["npm_config_registry"] || "https://registry.npmjs.org").replace(
    /\/$/,
    "",
  );
  const { dist } = await (await get(`${registry}/${name.replace("/", "%2f")}/${version}`, cli)).json();
  return dist.tarball;
}

async function get(url, cli) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
    if (response.ok) return response;
    throw new Error(`${new URL(url).host} responded with ${response.status}`);
  } catch (error) {
    throw new Refusal(`svc could not be downloaded from ${cli}: ${error.cause?.message ?? error.message}.`);
  }
}

/** Publishes, or opens a preview. */
async function publish(program, inputs) {
  const { dir, owner, isPreview, previewName, isChecked } = inputs;
  const preview = previewName ? [`--preview=${previewName}`] : isPreview ? ["--preview"] : [];
  const owned = owner ? [`--owner=${owner}`] : [];
  const checked = isChecked ? ["--check"] : [];
  const result = await runSvc(program, inputs, ["publish", ...preview, ...owned, ...checked], dir ? ["--", dir] : []);
  if (result?.release) return result;
  throw new Refusal("svc publish did not say what it has published.");
}

/** Ends the preview of a pull request that is closed; there may be none any more. */
async function endPreview(program, inputs) {
  const { project } = await withoutCommands(() => runSvc(program, inputs, ["previews", `--end=${inputs.previewName}`]));
  console.log(`The preview ${inputs.previewName} of ${plain(project)} is deleted.`);
  return { project: plain(project), isEnded: true };
}

/** Runs svc: its progress goes to the log, its result is returned. */
async function runSvc(program, { project, api }, command, rest = []) {
  const flags = ["--json", `--api=${api}`, ...(project ? [`--project=${project}`] : [])];
  const svc = spawn(process.execPath, [program, ...command, ...flags, ...rest], {
    cwd: workspace(),
    env: svcEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => svc.kill("SIGINT");
  process.on("SIGINT", stop).on("SIGTERM", stop);
  let output = "";
  svc.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const code = await new Promise((done, fail) => svc.on("close", (status) => done(status ?? 1)).on("error", fail));
  const last = lastDocument(output);
  if (code === 0) return last;
  throw Object.assign(new Refusal(sentenceOf(last, code, command[0])), { code });
}

/** `svc publish` writes one document a line, other commands one over several lines. */
function lastDocument(output) {
  const text = output.trim();
  return parsed(text) ?? parsed(text.split("\n").at(-1));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sentenceOf(result, code, command) {
  const { message, places = [], next } = result?.error ?? {};
  if (!message) return `svc ${command} failed with exit code ${code}.`;
  const more = places.length > 20 ? [`- and ${places.length - 20} more`] : [];
  return [message, ...places.slice(0, 20).map((place) => `- ${place}`), ...more, next].filter(Boolean).join("\n");
}

/** A URL, slug or id, without characters that begin another output, HTML or a link. */
function plain(text) {
  return String(text ?? "").replace(/[^\w.:/?=&%~-]/g, "");
}

/** The table of a check in Markdown, with nothing but its words and numbers. */
function plainTable(text) {
  return text === undefined ? "" : `\n${String(text).replace(/[^\w |.,\n-]/g, "")}\n`;
}

/** Outputs for later steps, and the summary for people. */
function report(result) {
  const url = plain(result.play_url ?? result.url);
  const [project, release] = [plain(result.project), plain(result.release)];
  const isChanged = result.event !== "unchanged" && result.event !== "waiting";
  const status = plain(result.status);
  append("GITHUB_OUTPUT", `url=${url}\nrelease=${release}\nchanged=${isChanged}\nstatus=${status}\n`);
  const words = { previewed: "has a preview of", published: "is live as", waiting: "waits for a person to make live" };
  const what = words[result.event] ?? "was live already as";
  // A person makes it live there, where players do not have it yet.
  const shown = plain(result.review_url) || url;
  const table = plainTable(result.check?.table);
  append("GITHUB_STEP_SUMMARY", `[${project}](${shown}) ${what} release \`${release}\`.\n${table}`);
  console.log(`${project} ${what} release ${release}: ${shown}`);
  return { url, project, release, expiresAt: plain(result.preview_ends_at), table };
}

function append(file, text) {
  if (env[file]) appendFileSync(env[file], text);
}

/** As data of a workflow command: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
function escaped(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Output of svc may hold names of files; no line of it is a command to the runner. */
async function withoutCommands(work) {
  const marker = randomUUID();
  console.log(`::stop-commands::${marker}`);
  try {
    return await work();
  } finally {
    console.log(`::${marker}::`);
  }
}

async function main() {
  for (const secret of [env["SVC_TOKEN"], env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"], input("github-token")])
    if (secret) console.log(`::add-mask::${escaped(secret)}`);
  const inputs = readInputs();
  const event = readEvent();
  refuseFork(event);
  requireCredential();
  const folder = mkdtempSync(join(env["RUNNER_TEMP"] || tmpdir(), "svc-"));
  try {
    const program = await installSvc(folder, inputs);
    const number = event.pull_request?.number;
    // One preview for each pull request, which each push replaces.
    const previewName = inputs.previewName ?? (inputs.isPreview && number ? `pr-${Number(number)}` : undefined);
    const named = { ...inputs, previewName };
    const isEnding = number !== undefined && previewName !== undefined && event.action === "closed";
    const done = isEnding
      ? await endPreview(program, named)
      : report(await withoutCommands(() => publish(program, named)));
    if (!(inputs.isPreview && inputs.githubToken && number)) return;
    const problem = await comment({ ...done, number, token: inputs.githubToken });
    if (problem) console.log(`::warning::${escaped(problem)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.log(`::error::${escaped(error instanceof Refusal ? error.message : (error.stack ?? String(error)))}`);
  process.exitCode = error.code > 0 ? error.code : 1;
}
