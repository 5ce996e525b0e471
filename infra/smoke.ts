import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isWellFormedToken, maskToken } from "../contract/api/tokens/token-format.ts";
import { apiVersion } from "../contract/api/version.ts";
import { findStage } from "./deployment/deployed-stage.ts";
import { configuredStages } from "./settings/configured-stages.ts";
import { folder, playFolder, readFolder, smokeProject } from "./smoke/smoke-games.ts";
import { smokeStage } from "./smoke/smoke-stage.ts";

/*
 * `npm run smoke -- https://api.example.com`, with a personal access token in SVC_TOKEN: checks whether a stage works after a
 * deployment. It publishes a fixed folder to the project `svc-smoke` of the token's owner by the command line, reads and plays it,
 * and changes nothing else. With `SVC_ISSUER` it also checks the issuer of the identity provider. It works with the local service too.
 * `npm run smoke -- --stage NAME [--stages FILE]` checks what only AWS has, on a disposable stage: smoke-stage.ts.
 */

interface Stage {
  readonly api: string;
  /** A personal access token of the stage, with the scope `publish`. */
  readonly token: string;
  /** The issuer that the stage expects; left out: it is not compared. */
  readonly issuer: string | undefined;
}

/** A fact about a stage, and the function that checks it: it returns what is wrong, or undefined. */
interface Check {
  readonly fact: string;
  readonly find: (stage: Stage) => Promise<string | undefined>;
}

const commandLine = fileURLToPath(new URL("../cli/bin/run.cjs", import.meta.url));

/**
 * Runs a command of the command line against the stage, and returns what it prints.
 *
 * @throws Error with its own sentence if it fails
 */
async function svc({ api, token }: Stage, ...words: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const env = { ...process.env, SVC_API: api, SVC_TOKEN: token };
  execFile(process.execPath, [commandLine, ...words], { env, timeout: 120_000 }, (error, stdout, stderr) =>
    error ? reject(new Error(`svc ${words[0]}: ${(stderr || error.message).trim()}`)) : resolve(stdout),
  );
  return await promise;
}

/** The body of a response to `svc api`. */
// biome-ignore lint/suspicious/noExplicitAny: checked where it is read
async function svcApi(stage: Stage, ...words: readonly string[]): Promise<any> {
  return JSON.parse(await svc(stage, "api", ...words));
}

async function playUrlOf(stage: Stage): Promise<string | null> {
  return (await svcApi(stage, "GET", `/projects/${smokeProject}`)).play_url;
}

async function publishFolder(stage: Stage): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "svc-smoke-"));
  try {
    for (const [path, bytes] of Object.entries(folder)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), bytes);
    }
    await svc(stage, "publish", directory, "--project", smokeProject);
    return undefined;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Uploads bytes of the same length whose SHA-256 is not the signed one. */
async function uploadOtherBytes(stage: Stage): Promise<string | undefined> {
  // Nobody has bytes of this hash, so an upload to it can never succeed.
  const sha256 = "5eed".repeat(16);
  const releases = `/projects/${smokeProject}/releases`;
  const files = JSON.stringify([{ path: "never.bin", size: 4, sha256 }]);
  const { release } = await svcApi(stage, "POST", releases, "-F", `files=${files}`);
  const uploads = `${releases}/${release.id}/uploads`;
  const { uploads: urls } = await svcApi(stage, "POST", uploads, "-F", `sha256=["${sha256}"]`);
  const { url, headers } = urls[0];
  const { status } = await fetch(url, { method: "PUT", headers, body: "evil", signal: AbortSignal.timeout(15_000) });
  return status === 400 ? undefined : `the bucket responded with ${status} to bytes with another SHA-256`;
}

