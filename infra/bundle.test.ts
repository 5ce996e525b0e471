import "../programs/stack-options.ts";
import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import type { Metafile } from "esbuild";
import { tokenChecksum } from "../contract/api/tokens/token-format.ts";
import { startHttpServer } from "../test/support/network/http-server.ts";
import { kebabCase, routes } from "../test/support/routes.ts";
import { queued, schedules } from "./background/schedules.ts";
import { bundleFolderOf } from "./bundle.ts";

const file = (name: string) => join(bundleFolderOf(name), "index.mjs");
const names = Object.keys(routes).map(kebabCase);
const everyName = [...names, ...schedules(), ...queued(), "games-origin"];

test("every route, schedule and subscriber has its bundle, with a source map beside it", () => {
  expect(everyName.filter((name) => !existsSync(file(name)) || !existsSync(`${file(name)}.map`))).toEqual([]);
});

test("a handler takes two parameters: for a third one Lambda's Node 24 would refuse to start it", async () => {
  for (const name of ["get-me", "get-health"]) expect((await import(file(name))).handler).toHaveLength(2);
});

test.each(["get-me", "mail-notice"])("the function %s is 300 kB at most", (name) => {
  expect(statSync(file(name)).size).toBeLessThanOrEqual(300_000);
});

test("bundles are made again if a source or a bundle has another content, though it is older", () => {
  const copy = mkdtempSync(join(tmpdir(), "svc-bundle-"));
  const isCopied = (path: string) => !path.includes("/handlers/") || path.endsWith("/get-health.ts");
  for (const path of ["contract", "edge", "functions", "infra", "options", "package-lock.json", "package.json"])
    cpSync(path, join(copy, path), { recursive: true, filter: isCopied });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  const [source, bundle, metafile] = [
    "functions/handlers/get-health.ts",
    "build/functions/get-health/index.mjs",
    "build/functions/meta.json",
  ].map((path) => join(copy, path)) as [string, string, string];
  const bundleChanged = () => {
    execFileSync(process.execPath, ["infra/bundle.ts", "--changed"], { cwd: copy });
    const code = readFileSync(bundle, "utf8");
    return { file: statSync(metafile).ino, words: ["another", "damaged"].filter((word) => code.includes(word)) };
  };
  const first = bundleChanged();
  expect(bundleChanged()).toEqual(first);

  writeFileSync(source, readFileSync(source, "utf8").replace('"ok"', '"another"'));
  utimesSync(source, 0, 0);
  expect(bundleChanged().words).toEqual(["another"]);

  appendFileSync(bundle, "// damaged");
  expect(bundleChanged().words).toEqual(["another"]);
  chmodSync(bundle, 0o600);
  bundleChanged();
  expect(statSync(bundle).mode & 0o777).toBe(0o644);
  rmSync(copy, { recursive: true });
}, 300_000);

/** Runs a module in a new Node process, like Lambda, and returns the JSON of its last line of output. */
function run(program: string, dynamodbEndpoint = "http://127.0.0.1:9") {
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof JSON.parse>>();
  const env = {
    SVC_STAGE: "test",
    TABLE_NAME: "table",
    DYNAMODB_ENDPOINT: dynamodbEndpoint,
    IDP_ISSUER: "https://issuer.test",
    IDP_AUDIENCE: "audience",
    IDP_JWKS_URI: "http://127.0.0.1:9/jwks",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "session-token",
  };
  execFile(process.execPath, ["--input-type=module", "-e", program], { env }, (error, stdout) =>
    error ? reject(error) : resolve(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")),
  );
  return promise;
}

function bundleUrl(name: string): string {
  return JSON.stringify(pathToFileURL(file(name)).href);
}

const loadedModules = "console.log(JSON.stringify(process.moduleLoadList))";
const body = `pat_${"A".repeat(54)}`;
const token = `${body}${tokenChecksum(body)}`;

/** The event of `GET /me` with a credential. */
function eventOf(credential: string) {
  return {
    headers: { authorization: `Bearer ${credential}` },
    requestContext: { requestId: "request", http: { method: "GET" } },
  };
}

test("no function loads undici or modules of other functions when it starts", async () => {
  const loaded = await run(`${names.map((name) => `await import(${bundleUrl(name)})`).join(";")};${loadedModules}`);
  expect(loaded).toContain("NativeModule buffer");
  expect(loaded.filter((name: string) => /undici|fs\/streams|fs\/promises|zlib$/.test(name))).toEqual([]);
});

test("no request makes a function load undici, neither for the table nor for the provider's keys", async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: "https://issuer.test", aud: "audience", sub: "ada", exp: 4_000_000_000, iat: 1_700_000_000 };
  const idToken = `${part({ alg: "RS256", kid: "key" })}.${part(claims)}.${part({})}`;
  const loaded = await run(`
    const { handler } = await import(${bundleUrl("get-me")});
    for (const event of ${JSON.stringify([token, idToken].map(eventOf))}) {
      const { statusCode } = await handler(event, {});
      if (statusCode !== 503) throw new Error("responded with " + statusCode);
    }
    ${loadedModules}`);
  expect(loaded).toContain("NativeModule https");
  expect(loaded.filter((name: string) => name.includes("undici"))).toEqual([]);
});

