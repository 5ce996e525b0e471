import { spawnSync } from "node:child_process";
import { describe, expect, jest, test } from "@jest/globals";
import { viewerFunctionCode, viewerFunctions } from "../../infra/bundles/viewer-functions.ts";
import type { ViewerEvent } from "../../local/edge/viewer-runtime.ts";
import { runInNjs } from "../support/edge/njs.ts";
import { syntaxProblem } from "../support/edge/runtime-syntax.ts";
import { copyingRuntime, storeOf } from "../support/edge/viewer-runtime.ts";

/*
 * The functions that CloudFront itself runs, in its runtime as Node and njs have it. edge-oracle.test.ts has what they respond.
 */

const stage = {
  gamesDomain: "games.example.net",
  reportUrl: `https://example.com/${"x".repeat(200)}?game={slug}`,
  optionPages: ["/.well-known/svc/profile"],
  documentHeaders: {},
};
const code = {
  request: viewerFunctionCode("viewer-request", stage),
  own: viewerFunctionCode("viewer-own", stage),
  response: viewerFunctionCode("viewer-response", stage),
};
const [live, before] = ["a".repeat(43), "b".repeat(43)];
const values = new Map([
  ["my-game", `l.${live}.${before}..1`],
  ["sold-game", `l.${live}..mh3k2p1a.`],
]);

function eventOf(
  host: string,
  uri: string,
  headers: Readonly<Record<string, string>> = {},
  cookie?: string,
): ViewerEvent {
  const fields = Object.entries({ host, ...headers }).map(([name, value]) => [name, { value }]);
  const cookies = cookie === undefined ? {} : { "__Host-svc-release": { value: cookie } };
  return { request: { method: "GET", uri, querystring: {}, headers: Object.fromEntries(fields), cookies } };
}

const page = { "sec-fetch-dest": "document", "accept-encoding": "gzip, deflate, br", accept: "text/html" };
const events: Readonly<Record<string, ViewerEvent>> = {
  "a page": eventOf("my-game.games.example.net", "/", page),
  "a file of a visit": eventOf(
    "my-game.games.example.net",
    "/a.js",
    { "sec-fetch-dest": "script" },
    `${live}.${before}`,
  ),
  "a range": eventOf("my-game.games.example.net", "/a.ogg", { range: "bytes=0-1" }),
  "a game that is not there": eventOf("none.games.example.net", "/", page),
  "its worker": eventOf("none.games.example.net", "/sw.js", { "service-worker": "script" }),
};

test.each(viewerFunctions)("%s has at most the 10 KB that CloudFront takes, in syntax that its runtime has", (name) => {
  const text = viewerFunctionCode(name, stage);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_240);
  expect(syntaxProblem(text)).toBeUndefined();
  // CloudFront's documentation wants the module's import at the beginning, and a function of this name.
  expect(text).toMatch(/^import [\w$]+ from"cloudfront";\n.*function handler\(event\)\{return [\w$]+\(event\)\}\n$/s);
});

test("the store may have any name that a minifier gives it", async () => {
  const named = 'import $ from"cloudfront";\nasync function handler(event){return await $.kvs().get("my-game")}';
  expect(await copyingRuntime(named, storeOf(values))(eventOf("my-game.games.example.net", "/"))).toBe(
    values.get("my-game"),
  );
});

test("the key of the cache is the URI alone, and tells pages, files, workers and codings apart", async () => {
  const run = copyingRuntime(code.request, storeOf(values));
  const keyOf = async (headers: Readonly<Record<string, string>>, cookie?: string) => {
    const { uri, headers: sent } = await run(eventOf("my-game.games.example.net", "/a%20b.js", headers, cookie));
    return [
      uri.replaceAll(live, "LIVE").replaceAll(before, "BEFORE"),
      sent["x-svc-releases"].value.replaceAll(live, "LIVE").replaceAll(before, "BEFORE"),
    ];
  };
  const withoutVisit = "LIVE.BEFORE.LIVE.BEFORE";
  const visit = "LIVE.BEFORE.LIVE";
  expect(await keyOf({})).toEqual(["/my-game/LIVE/if/a%20b.js", withoutVisit]);
  expect(await keyOf({ "accept-encoding": "br" })).toEqual(["/my-game/LIVE/bf/a%20b.js", withoutVisit]);
  const range = { "accept-encoding": "br", range: "bytes=0-" };
  expect(await keyOf(range)).toEqual(["/my-game/LIVE/if/a%20b.js", withoutVisit]);
  expect(await keyOf(page)).toEqual(["/my-game/LIVE/bp/a%20b.js", visit]);
  expect(await keyOf({ "service-worker": "script" }, before)).toEqual(["/my-game/LIVE/iw/a%20b.js", visit]);
  expect(await keyOf({}, before)).toEqual(["/my-game/BEFORE/if/a%20b.js", "LIVE.BEFORE.BEFORE.LIVE"]);
  expect(await keyOf({}, live)).toEqual(["/my-game/LIVE/if/a%20b.js", visit]);
  expect(await keyOf({}, `${live}.${before}`)).toEqual(["/my-game/LIVE/if/a%20b.js", withoutVisit]);
  expect(await keyOf({ "x-svc-releases": "forged" }, "f".repeat(43))).toEqual([
    "/my-game/LIVE/if/a%20b.js",
    withoutVisit,
  ]);
});

