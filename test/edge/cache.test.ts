import { once } from "node:events";
import { get, type IncomingMessage, type ServerResponse } from "node:http";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { previewKey, previewValue, releaseName } from "../../edge/project/pointer.ts";
import { Manifest, writeManifest } from "../../functions/files/manifests.ts";
import { fileKey } from "../../functions/files/object-keys.ts";
import { writeObject } from "../../functions/files/store.ts";
import type { Distribution } from "../../local/edge/edge-location.ts";
import { gameHost } from "../../local/sites/game-host.ts";
import { data, delta, olderData, script } from "../support/edge/games.ts";
import { gamesDomain, TestLocation, useEdge } from "../support/edge/suite.ts";
import { storeOf } from "../support/edge/viewer-runtime.ts";
import { startHttpServer } from "../support/network/http-server.ts";
import type { Play } from "../support/service/play.ts";
import { sha256 } from "../support/service/steps.ts";
import { useServers } from "../support/service/suite.ts";

/*
 * The model of CloudFront's cache that `npm start` runs, by what CloudFront's Developer Guide says of it.
 */

const edge = useEdge();
const keep = useServers();
const page = { "sec-fetch-dest": "document" };
const game = "projects/my-game/files";

/** One viewer function instead of all. */
const viewer = (code: string) => ({ viewerRequests: [{ pathPrefix: "", code }] });

function location({
  values = edge.games.values,
  ...changed
}: Partial<Distribution> & { values?: Map<string, string> } = {}) {
  const clock = { seconds: 0 };
  const distribution = { ...edge.distribution, ...changed };
  const tested = new TestLocation({ ...edge, distribution }, storeOf(values), () => clock.seconds);
  const play = async (path: string, headers: Play["headers"] = {}, method = "GET", slug = "my-game") => {
    const played = await tested.play(`${slug}.${gamesDomain}`, { path, headers, method });
    return { ...played, text: played.body.toString("latin1") };
  };
  return { location: tested, clock, play };
}

test("what is kept says for how long it has been, so a browser keeps it for less", async () => {
  const { clock, play } = location();
  expect((await play("/assets/x.js")).headers).not.toHaveProperty("age");
  clock.seconds = 90;
  expect((await play("/assets/x.js")).headers).toMatchObject({
    age: "90",
    "cache-control": expect.stringMatching(/31536000/),
  });
});

test("a range that a file does not have is kept by nobody, whether the cache has the file or not", async () => {
  const { play } = location();
  for (const from of ["Miss", "Hit"]) {
    const { status, headers } = await play("/bytes.bin", { range: "bytes=256-" });
    expect({ status, control: headers["cache-control"] }).toEqual({ status: 416, control: "no-store" });
    expect((await play("/bytes.bin")).from).toBe(from);
  }
});

/** While it runs, the bucket does not respond, or another one does. */
async function withoutBucket(action: () => Promise<void>, another = "http://127.0.0.1:9") {
  const written = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    process.env["S3_ENDPOINT"] = another;
    await action();
  } finally {
    process.env["S3_ENDPOINT"] = edge.endpoint;
    written.mockRestore();
  }
}

test("a hit asks nobody, whether the viewer wants all, a part, the headers or a comparison", async () => {
  const { location: tested, play } = location();
  const etag = `"${sha256(script)}"`;
  await play("/game.js");
  const before = { ...tested.counts };
  const hits = [
    await play("/game.js"),
    await play("/game.js", { range: "bytes=4-8" }),
    await play("/game.js", { range: "bytes=4-8", "if-range": etag }),
    await play("/game.js", { range: "bytes=-3" }),
    await play("/game.js", {}, "HEAD"),
    await play("/game.js", { "if-none-match": etag }),
  ];
  expect(hits.map(({ status, text, from }) => [status, text, from])).toEqual([
    [200, script, "Hit"],
    [206, "score", "Hit"],
    [206, "score", "Hit"],
    [206, " 0;", "Hit"],
    [200, "", "Hit"],
    [304, "", "Hit"],
  ]);
  expect(hits[4]?.headers["content-length"]).toBe(String(script.length));
  expect(tested.counts).toEqual(before);
});

