import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { root } from "../documents.ts";
import { startHttpServer } from "../network/http-server.ts";
import { duringTests } from "../service/suite.ts";
import { assertNoTokens, writeFiles } from "./cli.ts";

/** One step of a job. */
export interface Step {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The event that started the workflow. */
  readonly event?: unknown;
  /** The signal that the runner sends it then, as it does if somebody cancels the job. */
  readonly interrupt?: { readonly after: Promise<unknown>; readonly signal: NodeJS.Signals };
}

/** The action, started as GitHub's runner starts it: inputs in the environment, outputs in files, commands on standard output. */
export interface Action {
  /** Folder of a test: `work` is the job's workspace, with `dist/index.html`; `temp` and `home` beside it. */
  readonly folder: string;
  /** The package of svc, as the dashboard's host serves it. */
  readonly packed: string;
  run(step?: Step): Promise<{
    readonly code: number;
    /** Log that people read. */
    readonly log: string;
    readonly masks: readonly string[];
    /** The files of the step, by their variables. */
    readonly written: Readonly<Record<string, string>>;
  }>;
}

/** The action for the tests of a file. */
export function useAction(inputs: () => Readonly<Record<string, string>>): Action {
  let folder: string;
  let packed: string;
  beforeAll(() => {
    const packages = mkdtempSync(join(tmpdir(), "svc-packed-"));
    execFileSync("npm", ["pack", "--workspace", "cli", "--ignore-scripts", "--pack-destination", packages], {
      cwd: root,
      stdio: "ignore",
    });
    packed = join(packages, readdirSync(packages)[0] ?? "");
  });
  afterAll(() => rmSync(join(packed, ".."), { recursive: true, force: true }));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-action-"));
    writeFiles(folder, { "work/dist/index.html": "1", "temp/keep": "", "home/keep": "" });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return {
    get folder() {
      return folder;
    },
    get packed() {
      return packed;
    },
    run: async (step = {}) => {
      const usual = { dir: "dist", cli: packed, preview: "false", ...inputs() };
      return await runStep(folder, { ...step, inputs: { ...usual, ...step.inputs } });
    },
  };
}

async function runStep(folder: string, { inputs = {}, env = {}, event = { repository: { id: 1 } }, interrupt }: Step) {
  const names = ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH"];
  const files = Object.fromEntries(names.map((name) => [name, join(folder, name)]));
  for (const path of Object.values(files)) writeFileSync(path, "");
  writeFileSync(join(folder, "event.json"), JSON.stringify(event));
  const child = spawn(process.execPath, [join(root, "cli/action/main.mjs")], {
    cwd: join(folder, "work"),
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: join(folder, "work"),
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      GITHUB_REPOSITORY: "ada/star-hopper",
      RUNNER_TEMP: join(folder, "temp"),
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...files,
      ...env,
    },
  });
  void interrupt?.after.then(() => child.kill(interrupt.signal));
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  const [code] = await once(child, "close");
  // The runner takes a mask for itself, and masks what it prints from then on; everything else is in the log that people read.
  const [, commands = "", shown = ""] = /^((?:::add-mask::[^\n]*\n)*)(.*)$/s.exec(log) ?? [];
  expect(shown).not.toContain("::add-mask::");
  const masks = [...commands.matchAll(/^::add-mask::(.*)$/gm)].map(([, mask = ""]) => mask);
  const written = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, readFileSync(path, "utf8")]));
  assertNoTokens(shown + Object.values(written).join(""), Object.values(env).map(String));
  return { code, log: shown, masks, written };
}

/** Files that the step writes for a new release: outputs, a line of the summary, and nothing for later steps' environment. */
export function writtenFor({ slug, url, release }: { slug: string; url: string; release: string | undefined }) {
  return {
    GITHUB_OUTPUT: `url=${url}\nrelease=${release}\nchanged=true\nstatus=live\n`,
    GITHUB_STEP_SUMMARY: `[${slug}](${url}) is live as release \`${release}\`.\n`,
    GITHUB_ENV: "",
    GITHUB_PATH: "",
  };
}

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly type: string };
}

/** The part of GitHub's API that comments need, for the tests of a file. */
export function useGitHub() {
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
      const page = Number(/[?&]page=(\d+)/.exec(request.url ?? "")?.[1] ?? 1);
      const listed = comments.slice((page - 1) * 100, page * 100);
      if (request.method === "POST") comments.push({ id: comments.length + 1, body, user: { type: "Bot" } });
      if (request.method === "PATCH") comments.splice(id - 1, 1, { id, body, user: { type: "Bot" } });
      return response.end(JSON.stringify(request.method === "GET" ? listed : {}));
    });
    return { ...server, comments, authorizations };
  });
}