describe("a game of which the store has no pointer", () => {
  const overflowing = storeOf(new Map([["+", "1"]]));
  const uriFor = async (
    headers: Readonly<Record<string, string>>,
    cookie?: string,
    name: "request" | "own" = "request",
  ) =>
    (await copyingRuntime(code[name], overflowing)(eventOf("far-game.games.example.net", "/a.js", headers, cookie)))
      .uri;

  test("does not exist unless the store overflows", async () => {
    const complete = storeOf(new Map());
    expect(await copyingRuntime(code.request, complete)(eventOf("far-game.games.example.net", "/"))).toMatchObject({
      statusCode: 404,
    });
  });

  test("is the origin's, under a key with what its cookies say", async () => {
    expect(await uriFor({})).toBe("/far-game/@@/if/a.js");
    expect(await uriFor(page, `${live}.${before}`)).toBe(`/far-game/@${live}.${before}@/bp/a.js`);
    expect(await uriFor({ "service-worker": "script" })).toBe("/far-game/@@/iw/a.js");
    expect(await uriFor({}, "../x")).toBe("/far-game/@@/if/a.js");
    expect(await uriFor({}, live, "own")).toBe(`/far-game/@${live}@/if/a.js`);
  });

  test("refuses other methods at the edge", async () => {
    const { request } = eventOf("far-game.games.example.net", "/");
    const event = { request: { ...request, method: "POST" } };
    expect(await copyingRuntime(code.request, overflowing)(event)).toMatchObject({ statusCode: 405 });
  });

  test("has a pointer that the viewer's response takes from the origin", async () => {
    const headers = { "x-svc-release": { value: live }, "x-svc-pointer": { value: `l.${live}..mh3k.` } };
    const event = { ...eventOf("far-game.games.example.net", "/", page), response: { statusCode: 200, headers } };
    const sent = await copyingRuntime(code.response, overflowing)(event);
    expect(Object.keys(sent.cookies)).toEqual(["__Host-svc-release", "__Host-svc-owned-since"]);
    expect(Object.keys(sent.headers)).toEqual(["clear-site-data"]);
  });
});

test("a stage asks the origin for the pages of its options, and has none of those that it leaves out", async () => {
  const event = eventOf("my-game.games.example.net", "/.well-known/svc/profile", page);
  expect(await copyingRuntime(code.own, storeOf(values))(event)).toMatchObject({ method: "GET" });
  const own = viewerFunctionCode("viewer-own", { ...stage, optionPages: [] });
  expect(await copyingRuntime(own, storeOf(values))(event)).toMatchObject({ statusCode: 404 });
});

describe("headers that options add", () => {
  const withHeaders = {
    ...stage,
    documentHeaders: { reports: { "x-of-option": '"{release}" at {site}' }, others: { "x-other": "1" } },
  };
  const code = viewerFunctionCode("viewer-response", withHeaders);
  const headersFor = async (host: string, headers: Readonly<Record<string, string>>, sent: object) => {
    const event = { ...eventOf(host, "/", headers), response: { statusCode: 200, headers: sent, cookies: {} } };
    return (await copyingRuntime(code, storeOf(values))(event)).headers;
  };
  const ofRelease = { "x-svc-release": { value: live } };

  test("are on each page that a person opens, with its release and site", async () => {
    expect(await headersFor("my-game.games.example.net", page, ofRelease)).toEqual({
      "x-of-option": { value: `"${live}" at my-game` },
      "x-other": { value: "1" },
    });
    const preview = `my-game--${"0".repeat(20)}`;
    expect(await headersFor(`${preview}.games.example.net`, page, ofRelease)).toMatchObject({
      "x-of-option": { value: `"${live}" at ${preview}` },
    });
  });

  test("are not on pages of a project that does without the option", async () => {
    const marked = storeOf(new Map([["my-game", `lr.${live}...`]]));
    const event = {
      ...eventOf("my-game.games.example.net", "/", page),
      response: { statusCode: 200, headers: ofRelease, cookies: {} },
    };
    expect((await copyingRuntime(code, marked)(event)).headers).toEqual({ "x-other": { value: "1" } });
  });

  test.each<[string, Readonly<Record<string, string>>, object]>([
    ["a worker's script", { "service-worker": "script" }, ofRelease],
    ["a file", { "sec-fetch-dest": "script" }, {}],
    ["a page of no release", page, {}],
  ])("are not on %s", async (_, headers, sent) => {
    expect(await headersFor("my-game.games.example.net", headers, sent)).toEqual({});
  });
});

