import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { headers } from "../contract/api/headers.ts";
import { isWellFormedToken, maskToken, tokenChecksum } from "../contract/api/token-format.ts";
import { apiVersion } from "../contract/api/version.ts";
import { goAround } from "./smoke-edge.ts";
import { publishFolder, readFolder, readOddPaths, type SmokeApi, uploadWrongBytes } from "./smoke-files.ts";
import { playFolder } from "./smoke-games.ts";
import { findStage, smokeStage } from "./smoke-stage.ts";

/*
 * `npm run smoke -- https://api.example.com`, with a personal access token in SVC_TOKEN: checks whether a stage works after a
 * deployment. It publishes a fixed folder to the project `svc-smoke` of the token's owner and changes nothing else; with
 * `SVC_ISSUER` it also checks the issuer of the identity provider, with `SVC_ORIGIN` (`apiEdge.origin`) that nobody reaches the API
 * around its distribution. It works with the local service too.
 * `npm run smoke -- --stage NAME` checks what only AWS has, on a disposable stage: smoke-stage.ts.
 */

interface Stage {
  readonly api: string;
  /** A personal access token of the stage, with the scope `publish`. */
  readonly token: string;
  /** The issuer that the stage expects; left out: it is not compared. */
  readonly issuer: string | undefined;
  /** API Gateway's own name for the API, which only CloudFront may reach; left out: it is not asked. */
  readonly origin: string | undefined;
}

interface SmokeResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: checked where it is read
  readonly body: any;
}

/** A fact about a stage, and the function that checks it: it returns what is wrong, or undefined. */
interface Check {
  readonly fact: string;
  readonly find: (stage: Stage) => Promise<string | undefined>;
}

const timeoutMilliseconds = 15_000;

const checks: readonly Check[] = [
  {
    fact: `the API responds and has version ${apiVersion}`,
    find: async (stage) => {
      const { status, headers: got, body } = await request(stage, "GET", "/health");
      if (status !== 200 || body?.status !== "ok") return `GET /health responded with ${status}`;
      if (body.version !== apiVersion || got.get(headers.version) !== apiVersion)
        return `it has version ${body.version}: another commit is deployed`;
      return undefined;
    },
  },
  {
    fact: "it describes itself as OpenAPI",
    find: async (stage) => {
      const { status, body } = await request(stage, "GET", "/openapi.json");
      return status === 200 && body?.openapi?.startsWith("3.1")
        ? undefined
        : `GET /openapi.json responded with ${status}`;
    },
  },
  {
    fact: "its root leads a program to that document",
    find: async (stage) => {
      const { status, headers: got } = await request(stage, "GET", "/");
      if (status === 302 && got.get("location") === "/openapi.json") return undefined;
      return `GET / responded with ${status} and the location ${got.get("location")}`;
    },
  },
  {
    fact: "it has the public keys of attestations",
    find: async (stage) => {
      const response = await request(stage, "GET", "/.well-known/jwks.json");
      return response.body?.keys?.length > 0 ? undefined : described(response);
    },
  },
  {
    fact: "a request without a credential is refused as a problem that says how to authenticate",
    find: async (stage) => {
      const response = await request(stage, "GET", "/me");
      const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") ?? false;
      return isProblem && challengeOf(response)?.startsWith("Bearer realm=")
        ? refusal(response, 401, "credential_missing")
        : described(response);
    },
  },
  {
    fact: "the token authenticates its owner",
    find: async (stage) => {
      const response = await request(stage, "GET", "/me", stage.token);
      return response.status === 200 && response.body?.auth?.kind === "token" ? undefined : described(response);
    },
  },
  {
    fact: "a token that was never issued is refused",
    find: async (stage) => {
      const response = await request(stage, "GET", "/me", unknownToken(stage.token));
      return refusal(response, 401, "token_invalid");
    },
  },
  {
    fact: "a token cannot create tokens",
    find: async (stage) => {
      const response = await request(stage, "POST", "/tokens", stage.token, { name: "smoke", scopes: ["publish"] });
      return refusal(response, 403, "session_required");
    },
  },
  {
    fact: "an ID token of another provider is refused",
    find: async (stage) => refusal(await request(stage, "GET", "/me", foreignIdToken), 401, "id_token_invalid"),
  },
  {
    fact: "the owner's public profile shows neither email nor role",
    find: async (stage) => {
      const { body: me } = await request(stage, "GET", "/me", stage.token);
      const { status, body } = await request(stage, "GET", `/users/${encodeURIComponent(me?.user?.uid)}`);
      if (status !== 200) return `GET /users/:uid responded with ${status}`;
      return "email" in body || "role" in body ? "it shows one of them" : undefined;
    },
  },
  {
    fact: "the owner's projects can be listed",
    find: async (stage) => {
      const response = await request(stage, "GET", "/projects", stage.token);
      return response.status === 200 && Array.isArray(response.body?.projects) ? undefined : described(response);
    },
  },
  {
    fact: "a fixed folder is published",
    find: (stage) => publishFolder(smokeApi(stage)),
  },
  {
    fact: "its files are read whole and in part, by pages of every origin",
    find: (stage) => readFolder(smokeApi(stage)),
  },
  {
    fact: "it plays at its own host, where the stage has a games domain",
    find: (stage) => playFolder(smokeApi(stage)),
  },
  {
    fact: "a path with an empty segment or a slash at its end is no file",
    find: (stage) => readOddPaths(smokeApi(stage)),
  },
  {
    fact: "the bucket refuses other bytes than were signed",
    find: (stage) => uploadWrongBytes(smokeApi(stage)),
  },
];

