import { describe, expect, jest, test } from "@jest/globals";
import { releaseName } from "../../edge/project/pointer.ts";
import { Manifest, writeManifest } from "../../functions/files/manifests.ts";
import { gamesDomain, TestLocation, useEdge } from "../support/edge/suite.ts";
import { storeOf } from "../support/edge/viewer-runtime.ts";
import type { Play } from "../support/service/play.ts";

/*
 * Number of fetches with the origin's functions and the cache's key, and failures of the bucket. edge-oracle.test.ts has the responses.
 */

const edge = useEdge();
const page = { "sec-fetch-dest": "document", "accept-encoding": "br" };
const file = { "sec-fetch-dest": "script", "accept-encoding": "br" };

function location(values = edge.games.values) {
  const clock = { seconds: 0 };
  const cloudfront = new TestLocation(edge, storeOf(values), () => clock.seconds);
  const play = (path: string, headers: Play["headers"] = {}, slug = "my-game") =>
    cloudfront.play(`${slug}.${gamesDomain}`, { path, headers });
  return { cloudfront, clock, play };
}

test("a thousand requests at once for what is not in the cache are one to the origin", async () => {
  const { cloudfront, play } = location();
  const all = await Promise.all(Array.from({ length: 1_000 }, () => play("/game.js", file)));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  expect(cloudfront.counts).toEqual({ misses: 1, objects: 1 });
});

test("a roll-back meets a warm cache: it sends nothing to the origin, also for visits of the other release", async () => {
  const [isolated = "", spa = "", plain = ""] = edge.games.names;
  const values = new Map([["my-game", `l.${spa}.${isolated}..`]]);
  const { cloudfront, clock, play } = location(values);
  const visit = async (cookie?: string) => {
    await play("/", { ...page, ...(cookie && { cookie }) });
    for (const path of ["/game.js", "/assets/x.js", "/bytes.bin"])
      await play(path, { ...file, ...(cookie && { cookie }) });
  };
  await visit();
  values.set("my-game", `l.${plain}.${spa}${isolated}..`);
  await visit(`__Host-svc-release=${plain}.${spa}`);
  const before = { ...cloudfront.counts };
  clock.seconds = 30 * 24 * 60 * 60;
  values.set("my-game", `l.${spa}.${isolated}${plain}..`);
  await visit();
  await visit(`__Host-svc-release=${spa}.${plain}`);
  expect(cloudfront.counts).toEqual(before);
});

test("what another release has, and what is missing, is asked for again after 5 s", async () => {
  const { cloudfront, clock, play } = location();
  const [isolated = ""] = edge.games.names;
  const cookie = `__Host-svc-release=${isolated}`;
  const missesOf = async (path: string, headers: Play["headers"]) => {
    const before = cloudfront.counts.misses;
    await play(path, headers);
    return cloudfront.counts.misses - before;
  };
  for (const [path, headers, seconds] of [
    ["/new.js", { ...file, cookie }, 5],
    ["/none.js", file, 5],
    ["/none", page, 5],
    ["/game.js", file, 31_536_000],
  ] as const) {
    expect(await missesOf(path, headers)).toBe(1);
    clock.seconds += seconds - 1;
    expect(await missesOf(path, headers)).toBe(0);
    clock.seconds += 1;
    expect(await missesOf(path, headers)).toBe(1);
  }
});

test("a file that a visit got of a release that is not live is given to nobody else", async () => {
  const [isolated = "", spa = "", plain = ""] = edge.games.names;
  const values = new Map([["my-game", `l.${plain}.${spa}${isolated}..`]]);
  const { play } = location(values);
  const status = async (visit?: string) =>
    (await play("/spa.js", { ...file, ...(visit && { cookie: `__Host-svc-release=${visit}` }) })).status;
  for (let visit = 0; visit < 3; visit += 1) {
    expect(await status(`${plain}.${spa}`)).toBe(200);
    expect(await status()).toBe(404);
    expect(await status(plain)).toBe(404);
  }
  values.set("my-game", `l.${plain}.${isolated}..`);
  expect(await status(`${plain}.${spa}`)).toBe(404);
});