test("a miss asks the bucket for one object beside the manifest", async () => {
  const { location: tested, play } = location();
  for (const [path, headers] of [
    ["/game.js", {}],
    ["/game.js", { "accept-encoding": "br" }],
    ["/bytes.bin", { range: "bytes=0-9" }],
    ["/", page],
    ["/none.js", {}],
  ] as const) {
    const before = tested.counts.objects;
    await play(path, headers);
    expect({ path, objects: tested.counts.objects - before }).toEqual({ path, objects: 1 });
  }
});

describe("a viewer that has the file", () => {
  const condition = { "if-none-match": `"${sha256(script)}"` };

  test("gets 304 for what is not in the cache without a read of the object, and that stands for no other request", async () => {
    const { location: tested, play } = location();
    const [mine, others] = await Promise.all([play("/game.js", condition), play("/game.js")]);
    expect(mine).toMatchObject({ status: 304, text: "", from: "Miss", headers: { etag: condition["if-none-match"] } });
    expect(mine.headers).not.toHaveProperty("content-type");
    expect(mine.headers["cache-control"]).toBe("private, max-age=0, must-revalidate");
    expect(others).toMatchObject({ status: 200, text: script });
    expect(tested.counts.objects).toBe(1);
  });

  test("a page's too, with the cookie of the visit; one with another file gets the new one", async () => {
    const { location: tested, play } = location();
    const { headers } = await play("/", page);
    const cold = location();
    const again = await cold.play("/", { ...page, "if-none-match": String(headers["etag"]) });
    expect(again).toMatchObject({ status: 304, headers: { "set-cookie": headers["set-cookie"] } });
    expect(cold.location.counts.objects).toBe(0);
    expect(await play("/game.js", { "if-none-match": '"another"' })).toMatchObject({ status: 200, text: script });
    expect(tested.counts.objects).toBe(2);
  });

  test("after the time of what is in the cache, its tag is compared instead of a read of the object", async () => {
    const { location: tested, clock, play } = location();
    const cookie = `__Host-svc-release=${edge.games.names[0]}`;
    await play("/new.js", { cookie });
    clock.seconds = 6;
    expect(await play("/new.js", { cookie })).toMatchObject({ status: 200, text: "new", from: "Miss" });
    expect(tested.counts).toEqual({ misses: 2, objects: 1 });
  });
});

describe("a part", () => {
  test("is kept by itself, and does not stand for the whole", async () => {
    const { location: tested, play } = location();
    const range = { range: "bytes=4-8" };
    expect(await play("/game.js", range)).toMatchObject({ status: 206, text: "score", from: "Miss" });
    expect(await play("/game.js", range)).toMatchObject({ status: 206, text: "score", from: "Hit" });
    expect(await play("/game.js", { range: "bytes=0-2" })).toMatchObject({ text: "let", from: "Miss" });
    expect(await play("/game.js")).toMatchObject({ status: 200, text: script, from: "Miss" });
    expect(tested.counts).toEqual({ misses: 3, objects: 3 });
  });

  test("that is in the cache is no part of other bytes: these are asked for, whole", async () => {
    const { play } = location();
    const range = { range: "bytes=4-8" };
    expect(await play("/game.js", range)).toMatchObject({ status: 206, from: "Miss" });
    for (const from of ["Miss", "Hit"])
      expect(await play("/game.js", { ...range, "if-range": '"another"' })).toMatchObject({
        ...{ status: 200, text: script, from },
      });
    expect(await play("/game.js", range)).toMatchObject({ status: 206, text: "score", from: "Hit" });
  });

  test("of other bytes is the whole file, and that stays in the cache", async () => {
    const { play } = location();
    const range = { range: "bytes=4-8", "if-range": '"another"' };
    expect(await play("/game.js", range)).toMatchObject({ status: 200, text: script, from: "Miss" });
    expect(await play("/game.js", { range: "bytes=4-8" })).toMatchObject({ status: 206, text: "score", from: "Hit" });
  });

  test("is one of the file itself, also if the viewer accepts Brotli", async () => {
    const { play } = location();
    await play("/game.js", { "accept-encoding": "br" });
    const part = await play("/game.js", { "accept-encoding": "br", range: "bytes=4-8" });
    expect(part).toMatchObject({ status: 206, text: "score" });
    expect(part.headers).not.toHaveProperty("content-encoding");
  });
});

