import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test as testHere } from "@jest/globals";
import { RawToken } from "../../functions/domain/tokens/raw-token.ts";
import { newId } from "../../functions/table/ids.ts";
import { readDocument } from "../../test/support/documents.ts";
import { type RouteName, routes } from "../../test/support/routes.ts";
import { type Actors, actorsOf } from "../../test/support/service/actors.ts";
import type { CheckedResponse } from "../../test/support/service/checked-request.ts";
import {
  encodedBody,
  type Operation,
  operations,
  perform,
  withProject,
} from "../../test/support/service/operations.ts";
import { startService, type TestService } from "../../test/support/service/service.ts";
import { newSlug } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * Each route of a deployed stage responds as the local service does: the same status, the same headers, and a body with the same fields,
 * types and error codes, to a request that succeeds and to those that are refused.
 */

const test = testWith(cloudTool);

/**
 * Known differences between MiniStack and AWS's documentation. docs/operations/first-hour.md asks AWS each. A row that explains nothing
 * fails.
 */
const explained: readonly { readonly row: string; readonly difference: RegExp }[] = [
  { row: "the API has its own `/health`", difference: /^getHealth, / },
  {
    row: "a page may read that there is no route",
    difference: /, which is no route, response: access-control-\S+: undefined in the cloud/,
  },
  { row: "a path with another slash is no route", difference: /^GET (\/projects\/|\/\/me), / },
  {
    row: "bytes that are not UTF-8 reach the function",
    difference:
      /, with a body that is not UTF-8: (status: 422 .* 400|code: validation_failed .* malformed_json|body\.errors)/,
  },
  {
    row: "a response without a body has no content type",
    difference: /: content-type: application\/json in the cloud, undefined here$/,
  },
  {
    row: "a program gets no headers for pages",
    difference:
      /, without a credential: access-control-\S+: \S+ in the cloud, undefined here$|: vary: (?:(.+), )?Origin in the cloud, (?:\1|undefined) here$/,
  },
];

/** Headers of the connection, and of whoever is between the function and the client: API Gateway, or a server that stands for it. */
const ofConnection = ["apigw-requestid", "connection", "content-length", "date", "keep-alive", "server"];

interface Compared {
  readonly actors: Actors;
  readonly api: string;
  /** Origin of a page that may call the API. */
  readonly origin: string;
  readonly games: string;
}

let cloud: Cloud;
let local: TestService;
let compared: readonly Compared[] = [];
const met = new Set<RegExp>();

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  const certificate = async (name: string) =>
    (await cloud.aws("acm", "request-certificate", "--domain-name", name)).CertificateArn;
  const deploying = cloud.deploy("compared", {
    dashboard: {
      domain: { name: "dashboard.example.com", certificateArn: await certificate("dashboard.example.com") },
    },
    gamesDomain: { name: "games.example.net", certificateArn: await certificate("*.games.example.net") },
    reportUrl: "mailto:abuse@example.com",
    disposable: true,
  });
  local = await startService({ env: { GAMES_STORE_ENDPOINT: undefined } });
  const deployed = cloud.serviceAt(apiIn(await deploying));
  compared = [
    { actors: actorsOf(local), api: local.api, origin: new URL(local.dashboard).origin, games: local.gamesDomain },
    {
      actors: actorsOf(deployed),
      api: deployed.api,
      origin: "https://dashboard.example.com",
      games: "games.example.net",
    },
  ];
}, 600_000);
afterAll(async () => {
  await Promise.all([cloud?.stop(), local?.stop()]);
});

/** Responses of a service by what was sent; text instead of one that the contract does not have. */
type Responses = Record<string, CheckedResponse | string>;

/** Unexplained differences between the responses of the two services, a sentence each. */
async function differences(responsesOf: (service: Compared) => Promise<Responses>): Promise<string[]> {
  const [expected = {}, received = {}] = await Promise.all(
    compared.map(async (service) => {
      const responses = Object.entries(await responsesOf(service));
      return Object.fromEntries(responses.flatMap(([request, response]) => formOf(request, response, service)));
    }),
  );
  const names = [...new Set([...Object.keys(expected), ...Object.keys(received)])];
  const differing = names.filter((name) => expected[name] !== received[name]);
  const route = expect.getState().currentTestName;
  return differing
    .map((name) => `${route}, ${name}: ${received[name]} in the cloud, ${expected[name]} here`)
    .filter((sentence) => {
      const reasons = explained.filter(({ difference }) => difference.test(sentence));
      for (const { difference } of reasons) met.add(difference);
      return reasons.length === 0;
    });
}

/** Status, headers and fields of a response, each with its value or type. */
function formOf(request: string, response: CheckedResponse | string, service: Compared): [string, string][] {
  if (typeof response === "string") return [[`${request}: contract`, response]];
  const { status, headers, body } = response;
  const own = [...headers].filter(([name]) => !ofConnection.includes(name));
  return [
    [`${request}: status`, String(status)],
    ...own.map(([name, value]): [string, string] => [`${request}: ${name}`, withoutNames(value, service)]),
    ...fieldsOf(body).map(([path, type]): [string, string] => [`${request}: body${path}`, type]),
    [`${request}: code`, String(body?.code ?? body?.error)],
  ];
}