const checks: readonly Check[] = [
  {
    fact: `the API responds and has version ${apiVersion}`,
    find: async (stage) => {
      const { version } = await svcApi(stage, "GET", "/health");
      return version === apiVersion ? undefined : `it has version ${version}: another commit is deployed`;
    },
  },
  {
    fact: "a request without a credential is refused as a problem that says how to authenticate",
    find: async ({ api }) => {
      const { status, headers } = await fetch(`${api}/me`, { signal: AbortSignal.timeout(15_000) });
      // API Gateway may rename the header (docs/operations/looking.md).
      const challenge = headers.get("www-authenticate") ?? headers.get("x-amzn-remapped-www-authenticate");
      const isProblem = headers.get("content-type")?.startsWith("application/problem+json");
      return status === 401 && isProblem && challenge?.startsWith("Bearer realm=")
        ? undefined
        : `the response was ${status} with the challenge ${challenge}`;
    },
  },
  {
    fact: "the token authenticates its owner",
    find: async (stage) => {
      await svc(stage, "whoami");
      return undefined;
    },
  },
  { fact: "a fixed folder is published", find: publishFolder },
  {
    fact: "its files are read below the API, by pages of every origin, and no odd path is a file",
    find: async (stage) => readFolder(`${stage.api}/projects/${smokeProject}/files`, await playUrlOf(stage)),
  },
  {
    fact: "it plays at its own host, if the stage has a games domain",
    find: async (stage) => {
      const url = await playUrlOf(stage);
      return url === null ? undefined : await playFolder(url);
    },
  },
  { fact: "the bucket refuses other bytes than were signed", find: uploadOtherBytes },
];

/** Check of the issuer: if it differs from the tokens' `iss`, the stage would refuse everybody (OpenID Connect Discovery 1.0, 4.3). */
function issuerCheck(issuer: string): Check {
  return {
    fact: "the identity provider's discovery document names the configured issuer",
    find: async () => {
      const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      const response = await fetch(url, { signal: AbortSignal.timeout(15_000) });
      if (response.status !== 200) return `${url} responded with ${response.status}`;
      const { issuer: named } = (await response.json()) as { issuer?: string };
      return named === issuer ? undefined : `it names ${named}, and the stage expects ${issuer}`;
    },
  };
}

/** Waits until name and routes are known everywhere, which takes a moment after a deployment. */
async function waitUntilReachable({ api }: Stage): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const signal = AbortSignal.timeout(15_000);
    const status = await fetch(`${api}/health`, { signal }).then(
      (response) => response.status,
      () => undefined,
    );
    if (status === 200) return;
    if (attempt === 3)
      console.log(
        `  waiting until ${api}/health, which ${status ? `responds with ${status}` : "does not respond"}, responds with 200`,
      );
    await delay(attempt < 3 ? 200 : 3_000);
  }
}

/**
 * Runs every check, also after one has failed.
 *
 * @returns whether all facts are true
 */
async function smoke(stage: Stage): Promise<boolean> {
  console.log(`${stage.api} with the token ${maskToken(stage.token)}`);
  await waitUntilReachable(stage);
  const all = [...checks, ...(stage.issuer === undefined ? [] : [issuerCheck(stage.issuer)])];
  let holds = true;
  for (const { fact, find } of all) {
    const wrong = await find(stage).catch((error: Error) => error.message);
    console.log(wrong === undefined ? `  ok      ${fact}` : `  FAILED  ${fact}: ${wrong}`);
    holds &&= wrong === undefined;
  }
  return holds;
}

const usage =
  "Usage: npm run smoke -- https://api.example.com (or SVC_API), with a token in SVC_TOKEN; or npm run smoke -- --stage NAME [--stages FILE], of a disposable stage.";

function readStage(argument: string | undefined): Stage | string {
  const api = argument ?? process.env["SVC_API"] ?? "";
  const token = process.env["SVC_TOKEN"] ?? "";
  if (!URL.canParse(api)) return `Say which API. ${usage}`;
  if (!isWellFormedToken(token)) return "Put a personal access token of the stage into SVC_TOKEN.";
  return { api: api.replace(/\/+$/, ""), token, issuer: process.env["SVC_ISSUER"] || undefined };
}

/** @param path of the file of stages, if it is not the operator's own */
async function findConfigured(name: string | undefined, path: string | undefined) {
  return await findStage(name, process.env, { known: configuredStages(path).stages });
}

/** Runs the checks with these arguments. Wrong usage is a sentence and exit code 2; a fact that does not hold is 1. */
export async function runSmoke(args: readonly string[]): Promise<void> {
  process.exitCode = await exitCodeOf(args);
}

async function exitCodeOf(args: readonly string[]): Promise<number> {
  const [option, name, file, path] = args;
  if (option === "--help" || option === "-h") {
    console.log(usage);
    return 0;
  }
  const stage =
    option === "--stage"
      ? await findConfigured(name, file === "--stages" ? path : undefined).catch((error: Error) => error.message)
      : readStage(option);
  if (typeof stage === "string") {
    console.error(stage);
    return 2;
  }
  return ("aws" in stage ? await smokeStage(stage) : await smoke(stage)) ? 0 : 1;
}