describe("a large file", () => {
  const named = `/.well-known/svc/files/${sha256(data)}/data.bin`;
  const dictionary = (bytes: Buffer) => ({
    "accept-encoding": "br, dcz",
    "available-dictionary": `:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`,
  });

  test("is kept at its own URL and by its content, each coding and each delta by itself", async () => {
    const { play } = location();
    const seen = async (path: string, headers: Play["headers"] = {}) => {
      const { status, headers: got, body, from } = await play(path, headers);
      return [status, from, got["content-encoding"] ?? got["location"], body.length];
    };
    const br = { "accept-encoding": "br" };
    for (const from of ["Miss", "Hit"]) {
      expect(await seen("/data.bin?v=2")).toEqual([307, from, named, expect.any(Number)]);
      expect(await seen(named)).toEqual([200, from, undefined, data.length]);
      expect(await seen(named, { range: "bytes=0-9" })).toEqual([206, "Hit", undefined, 10]);
      expect(await seen(named, br)).toEqual([200, from, "br", expect.any(Number)]);
      expect(await seen(named, dictionary(olderData))).toEqual([200, from, "dcz", delta.length]);
      // No release has a delta from it.
      expect(await seen(named, dictionary(Buffer.from("another")))).toEqual([200, from, "br", expect.any(Number)]);
    }
  });

  test("is logged at both as a file of the release that it is of", async () => {
    const { location: tested } = location();
    const logged = async (target: string, headers: Play["headers"] = {}) =>
      (await tested.respond({ method: "GET", target, headers: { host: `my-game.${gamesDomain}`, ...headers } })).logged;
    const [isolated, , plain] = edge.games.names;
    const visit = { cookie: `__Host-svc-release=${isolated}` };
    const older = `/.well-known/svc/files/${sha256(olderData)}/data.bin`;
    expect([await logged("/data.bin"), await logged(named)]).toEqual([`${plain}.f`, `${plain}.f`]);
    expect([await logged("/data.bin", visit), await logged(older, visit)]).toEqual([`${isolated}.f`, `${isolated}.f`]);
  });

  test("of a preview is kept by its browsers alone", async () => {
    const { play } = location();
    const preview = previewKey("my-game", edge.games.digests[1] ?? "");
    for (const from of ["Miss", "Hit"])
      expect(await play(named, {}, "GET", preview)).toMatchObject({
        from,
        status: 200,
        headers: { "cache-control": "private, max-age=31536000, immutable", "x-robots-tag": "noindex" },
      });
  });
});

describe("if the bucket fails,", () => {
  test("what is in the cache goes on after its time without the bucket, which the comparison does not need", async () => {
    const { location: tested, clock, play } = location();
    const cookie = `__Host-svc-release=${edge.games.names[0]}`;
    // Found in another release than the key's, so kept for 5 s.
    expect(await play("/new.js", { cookie })).toMatchObject({ status: 200, text: "new" });
    clock.seconds = 6;
    await withoutBucket(async () => {
      const { objects } = tested.counts;
      expect(await play("/new.js", { cookie })).toMatchObject({ status: 200, text: "new", from: "Miss" });
      expect(tested.counts.objects).toBe(objects);
    });
  });

  test("the origin's function too, what is in the cache goes on, and the function runs again after a second", async () => {
    let fails = false;
    const loadHandler = async () =>
      fails ? async () => Promise.reject(new Error("failed")) : await edge.distribution.loadHandler();
    const { location: tested, clock, play } = location({ loadHandler });
    const cookie = `__Host-svc-release=${edge.games.names[0]}`;
    await play("/new.js", { cookie });
    clock.seconds = 6;
    fails = true;
    expect(await play("/new.js", { cookie })).toMatchObject({ status: 200, text: "new" });
    const { misses } = tested.counts;
    clock.seconds += 0.9;
    expect(await play("/new.js", { cookie })).toMatchObject({ status: 200, text: "new", from: "Hit" });
    expect(tested.counts.misses).toBe(misses);
    clock.seconds += 0.2;
    await play("/new.js", { cookie });
    expect(tested.counts.misses).toBe(misses + 1);
  });

  test("in the middle of a body too, what is in the cache goes on, and what is not there is 503", async () => {
    const { location: tested, clock, play } = location();
    const cookie = `__Host-svc-release=${edge.games.names[0]}`;
    await play("/new.js", { cookie });
    const { misses } = tested.counts;
    clock.seconds = 6;
    const broken = await keep(
      startHttpServer((_, response) => {
        response.writeHead(200, { "content-length": "3" });
        response.write("n", () => response.destroy());
      }),
    );
    await withoutBucket(async () => {
      expect(await play("/new.js", { cookie })).toMatchObject({ status: 200, text: "new" });
      expect(tested.counts.misses).toBe(misses + 1);
      expect(await play("/game.js")).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    }, broken.endpoint);
    clock.seconds += 1;
    expect(await play("/game.js")).toMatchObject({ status: 200, text: script });
  });

  test("what is not there is 503, and there again a second later", async () => {
    const { clock, play } = location();
    await play("/index.html");
    await withoutBucket(async () => {
      expect(await play("/game.js")).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
      expect(await play("/index.html")).toMatchObject({ status: 200 });
    });
    expect(await play("/game.js")).toMatchObject({ status: 503 });
    clock.seconds += 1;
    expect(await play("/game.js")).toMatchObject({ status: 200 });
  });
});