test("a missing file of one visitor is found by another who has no cookie, in the release before", async () => {
  const [isolated = "", spa = "", plain = ""] = edge.games.names;
  const values = new Map([["my-game", `l.${plain}.${spa}${isolated}..1`]]);
  const { play } = location(values);
  for (let visit = 0; visit < 3; visit += 1) {
    expect((await play("/spa.js", { ...file, cookie: `__Host-svc-release=${plain}` })).status).toBe(404);
    expect((await play("/spa.js", file)).status).toBe(200);
    expect((await play("/old.js", file)).status).toBe(404);
  }
  // After a rollback, or if that release was withdrawn.
  values.set("my-game", `l.${plain}.${spa}${isolated}..`);
  expect((await play("/spa.js", file)).status).toBe(404);
});

describe("if the bucket does not give", () => {
  const content = { size: 1, sha256: "e".repeat(64) };

  test.each([
    ["a manifest", "c".repeat(43), "http://127.0.0.1:9"],
    ["an object that the manifest names", undefined, undefined],
  ])("%s, a page is told to try again, and a worker does not end", async (_, name, endpoint) => {
    const written = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    const manifest = Manifest.of(["index.html", "sw.js"].map((path) => ({ path, ...content })));
    await writeManifest("my-game", manifest.digest, await manifest.pack());
    Object.assign(process.env, { S3_ENDPOINT: endpoint ?? edge.endpoint });
    const { play } = location(new Map([["my-game", `l.${name ?? releaseName(manifest.digest)}...`]]));
    try {
      for (const [path, headers] of [
        ["/", page],
        ["/sw.js", { "service-worker": "script" }],
      ] as const)
        expect(await play(path, headers)).toMatchObject({
          status: 503,
          headers: { "retry-after": "1", "cache-control": "no-store" },
        });
      expect(written.mock.calls.join()).toContain('"code":"game_unavailable"');
    } finally {
      process.env["S3_ENDPOINT"] = edge.endpoint;
      written.mockRestore();
    }
  });
});

async function atOrigin(uri: string, customHeaders: Readonly<Record<string, string>> = {}) {
  const headers = Object.entries(customHeaders).map(([key, value]) => [key, [{ key, value }]]);
  const s3 = { domainName: "svc-edge.s3.eu-central-1.amazonaws.com", customHeaders: Object.fromEntries(headers) };
  const request = { uri, method: "GET", headers: {}, querystring: "", clientIp: "", origin: { s3 } };
  const event = { Records: [{ cf: { config: { eventType: "origin-request" }, request } }] };
  return await (await edge.distribution.loadHandler())(event as never, {} as never);
}

test("a URI that no viewer function made gets nothing of the bucket", async () => {
  expect(await atOrigin("/projects/my-game/manifests/x.zst")).toMatchObject({ status: "400" });
});

test("bucket, region, table and games domain are those that the distribution's origin names", async () => {
  const named = {
    BUCKET_NAME: "svc-edge",
    STAGE_REGION: "eu-central-1",
    TABLE_NAME: "games",
    GAMES_DOMAIN: "g.example",
  };
  const before = Object.keys(named).map((name) => [name, process.env[name]] as const);
  try {
    await atOrigin("/", { "x-svc-table": "games", "x-svc-games-domain": "g.example" });
    expect(process.env).toMatchObject(named);
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
});

test("a file of a release of 20,000 is found within 10 ms when the manifest is in memory", async () => {
  const content = { size: 1, sha256: "a".repeat(64) };
  const paths = Array.from({ length: 20_000 }, (_, index) => `assets/level-${index}/${"x".repeat(40)}.json`);
  const manifest = Manifest.of(paths.map((path) => ({ path, ...content })));
  await writeManifest("my-game", manifest.digest, await manifest.pack());
  const uri = `/my-game/${releaseName(manifest.digest)}/if/${paths.at(-1)}`;
  const times: number[] = [];
  for (let call = 0; call < 20; call += 1) {
    const started = performance.now();
    const found = await atOrigin(uri);
    times.push(performance.now() - started);
    expect(found).toMatchObject({ uri: `/projects/my-game/files/${content.sha256}` });
  }
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(10);
});
