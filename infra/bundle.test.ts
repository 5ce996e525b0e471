import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import type { Metafile } from "esbuild";
import { kebabCase, routes } from "../contract/routes.ts";
import { tokenChecksum } from "../contract/token-format.ts";
import { bundleFolderOf } from "./bundle.ts";

const file = (name: string) => join(bundleFolderOf(name), "index.mjs");
const names = Object.keys(routes).map(kebabCase);

test("every route has its bundle, with a source map beside it", () => {
  expect(names.filter((name) => !existsSync(file(name)) || !existsSync(`${file(name)}.map`))).toEqual([]);
});

test("a handler takes two parameters: for a third one Lambda's Node 24 would refuse to start it", async () => {
  for (const name of ["get-me", "get-health"]) expect((await import(file(name))).handler).toHaveLength(2);
});

test("the function of GET /me is 300 kB at most", () => {
  expect(statSync(file("get-me")).size).toBeLessThanOrEqual(300_000);
});

/** Runs a module in a Node of its own, as Lambda would, and returns what it made Node load beside its own output. */
function builtinsLoadedBy(program: string): string[] {
  const nobodyListens = "http://127.0.0.1:9";
  const output = execFileSync(
    process.execPath,
    ["--input-type=module", "-e", `${program};console.log(JSON.stringify(process.moduleLoadList))`],
    {
      encoding: "utf8",
      env: {
        SVC_STAGE: "test",
        TABLE_NAME: "table",
        DYNAMODB_ENDPOINT: nobodyListens,
        IDP_ISSUER: "https://issuer.test",
        IDP_AUDIENCE: "audience",
        IDP_JWKS_URI: `${nobodyListens}/jwks`,
        AWS_REGION: "eu-central-1",
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret",
      },
    },
  );
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

function bundleUrl(name: string): string {
  return JSON.stringify(pathToFileURL(file(name)).href);
}

test("no function loads undici", () => {
  const loaded = builtinsLoadedBy(names.map((name) => `await import(${bundleUrl(name)})`).join(";"));
  expect(loaded).toContain("NativeModule https");
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
});

test("no request makes a function load undici, neither for the table nor for the provider's keys", () => {
  const body = `pat_${"A".repeat(54)}`;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: "https://issuer.test", aud: "audience", sub: "ada", exp: 4_000_000_000, iat: 1_700_000_000 };
  const idToken = `${part({ alg: "RS256", kid: "key" })}.${part(claims)}.${part({})}`;
  const events = [`${body}${tokenChecksum(body)}`, idToken].map((credential) => ({
    headers: { authorization: `Bearer ${credential}` },
    requestContext: { requestId: "request" },
  }));
  const loaded = builtinsLoadedBy(`
    const { handler } = await import(${bundleUrl("get-me")});
    for (const event of ${JSON.stringify(events)}) {
      const { statusCode } = await handler(event, {});
      if (statusCode !== 503) throw new Error("answered " + statusCode);
    }`);
  expect(loaded).toContain("NativeModule https");
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
});

/** The sources that something is left of in a function's bundle. */
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