test("few bytes that are not those of the ETag are neither sent nor kept", async () => {
  const printed = jest.spyOn(console, "error").mockReturnValue(undefined);
  const { play } = location();
  const other = await keep(startHttpServer((_request, response) => response.end("x".repeat(script.length))));
  await withoutBucket(async () => {
    expect(await play("/index.html")).toMatchObject({ status: 502, text: "" });
  }, other.endpoint);
  expect(printed).toHaveBeenCalled();
  printed.mockRestore();
  expect(await play("/index.html")).toMatchObject({ status: 200, from: "Miss" });
});

describe("a long file is sent while it comes from the bucket, once for all who ask for it, and", () => {
  const bytes = Buffer.alloc(1_000_000, "0123456789");
  const content = { size: bytes.length, sha256: sha256(bytes) };
  let name: string;

  beforeAll(async () => {
    const manifest = Manifest.of([{ path: "large.bin", ...content }]);
    name = releaseName(manifest.digest);
    await writeManifest("my-game", manifest.digest, await manifest.pack());
    await writeObject(fileKey("my-game", content.sha256), bytes);
  });

  test.each<[string, (response: ServerResponse) => void, string, string]>([
    ["kept", (response) => response.end(bytes.subarray(600_000)), "whole", "Hit"],
    ["broken off if its end is of another file", (response) => response.end("x".repeat(400_000)), "broken", "Miss"],
    ["broken off if the bucket breaks off", (response) => response.destroy(), "broken", "Miss"],
  ])("%s", async (_, end, expected, from) => {
    const printed = jest.spyOn(console, "error").mockReturnValue(undefined);
    const { location: tested, play } = location({ values: new Map([["my-game", `l.${name}...`]]) });
    const site = gameHost(gamesDomain, tested, []);
    const { endpoint } = await keep(startHttpServer((request, response) => void site.respond(request, response)));
    const load = async (begins = () => {}) => {
      const sent = get(`${endpoint}/.well-known/svc/files/${content.sha256}/large.bin`, {
        headers: { host: `my-game.${gamesDomain}` },
      });
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const pieces: Buffer[] = [];
      try {
        for await (const piece of response) {
          pieces.push(piece);
          begins();
        }
      } catch {
        return { came: "broken", from: response.headers["x-cache"] };
      }
      const came = Buffer.concat(pieces).equals(bytes) ? "whole" : "wrong";
      return { came, from: response.headers["x-cache"] };
    };
    await play("/none");
    const { objects } = tested.counts;
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = await keep(
      startHttpServer((_request, response) => {
        response.writeHead(200, { "content-length": bytes.length }).write(bytes.subarray(0, 600_000));
        void Promise.all(begun.map(({ promise }) => promise)).then(() => end(response));
      }),
    );
    await withoutBucket(async () => {
      const loads = await Promise.all(begun.map(({ resolve }) => load(resolve)));
      expect(loads).toEqual(Array(2).fill({ came: expected, from: "Miss from cloudfront" }));
    }, slow.endpoint);
    expect(tested.counts.objects).toBe(objects + 1);
    expect(await load()).toEqual({ came: "whole", from: `${from} from cloudfront` });
    printed.mockRestore();
  });
});

test("an invalidation by a game's tag makes its responses misses, and no other game's", async () => {
  const { location: tested, play } = location();
  await play("/game.js");
  await play("/game.js", {}, "GET", "spa-game");
  tested.purge("game:my-game");
  expect((await play("/game.js")).from).toBe("Miss");
  expect((await play("/game.js", {}, "GET", "spa-game")).from).toBe("Hit");
});