/** A value of a header, in which what each response has for itself is a word. */
function withoutNames(value: string, { api, games }: Compared): string {
  return value
    .replaceAll(api, "API")
    .replace(/^https?:\/\/([^/]+)/, (_, host: string) => (host.endsWith(`.${games}`) ? "GAME" : host))
    .replace(/\bgame-[0-9a-f-]{18}/g, "SLUG")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "UUID")
    .replace(/\b[0-9a-f]{64}\b/g, "SHA-256")
    .replace(/\b[0-9A-Za-z]{22}\b/g, "ID")
    .replace(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/, "DATE");
}

/** The fields of a body and their types; of the items of a list together, because services list what others have made too. */
function fieldsOf(value: unknown, path = ""): [string, string][] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => fieldsOf(item, `${path}[]`));
  if (value !== null && typeof value === "object")
    return Object.entries(value).flatMap(([name, each]) => fieldsOf(each, `${path}.${name}`));
  return [[path, value === null ? "null" : typeof value]];
}

/** The path of a route about what there is not. */
function pathOfNothing(route: RouteName): string {
  return routes[route].path
    .replace(/:slug/, newSlug())
    .replace(/:sha256/, "0".repeat(64))
    .replace(/:uid/, `uid-${randomUUID()}`)
    .replace(/\*path/, "no/such-file.js")
    .replace(/:\w+/g, newId(new Date()));
}

/** Sends what a route may get to a service. What succeeds is the last, because it may end the account. */
async function responsesOf(route: RouteName, { actors, api, origin }: Compared): Promise<Responses> {
  const owner = await withProject(await actors.developer({ auth_time: Math.floor(Date.now() / 1_000) }));
  const fromPage = ({ headers, ...rest }: Operation) => ({ ...rest, headers: { origin, ...headers } });
  const operation = fromPage(await operations[route](owner));
  const { method, path, body, headers } = operation;
  const responses: Responses = {};
  const keep = async (request: string, response: Promise<CheckedResponse>) => {
    responses[request] = await response.catch((error) => String(error.message));
  };
  const as = (caller: Parameters<typeof perform>[0]) => perform(caller, operation);
  const changed = (change: Partial<Operation>) => perform(owner, { ...operation, ...change });
  const withBody = (type: string, bytes: string | Uint8Array<ArrayBuffer>) =>
    owner.send(method, path, { headers: { ...headers, "content-type": type }, body: bytes });
  const idToken = (await actors.stranger()).credential;
  await keep("without a credential", perform(actors.anonymous, { ...operation, headers: {} }));
  await keep("with a mistyped token", as(actors.bearer("pat_mistyped")));
  await keep("with an unknown token", as(actors.bearer(RawToken.generate("0".repeat(22)).reveal())));
  await keep("with another signature", as(actors.bearer(`${idToken.slice(0, -8)}AAAAAAAA`)));
  await keep("of a person without an account", as(await actors.stranger()));
  await keep("of a user", as(await actors.user()));
  await keep("of another developer", as(await actors.developer()));
  await keep("with a token of this developer", as(await owner.token({ scopes: ["publish"] })));
  await keep("with another method", owner.send("PUT", path, { headers }));
  if (/[:*]/.test(routes[route].path)) await keep("for what there is not", changed({ path: pathOfNothing(route) }));
  if (body !== undefined) {
    const { type, text } = encodedBody(body);
    await keep("with half of a body", withBody(type, text.slice(0, -1)));
    await keep("with a list as body", withBody("application/json", "[]"));
    await keep("with a body of text", withBody("text/plain", text));
    await keep("with a body that is not UTF-8", withBody(type, Buffer.from('{"\xff":1}', "latin1")));
    if (type === "application/json") await keep("with an unknown field", changed({ body: { ...body, none: 1 } }));
  }
  await keep("preflight", unchecked(api + path, "OPTIONS", { origin, "access-control-request-method": method }));
  await keep("with success", perform(owner, fromPage(await operations[route](owner))));
  return responses;
}

/** A request to which API Gateway responds by itself: the contract has no such response. */
async function unchecked(url: string, method: string, headers: Record<string, string> = {}): Promise<CheckedResponse> {
  const response = await fetch(url, { method, headers });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text || undefined };
}

test.each(Object.keys(routes) as RouteName[])(
  "%s",
  async (route) => {
    expect(await differences((service) => responsesOf(route, service))).toEqual([]);
  },
  60_000,
);

test.each([
  ["GET", "/no-such-route"],
  ["POST", "/tokens/current/none"],
  ["GET", "/projects/"],
  ["GET", "//me"],
  ["PROPFIND", "/me"],
])("%s %s, which is no route", async (method, path) => {
  expect(
    await differences(async ({ api, origin }) => ({ response: await unchecked(api + path, method, { origin }) })),
  ).toEqual([]);
});

test("each explained difference was met", () => {
  expect(explained.filter(({ difference }) => !met.has(difference))).toEqual([]);
});

testHere("the first hour on AWS asks what MiniStack does otherwise", () => {
  const [, section = ""] = readDocument("docs/operations/first-hour.md").split(
    "\n## What the foreign cloud does otherwise\n",
  );
  const rows = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| ([^|]+) \|/gm)].map(([, row]) => row);
  expect(rows.slice(2)).toEqual(explained.map(({ row }) => row));
});