function originCheck(origin: string): Check {
  return {
    fact: "the API is reached through its distribution and not around it",
    find: ({ api }) => goAround(api, origin),
  };
}

function issuerCheck(issuer: string): Check {
  return {
    fact: "the identity provider's discovery document names the configured issuer",
    find: () => wrongIssuer(issuer),
  };
}

function smokeApi(stage: Stage): SmokeApi {
  return { api: stage.api, send: (method, path, { body } = {}) => request(stage, method, path, stage.token, body) };
}

/** With an issuer that differs from the tokens' `iss`, the stage would refuse everybody (OpenID Connect Discovery 1.0, 4.3). */
async function wrongIssuer(issuer: string): Promise<string | undefined> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });
  if (response.status !== 200) return `${url} responded with ${response.status}`;
  const { issuer: named } = (await response.json()) as { issuer?: string };
  return named === issuer ? undefined : `it names ${named}, and the stage expects ${issuer}`;
}

/** API Gateway may rename the header (docs/operations/looking.md). */
function challengeOf({ headers: got }: SmokeResponse): string | null {
  return got.get("www-authenticate") ?? got.get("x-amzn-remapped-www-authenticate");
}

/** An ID token in the right form whose signature is not valid. */
const foreignIdToken = [
  { alg: "RS256", kid: "smoke" },
  { iss: "https://example.com", aud: "smoke", sub: "smoke", exp: 4e9 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .concat("c21va2U")
  .join(".");

/** The token with another random part and the right checksum for it. */
function unknownToken(token: string): string {
  const swapped = token.slice(0, -6).replace(/.{8}$/, (end) => (end === "00000000" ? "11111111" : "00000000"));
  return swapped + tokenChecksum(swapped);
}

async function request(
  { api }: Stage,
  method: string,
  path: string,
  token?: string,
  body?: object,
): Promise<SmokeResponse> {
  const response = await fetch(api + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined };
}

function refusal(response: SmokeResponse, status: number, code: string): string | undefined {
  return response.status === status && response.body?.code === code ? undefined : described(response);
}

/** Status, code and request id, to find the request in the log. */
function described({ status, body }: SmokeResponse): string {
  return `the response was ${status} ${body?.code ?? ""} ${body?.request_id ?? ""}`.trim();
}

/** Runs `svc whoami` against the stage. */
async function checkCommandLine({ api, token }: Stage): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const env = { ...process.env, SVC_API: api, SVC_TOKEN: token };
  execFile(process.execPath, [commandLine, "whoami", "--json"], { env }, (error) =>
    resolve(error ? `svc whoami ended with ${error.code}` : undefined),
  );
  return promise;
}

const commandLine = fileURLToPath(new URL("../cli/bin/run.cjs", import.meta.url));

/** After a deployment it takes a moment until name and routes are known everywhere. */
async function waitUntilReachable(stage: Stage): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const response = await request(stage, "GET", "/health").catch(() => undefined);
    if (response?.status === 200) return;
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
  const all = [
    ...checks,
    ...(stage.issuer === undefined ? [] : [issuerCheck(stage.issuer)]),
    ...(stage.origin ? [originCheck(stage.origin)] : []),
    ...(existsSync(commandLine) ? [{ fact: "svc whoami succeeds", find: checkCommandLine }] : []),
  ];
  let holds = true;
  for (const { fact, find } of all) {
    const wrong = await find(stage).catch((error: Error) => `the request failed: ${error.message}`);
    console.log(wrong === undefined ? `  ok      ${fact}` : `  FAILED  ${fact}: ${wrong}`);
    holds &&= wrong === undefined;
  }
  return holds;
}

function readStage(): Stage | string {
  const api = process.argv[2] ?? process.env["SVC_API"] ?? "";
  const token = process.env["SVC_TOKEN"] ?? "";
  if (!URL.canParse(api)) return "Say which API: npm run smoke -- https://api.example.com, or SVC_API.";
  if (!isWellFormedToken(token)) return "Put a personal access token of the stage into SVC_TOKEN.";
  const { SVC_ISSUER: issuer, SVC_ORIGIN: origin } = process.env;
  return { api: api.replace(/\/+$/, ""), token, issuer, origin };
}

/** Wrong usage is a sentence and exit code 2; a fact that does not hold is 1. */
async function main(): Promise<number> {
  const isWhole = process.argv[2] === "--stage";
  const stage = isWhole ? await findStage(process.argv[3], process.env).catch(sentenceOf) : readStage();
  if (typeof stage === "string") console.error(stage);
  if (typeof stage === "string") return 2;
  return ("aws" in stage ? await smokeStage(stage) : await smoke(stage)) ? 0 : 1;
}

function sentenceOf(error: Error): string {
  return error.message;
}

process.exitCode = await main();