test("while nothing is live the origin is asked for the pages that are there all the same, and for no other", async () => {
  const [saves, profile] = ["/.well-known/svc/saves", "/.well-known/svc/profile"];
  const own = viewerFunctionCode("viewer-own", { ...stage, optionPages: [profile, saves], offlinePages: [saves] });
  const store = storeOf(new Map([...values, ["offline-game", "uOffline"], ["closed-game", "s"]]));
  const responseOf = async (slug: string, uri: string) =>
    await copyingRuntime(own, store)(eventOf(`${slug}.games.example.net`, uri, page));
  expect(await responseOf("offline-game", saves)).toMatchObject({ uri: `/offline-game/@@/bp${saves}` });
  expect(await responseOf("offline-game", profile)).toMatchObject({ statusCode: 404 });
  expect(await responseOf("closed-game", saves)).toMatchObject({ statusCode: 410 });
  expect(await responseOf("none", saves)).toMatchObject({ statusCode: 404 });
  expect(await responseOf("my-game", saves)).toMatchObject({ uri: `/my-game/${live}/bp${saves}` });
});

test("conditions that S3 would compare with its own ETag are not sent on", async () => {
  const run = copyingRuntime(code.request, storeOf(values));
  const conditions = {
    "if-match": '"x"',
    "if-modified-since": "x",
    "if-unmodified-since": "x",
    "if-none-match": '"x"',
  };
  const { headers } = await run(eventOf("my-game.games.example.net", "/", conditions));
  expect(Object.keys(headers).toSorted()).toEqual(["host", "if-none-match", "x-svc-releases"]);
});

test.each([
  ["a range", "my-game", { ...page, range: "bytes=0-1", "if-range": '"x"' }],
  ["a range of its worker", "my-game", { "service-worker": "script", range: "bytes=0-1" }],
  ["several ranges", "my-game", { range: "bytes=0-1,3-4", "if-range": '"x"' }],
  ["what a browser keeps of an earlier owner", "sold-game", { ...page, range: "bytes=0-1", "if-none-match": '"x"' }],
])("the bucket is asked for the whole if a page asks for %s", async (_, slug, headers) => {
  const sent = await copyingRuntime(code.request, storeOf(values))(eventOf(`${slug}.games.example.net`, "/", headers));
  for (const name of ["range", "if-range", "if-none-match"]) expect(sent.headers).not.toHaveProperty(name);
});

describe("the page on which a game is reported", () => {
  const preview = "my-game--0123456789abcdef0123";
  const store = storeOf(new Map([...values, [preview, `p.${live}.${Math.ceil(Date.now() / 1_000) + 3_600}`]]));
  const responseOf = async (reportUrl: string, host = "my-game") => {
    const own = viewerFunctionCode("viewer-own", { ...stage, reportUrl });
    return await copyingRuntime(own, store)(eventOf(`${host}.games.example.net`, "/.well-known/svc/report", page));
  };

  test("is the origin's, which knows its name", async () => {
    expect(await responseOf(stage.reportUrl)).toMatchObject({ uri: `/my-game/${live}/bp/.well-known/svc/report` });
  });

  test("names no game on the host of a preview", async () => {
    const { body } = await responseOf(stage.reportUrl, preview);
    expect(body.data).toContain(stage.reportUrl.replace("{slug}", "my-game"));
  });

  test("does not exist on a stage without a place for reports", async () => {
    expect(await responseOf("")).toMatchObject({
      statusCode: 404,
      body: { data: expect.not.stringContaining("Report") },
    });
  });
});

