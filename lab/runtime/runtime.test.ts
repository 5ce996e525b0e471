import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { releaseName } from "../../edge/project/pointer.ts";
import { Manifest, writeManifest } from "../../functions/files/manifests.ts";
import { bundleFolderOf } from "../../infra/bundle.ts";
import { fetchedPackage } from "../../test/support/fetched-package.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import { kebabCase, type RouteName, routes } from "../../test/support/routes.ts";
import { actorsOf } from "../../test/support/service/actors.ts";
import { functionEnvironment } from "../../test/support/service/function-environment.ts";
import { play } from "../../test/support/service/play.ts";
import { newProject, openRelease, publish, sha256 } from "../../test/support/service/steps.ts";
import { useService } from "../../test/support/service/suite.ts";

/*
 * Every bundled function under Amazon's own runtime client (aws-lambda-ric), over a stub of the Runtime API
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). The package is no dependency: its install script
 * compiles curl. Its native part is replaced.
 */
const runtimeClient = fetchedPackage({
  specification: "aws-lambda-ric@4.0.2",
  integrity: "sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==",
});

const service = useService();

const traceId = "Root=1-5e1b4151-5ac6c58f5b9daa1e7d0b3e5a;Parent=53995c3f42cd8ad8;Sampled=0";

interface Invocation {
  /** `response` or `error`. */
  readonly kind: string;
  readonly body: ReturnType<typeof JSON.parse>;
  readonly milliseconds: number;
}

type FunctionName = RouteName | "gamesOrigin";

/** Sends one event to a function as Lambda does, and returns what the runtime client posts. */
async function invoke(name: FunctionName, event: object): Promise<Invocation> {
  const { invocations } = await invokeAll(name, [event]);
  return invocations[0] as Invocation;
}

/** Sends one event after the other to one process, and returns how much memory it has then. */
async function invokeAll(name: FunctionName, events: readonly object[]) {
  const invocations: Invocation[] = [];
  const ended = Promise.withResolvers<void>();
  const waiting = [...events];
  let givenAt = 0;
  const server = await startHttpServer(async (request, response) => {
    if (request.url?.endsWith("/next")) {
      const event = waiting.shift();
      // The last wait is for an invocation that never comes.
      if (event === undefined) return;
      const headers = {
        "lambda-runtime-aws-request-id": `invocation-${events.length - waiting.length}`,
        "lambda-runtime-deadline-ms": String(Date.now() + 15_000),
        "lambda-runtime-invoked-function-arn": `arn:aws:lambda:eu-central-1:111111111111:function:${name}`,
        "lambda-runtime-trace-id": traceId,
      };
      givenAt = performance.now();
      response.writeHead(200, headers).end(JSON.stringify(event));
      return;
    }
    const body = JSON.parse(await text(request));
    invocations.push({ kind: request.url?.split("/").at(-1) ?? "", body, milliseconds: performance.now() - givenAt });
    response.writeHead(202).end();
    if (invocations.length === events.length) ended.resolve();
  });
  const child = spawn(
    process.execPath,
    ["--import", resolve("lab/runtime/resolve-native-client.mjs"), join(runtimeClient, "index.mjs"), "index.handler"],
    { env: environmentOf(name, server.endpoint), stdio: ["ignore", "pipe", "pipe"] },
  );
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  child.once("exit", async () => ended.reject(new Error(`The runtime exited:\n${(await output).join("")}`)));
  try {
    await ended.promise;
    return { invocations, memoryMebibytes: memoryOf(child.pid) };
  } finally {
    child.kill();
    await server.stop();
  }
}

/** The most that the process has had; undefined if the system does not say. */
function memoryOf(pid: number | undefined): number | undefined {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1_024;
}