test("what is on its way while its game is invalidated is not kept", async () => {
  let invalidates = true;
  const loadHandler = async () => {
    if (invalidates) tested.purge("game:my-game");
    return await edge.distribution.loadHandler();
  };
  const { location: tested, play } = location({ loadHandler });
  await play("/game.js");
  invalidates = false;
  expect((await play("/game.js")).from).toBe("Miss");
  expect((await play("/game.js")).from).toBe("Hit");
});

test("what it had before an invalidation does not stand for an error after it", async () => {
  let fails = false;
  const loadHandler = async () => {
    if (fails) tested.purge("game:my-game");
    return fails ? async () => Promise.reject(new Error("failed")) : await edge.distribution.loadHandler();
  };
  const { location: tested, clock, play } = location({ loadHandler });
  const cookie = `__Host-svc-release=${edge.games.names[0]}`;
  await play("/new.js", { cookie });
  clock.seconds = 6;
  fails = true;
  const printed = jest.spyOn(console, "error").mockReturnValue(undefined);
  expect(await play("/new.js", { cookie })).toMatchObject({ status: 503, text: "" });
  printed.mockRestore();
});

test("a preview ends at its time, also if it is in the cache", async () => {
  const [, digest = ""] = edge.games.digests;
  const now = Math.floor(Date.now() / 1_000);
  const until = (expiresAt: number) => previewValue({ release: releaseName(digest), expiresAt });
  const values = new Map([[previewKey("my-game", digest), until(now + 3_600)]]);
  const { play } = location({ values });
  const host = `my-game--${digest.slice(0, 20)}`;
  expect(await play("/game.js", {}, "GET", host)).toMatchObject({ status: 200 });
  expect(await play("/game.js", {}, "GET", host)).toMatchObject({ status: 200, from: "Hit" });
  values.set(previewKey("my-game", digest), until(now));
  expect(await play("/game.js", {}, "GET", host)).toMatchObject({ status: 404 });
});

describe("CloudFront responds with an error of its own if", () => {
  const handler = (made: (request: { headers: object }) => object) => async () =>
    (async (event: { Records: [{ cf: { request: { headers: object } } }] }) =>
      made(event.Records[0].cf.request)) as never;
  const header = (name: string, value: string) => ({ [name]: [{ key: name, value }] });

  test.each([
    [
      "a viewer function changes a read-only header",
      viewer('function handler(e){e.request.headers.host={value:"x"};return e.request}'),
      502,
    ],
    [
      "a viewer function adds a header that it may not",
      viewer('function handler(e){e.request.headers["x-amzn-x"]={value:"x"};return e.request}'),
      502,
    ],
    ["a viewer function fails", viewer("function handler(e){return e.none.x}"), 503],
    [
      "a viewer function needs a global that is not documented",
      viewer("function handler(e){return new URL(e.uri)}"),
      503,
    ],
    ["Lambda@Edge fails", { loadHandler: async () => async () => Promise.reject(new Error("failed")) }, 503],
    [
      "Lambda@Edge changes a read-only header",
      {
        loadHandler: handler((request) => ({
          ...request,
          headers: { ...request.headers, ...header("if-range", "x") },
        })),
      },
      502,
    ],
    [
      "Lambda@Edge generates more than 1 MB",
      { loadHandler: handler(() => ({ status: "200", body: "x".repeat(1_000_001) })) },
      502,
    ],
  ])("%s", async (_, changed, status) => {
    const printed = jest.spyOn(console, "error").mockReturnValue(undefined);
    expect(await location(changed as Partial<Distribution>).play("/game.js")).toMatchObject({ status, text: "" });
    expect(printed).toHaveBeenCalled();
    printed.mockRestore();
  });
});

test("a request to the bucket is signed, and for what the function named", async () => {
  const asked = jest.spyOn(globalThis, "fetch");
  await location().play("/game.js");
  const url = new URL(String(asked.mock.calls.at(-1)?.[0]));
  asked.mockRestore();
  expect(url.pathname).toBe(`/svc-edge/${game}/${sha256(script)}`);
  expect(url.searchParams.get("X-Amz-Signature")).toMatch(/^[0-9a-f]{64}$/);
});