describe("if the key-value store cannot be read", () => {
  const failing = { get: () => Promise.reject(new Error("failed")), exists: () => Promise.reject(new Error("failed")) };

  test.each([
    ["a page is told to try again", page],
    ["a service worker does not end", { "service-worker": "script" }],
  ])("%s", async (_, headers) => {
    const response = await copyingRuntime(code.request, failing)(eventOf("my-game.games.example.net", "/", headers));
    expect(response).toMatchObject({
      statusCode: 503,
      headers: { "retry-after": { value: "1" }, "cache-control": { value: "no-store" } },
    });
  });

  test("nor is a game gone whose key exists", async () => {
    const store = { ...failing, exists: async () => true };
    expect(await copyingRuntime(code.request, store)(eventOf("my-game.games.example.net", "/"))).toMatchObject({
      statusCode: 503,
    });
  });

  test("a page has the cookie of its release all the same", async () => {
    const response = { statusCode: 200, headers: { "x-svc-release": { value: live } } };
    const { cookies } = await copyingRuntime(
      code.response,
      failing,
    )({ ...eventOf("my-game.games.example.net", "/", page), response });
    expect(cookies).toMatchObject({ "__Host-svc-release": { value: live } });
  });
});

describe("the viewer's response", () => {
  const run = copyingRuntime(code.response, storeOf(values));
  const sent = (headers: Readonly<Record<string, string>>) => ({
    statusCode: 200,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }])),
  });
  const found = {
    "x-svc-release": live,
    "cache-control": "public, max-age=0, s-maxage=31536000",
  };

  test("has no header that is only for the edge", async () => {
    const { headers, cookies } = await run({ ...eventOf("my-game.games.example.net", "/a.js"), response: sent(found) });
    expect({ headers, cookies }).toEqual({ headers: { "cache-control": { value: "public, max-age=0" } } });
  });

  test("that the file has no such range is kept by nobody", async () => {
    const response = { ...sent(found), statusCode: 416 };
    const { headers } = await run({
      ...eventOf("my-game.games.example.net", "/a.js", { range: "bytes=9-" }),
      response,
    });
    expect(headers).toEqual({ "cache-control": { value: "no-store" } });
  });

  test("of a file is made without the key-value store", async () => {
    const store = { get: jest.fn(storeOf(values).get), exists: storeOf(values).exists };
    const event = { ...eventOf("my-game.games.example.net", "/a.js"), response: sent(found) };
    await copyingRuntime(code.response, store)(event);
    expect(store.get).not.toHaveBeenCalled();
  });

  test("of a page names the release of its bytes, also if another one went live meanwhile", async () => {
    const response = sent({ ...found, "x-svc-release": before });
    const { cookies } = await run({ ...eventOf("my-game.games.example.net", "/", page, live), response });
    expect(cookies["__Host-svc-release"].value).toBe(`${before}.${live}`);
  });

  test.each([
    ["as the viewer sent it", "/"],
    ["as the function of the viewer's request made it", `/sold-game/${live}/bp/`],
  ])("is the same whether the event has the request %s", async (_, uri) => {
    const { headers, cookies } = await run({
      ...eventOf("sold-game.games.example.net", uri, page, live),
      response: sent(found),
    });
    expect(headers["clear-site-data"]).toEqual({ value: '"cache", "storage"' });
    expect(Object.keys(cookies)).toEqual(["__Host-svc-owned-since"]);
  });

  test.each([
    ["x=1&y=%20&x=2", "/level/?x=1&y=%20&x=2"],
    ["", "/level/?"],
    [undefined, "/level/"],
  ])("of a redirect has the query %p", async (query, location) => {
    const response = sent({ ...found, location: "/level/" });
    const { headers } = await run({ ...eventOf("my-game.games.example.net", "/level", page), query, response });
    expect(headers.location.value).toBe(location);
  });
});

const njs = spawnSync("njs", ["-v"]).error === undefined ? test : test.skip;
njs.each([
  ...Object.entries(events).map(([name, event]) => [name, code.request, event] as const),
  ["what is live", code.own, eventOf("my-game.games.example.net", "/.well-known/svc/release", {}, before)] as const,
])("njs responds to %s as Node does", async (_, script, event) => {
  const calls = `handler(${JSON.stringify(event)}).then((result) => console.log(JSON.stringify(result)));`;
  expect(JSON.parse(runInNjs(script, calls, values).stdout)).toEqual(
    await copyingRuntime(script, storeOf(values))(event),
  );
});
