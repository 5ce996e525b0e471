import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { syntaxProblem } from "../../test/support/edge/runtime-syntax.ts";
import { copyingRuntime } from "../../test/support/edge/viewer-runtime.ts";
import { everyOption } from "../../test/support/synthesis/settings.ts";
import { ofType, synthesise } from "../../test/support/synthesis.ts";
import { stages } from "../stages.ts";

/*
 * Every CloudFront function of every stage, run by njs, of whose family CloudFront's runtime is, and everywhere by Node.js with
 * what "JavaScript runtime 2.0 features for CloudFront Functions" lists alone:
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html (read November 2026).
 */

const functions = Object.keys(stages).flatMap((stage) =>
  ofType(synthesise(stage, everyOption(stage)), "AWS::CloudFront::Function")
    .map(({ Properties }) => ({
      name: Properties.Name.replace(`svc-${stage}-`, ""),
      stage,
      code: Properties.FunctionCode as string,
      runtime: Properties.FunctionConfig.Runtime,
    }))
    // test/edge has those of the games.
    .filter(({ name }) => !name.startsWith("games-")),
);

/** The URI that each function must make of a request's. */
const uris: Record<string, Record<string, string>> = {
  "dashboard-views": {
    "/": "/index.html",
    "/tokens": "/index.html",
    "/account": "/index.html",
    "/authorize": "/index.html",
    "/device": "/index.html",
    "/projects/my-game": "/index.html",
    "/projects/my-game/": "/index.html",
    "/invitations/my-game/1": "/index.html",
    "/v1.2/device": "/index.html",
    "//tokens": "/index.html",
    "/%2e%2e/tokens": "/index.html",
    "/Größe": "/index.html",
    "/index.html": "/index.html",
    "/assets/main-ABC.js": "/assets/main-ABC.js",
    "/assets/main-ABC.css": "/assets/main-ABC.css",
    "/icon-ABC.svg": "/icon-ABC.svg",
    "/configuration.json": "/configuration.json",
    "/no-such-file.txt": "/no-such-file.txt",
    "/.well-known/security.txt": "/.well-known/security.txt",
    "": "/index.html",
  },
};

const requests = (name: string) => Object.keys(uris[name] ?? {}).map((uri) => requestFor(uri));

/** Request as CloudFront gives it to a function: the query string, the headers and the cookies are no part of the URI. */
function requestFor(uri: string) {
  return {
    method: "GET",
    uri,
    querystring: { state: { value: "a.b/c" } },
    headers: { host: { value: "dashboard.example.com" } },
    cookies: { visit: { value: "1.2" } },
  };
}

test("the stages have a CloudFront function, and each has its cases and the runtime that is tested here", () => {
  expect([...new Set(functions.map(({ name }) => name))].toSorted()).toEqual(Object.keys(uris).toSorted());
  expect(new Set(functions.map(({ runtime }) => runtime))).toEqual(new Set(["cloudfront-js-2.0"]));
});

describe.each(functions)("$name of $stage", ({ name, code }) => {
  const expected = Object.entries(uris[name] ?? {}).map(([uri, to]) => ({ ...requestFor(uri), uri: to }));

  test("has at most the 10 KB that CloudFront takes, in syntax that its runtime has", () => {
    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(10_240);
    expect(syntaxProblem(code)).toBeUndefined();
  });

  test("changes the URI and nothing else, with the globals and methods of the runtime alone", async () => {
    const run = copyingRuntime(code);
    expect(await Promise.all(requests(name).map((request) => run({ request })))).toEqual(expected);
  });

  const njs = spawnSync("njs", ["-v"]).error === undefined ? test : test.skip;
  njs("changes the URI and nothing else in njs", () => {
    expect(runInNjs(code, requests(name))).toEqual(expected);
  });
});

test.each([
  ["destructuring", "const { request } = event;"],
  ["for-of loops", "for (const header of headers) add(header);"],
  ["rest arguments", "add(...headers);"],
  ["array spread", "add([...headers]);"],
  ["default arguments", "function add(header = 1) {}"],
  ["class syntax", "class Request {}"],
  ["generator functions", "function* headers() {}"],
  ["lowered", "const uri = event?.request;"],
  ["lowered", "const uri = event.uri ?? '/';"],
  ["lowered", "const copy = { ...request };"],
  ["lowered", "try { add(); } catch {}"],
  ["lowered", "const pair = { uri };"],
])("%s: `%s` is refused", (problem, code) => {
  expect(syntaxProblem(code)).toContain(problem);
});

test.each([
  "new Map()",
  "Reflect.ownKeys({})",
  "setTimeout()",
  "new URL('/')",
  "'a'.at(-1)",
  "[1].flat()",
  "eval('1')",
])("%s fails here as it would in CloudFront", async (expression) => {
  const running = async () =>
    await copyingRuntime(`function handler() { return ${expression}; }`)({ request: requestFor("/") });
  await expect(running).rejects.toMatchObject({
    message: expect.stringMatching(/is not defined|is not a function|Code generation from strings disallowed/),
  });
});

/** The code, and a call that prints a line with what its handler makes of each request. */
function program(code: string, requests: readonly object[]): string {
  const calls = `Promise.all(${JSON.stringify(requests)}.map((request) => handler({ version: "1.0", request })))`;
  return `"use strict";\n${code}\n${calls}.then((all) => all.forEach((one) => console.log(JSON.stringify(one))));`;
}

function runInNjs(code: string, requests: readonly object[]): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), "svc-njs-"));
  try {
    writeFileSync(join(folder, "function.js"), program(code, requests));
    const { stdout, stderr } = spawnSync("njs", [join(folder, "function.js")], { encoding: "utf8" });
    if (!stdout.startsWith("{")) throw new Error(stdout + stderr);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