test("a function looks for no configuration file of the SDK, with an endpoint of its own and without", async () => {
  const opened = (dynamodbEndpoint: string) =>
    run(
      `const { handler } = await import(${bundleUrl("get-me")});
      const opened = [];
      for (const fs of ["node:fs", "node:fs/promises"].map((name) => process.getBuiltinModule(name)))
        for (const name of ["readFile", "readFileSync", "open", "openSync", "stat", "access"]) {
          const original = fs[name];
          if (original) fs[name] = (...words) => (opened.push(String(words[0])), original(...words));
        }
      await process.getBuiltinModule("node:fs/promises").access("/dev/null");
      process.getBuiltinModule("node:https").request = () => { throw new Error("no network"); };
      await handler(${JSON.stringify(eventOf(token))}, {});
      console.log(JSON.stringify(opened));`,
      dynamodbEndpoint,
    );
  expect(await opened("http://127.0.0.1:9")).toEqual(["/dev/null"]);
  expect(await opened("")).toEqual(["/dev/null"]);
});

test("a request to DynamoDB is signed with the environment's credentials and names the SDK's version", async () => {
  const { promise, resolve } = Promise.withResolvers<IncomingHttpHeaders>();
  const { endpoint, stop } = await startHttpServer(({ headers }, response) => {
    resolve(headers);
    response.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end('{"__type":"ValidationException"}');
  });
  await run(
    `const { handler } = await import(${bundleUrl("get-me")});
    console.log(JSON.stringify(await handler(${JSON.stringify(eventOf(token))}, {})));`,
    endpoint,
  );
  await stop();
  const headers = await promise;
  expect(headers["x-amz-security-token"]).toBe("session-token");
  expect(headers["authorization"]).toMatch(/^AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\//);
  const { version } = JSON.parse(readFileSync("node_modules/@aws-sdk/client-dynamodb/package.json", "utf8"));
  expect(headers["user-agent"]).toMatch(new RegExp(`^aws-sdk-js/${version} `));
});

/** The source files with code in a function's bundle. */
function sourcesOf(name: string): string[] {
  const { outputs } = JSON.parse(readFileSync(join(bundleFolderOf(name), "../meta.json"), "utf8")) as Metafile;
  const inputs = Object.entries(outputs[`build/functions/${name}/index.mjs`]?.inputs ?? {});
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

test("a function has the schemas of its own requests and no others", () => {
  const schemas = "node_modules/zod/v4/mini/schemas.js";
  expect(sourcesOf("get-me")).not.toContain(schemas);
  expect(sourcesOf("update-me")).toContain(schemas);
});

test("a function that anybody may call cannot authenticate, and one without a table has no SDK", () => {
  for (const name of ["get-health", "get-open-api", "get-user", "get-project", "get-file"])
    expect(sourcesOf(name)).not.toContain("functions/http/credential.ts");
  for (const name of ["get-health", "get-open-api"])
    expect(sourcesOf(name).filter((path) => path.includes("@aws-sdk"))).toEqual([]);
});

test.each([
  ["EventBridge", "client-eventbridge", "deliver-notices"],
  ["SES", "client-sesv2", "mail-notice"],
])("the client of %s is in the one function that needs it", (_, client, user) => {
  const having = everyName.filter((name) => sourcesOf(name).some((path) => path.includes(`@aws-sdk/${client}/`)));
  expect(having).toEqual([user]);
});

/** Bundles all functions in a process whose new files are its user's alone, and returns when it had begun. */
function bundleStrictly(): number {
  const program = `
    import { bundleFunctions } from ${JSON.stringify(pathToFileURL(resolve("infra/bundle.ts")).href)};
    process.umask(0o077);
    const bundled = bundleFunctions();
    console.log(Date.now());
    await bundled;`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
}

// A source that changes meanwhile may not be in them.
test("bundles are as old as the beginning of their making, and Lambda's user can read them, and ones that it could not", () => {
  const folder = bundleFolderOf("get-health");
  chmodSync(file("get-health"), 0o600);
  chmodSync(folder, 0o700);
  const beganAt = bundleStrictly();
  const metafile = join(folder, "../meta.json");
  expect(statSync(metafile).mtimeMs).toBeLessThanOrEqual(beganAt);
  // Each run writes the metafile again, so it shows the mode of a new file.
  const modes = [folder, file("get-health"), metafile].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o755, 0o644, 0o644]);
});