/** The variables that Lambda sets, with credentials of a role that has a session token. */
function environmentOf(name: FunctionName, runtime: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    AWS_LAMBDA_RUNTIME_API: new URL(runtime).host,
    AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: "true",
    LAMBDA_TASK_ROOT: bundleFolderOf(kebabCase(name)),
    _HANDLER: "index.handler",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_NAME: kebabCase(name),
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1024",
    AWS_LAMBDA_LOG_GROUP_NAME: "group",
    AWS_LAMBDA_LOG_STREAM_NAME: "stream",
    AWS_LAMBDA_LOG_FORMAT: "JSON",
    AWS_LAMBDA_LOG_LEVEL: "INFO",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local-secret",
    AWS_SESSION_TOKEN: "session-token",
    SVC_STAGE: "test",
    TABLE_NAME: service.tableName,
    BUCKET_NAME: service.bucketName,
    DYNAMODB_ENDPOINT: service.dynamodbEndpoint,
    S3_ENDPOINT: service.s3Endpoint,
    IDP_ISSUER: service.issuer,
    IDP_AUDIENCE: service.audience,
    IDP_JWKS_URI: service.jwksUri,
  };
}

/** An event of payload format 2.0 for a request to the route. */
function eventOf(name: RouteName, headers: Record<string, string> = {}, pathParameters: Record<string, string> = {}) {
  const { method } = routes[name];
  const requestContext = { requestId: "request-1", domainName: "api.example.com", http: { method } };
  return {
    version: "2.0",
    rawPath: "/",
    rawQueryString: "",
    headers,
    pathParameters,
    requestContext,
    isBase64Encoded: false,
  };
}

test.each(Object.keys(routes) as RouteName[])("%s starts and responds", async (name) => {
  const { kind, body } = await invoke(name, eventOf(name));
  expect({ kind, status: body.statusCode }).toEqual({ kind: "response", status: expect.any(Number) });
  expect(body.statusCode).toBeLessThan(500);
  expect(body.statusCode).not.toBe(405);
  expect(body.headers["svc-request-id"]).toBe("request-1");
});

test("a function reads the table with the credentials and the session token of its environment", async () => {
  const token = await actorsOf(service).token("publish");
  const { body } = await invoke("getMe", eventOf("getMe", { authorization: `Bearer ${token.credential}` }));
  expect(body).toMatchObject({ statusCode: 200 });
  expect(JSON.parse(body.body).auth).toMatchObject({ kind: "token", token_id: token.id });
});

test("a function reads the bucket with them too", async () => {
  const owner = await actorsOf(service).developer();
  const slug = await newProject(owner);
  await publish(owner, slug, { "index.html": "<h1>played</h1>" });
  const { body } = await invoke("getFile", eventOf("getFile", {}, { slug, path: "index.html" }));
  const text = Buffer.from(body.body, body.isBase64Encoded ? "base64" : "utf8").toString();
  expect({ status: body.statusCode, text }).toEqual({ status: 200, text: "<h1>played</h1>" });
});

test("an upload URL carries the session token of the credentials that signed it", async () => {
  const owner = await actorsOf(service).developer();
  const slug = await newProject(owner);
  const folder = { "index.html": "<h1>new</h1>" };
  const { release } = (await openRelease(owner, slug, folder)).body;
  const event = {
    ...eventOf(
      "createUploads",
      { authorization: `Bearer ${owner.credential}`, "content-type": "application/json" },
      { slug, id: release.id },
    ),
    body: JSON.stringify({ sha256: [sha256(folder["index.html"])] }),
  };
  const { body } = await invoke("createUploads", event);
  expect(body.statusCode).toBe(200);
  const { url } = JSON.parse(body.body).uploads[0];
  expect(new URL(url).searchParams.get("X-Amz-Security-Token")).toBe("session-token");
});

async function liveReleaseOf(slug: string): Promise<string> {
  const { body } = await play(service, slug, { path: "/.well-known/svc/release" });
  return JSON.parse(body.toString()).live;
}

/** An event of CloudFront at the games' origin; of the origin's response if there is one. */
function originEvent(uri: string, more: { readonly headers?: object; readonly response?: object } = {}) {
  const domainName = `${service.bucketName}.s3.eu-central-1.amazonaws.com`;
  const { headers = {}, response } = more;
  const origin = { s3: { customHeaders: {}, domainName, path: "" } };
  const request = { clientIp: "203.0.113.178", headers, method: "GET", origin, querystring: "", uri };
  const eventType = response === undefined ? "origin-request" : "origin-response";
  const config = { distributionId: "EDFDVBD6EXAMPLE", eventType, requestId: "1" };
  return { Records: [{ cf: { config, request, ...(response && { response }) } }] };
}

describe("the games' edge", () => {
  test("finds a file by its manifest with what CloudFront's event says of the bucket, and describes the bucket's response", async () => {
    const owner = await actorsOf(service).developer();
    const slug = await newProject(owner);
    await publish(owner, slug, { "index.html": "<h1>played</h1>" });
    const { kind, body } = await invoke("gamesOrigin", originEvent(`/${slug}/${await liveReleaseOf(slug)}/ip/`));
    const hash = sha256("<h1>played</h1>");
    expect({ kind, uri: body.uri }).toEqual({ kind: "response", uri: `/projects/${slug}/files/${hash}` });
    const response = { status: "200", statusDescription: "OK", headers: { etag: [{ key: "ETag", value: '"md5"' }] } };
    const described = await invoke("gamesOrigin", originEvent(body.uri, { headers: body.headers, response }));
    expect(described).toMatchObject({
      kind: "response",
      body: { status: "200", headers: { etag: [{ value: `"${hash}"` }], "cache-tag": [{ value: `game:${slug}` }] } },
    });
  });

  test("names a page for missing files of 2 MB, which it could not generate, and generates a page of its own below 1 MB", async () => {
    const owner = await actorsOf(service).developer();
    const slug = await newProject(owner);
    const lost = "x".repeat(2_000_000);
    await publish(owner, slug, { "index.html": "1", "404.html": lost });
    const { body } = await invoke("gamesOrigin", originEvent(`/${slug}/${await liveReleaseOf(slug)}/if/none.js`));
    expect(body.uri).toBe(`/projects/${slug}/files/${sha256(lost)}`);
    await publish(owner, slug, { "index.html": "2" });
    const live = await liveReleaseOf(slug);
    const made = await invoke("gamesOrigin", originEvent(`/${slug}/${live}/if/${"x".repeat(7_000)}.js`));
    expect(made.body).toMatchObject({ status: "404" });
    expect(JSON.stringify(made.body).length).toBeLessThan(10_000);
  });

  test("finds a file of a release of 20,000 within 10 ms once its manifest was read, and keeps within its memory", async () => {
    Object.assign(process.env, functionEnvironment(service));
    const slug = "large-game";
    const files = (number: number) =>
      Array.from({ length: 20_000 }, (_, index) => ({
        path: `assets/level-${number}-${index}/${"x".repeat(40)}.json`,
        size: 1,
        sha256: "a".repeat(64),
      }));
    const names: string[] = [];
    for (let number = 0; number < 40; number += 1) {
      const manifest = Manifest.of(files(number));
      await writeManifest(slug, manifest.digest, await manifest.pack());
      names.push(releaseName(manifest.digest));
    }
    const eventFor = (number: number) =>
      originEvent(`/${slug}/${names[number]}/if/assets/level-${number}-19999/${"x".repeat(40)}.json`);
    const warm = Array.from({ length: 20 }, () => eventFor(0));
    const { invocations, memoryMebibytes } = await invokeAll("gamesOrigin", [
      eventFor(0),
      ...warm,
      ...names.map((_, number) => eventFor(number)),
    ]);
    expect(new Set(invocations.map(({ body }) => body.uri))).toEqual(
      new Set([`/projects/${slug}/files/${"a".repeat(64)}`]),
    );
    const times = invocations.slice(1, 21).map(({ milliseconds }) => milliseconds);
    expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(10);
    // Lambda@Edge has 512 MB, of which Node itself takes some 60.
    expect(memoryMebibytes ?? 0).toBeLessThan(400);
  });
});
