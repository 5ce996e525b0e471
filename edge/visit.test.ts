import { describe, expect, test } from "@jest/globals";
import {
  ask,
  cookie,
  fixedDigest,
  hash,
  liveDigest,
  manifests,
  page,
  previousDigest,
  project,
  sent,
} from "../test/support/service/sample-game.ts";
import type { Project } from "./begin.ts";
import { respond } from "./respond.ts";

describe("which release a request is served from:", () => {
  const withoutEarlier: Project = { kind: "live", live: liveDigest, earlier: [] };
  const asOpen = hash("e");

  test.each<[string, string, Readonly<Record<string, string>>, string | number]>([
    ["the visit's own release first", "/old.js", cookie(fixedDigest), "0"],
    ["then the live release", "/game.js", cookie(fixedDigest), "b"],
    ["not then one that the visit never had", "/sw.js", cookie(fixedDigest), 404],
    ["then the one that the visit had before", "/sw.js", cookie(`${fixedDigest}.${previousDigest}`), "6"],
    [
      "the live release before the one that the visit had before",
      "/game.js",
      cookie(`${fixedDigest}.${previousDigest}`),
      "b",
    ],
    ["without a cookie the live release alone", "/old.js", {}, 404],
    ["a release that never was live does not count", "/game.js", cookie(asOpen), "b"],
    ["nor as the one before", "/secret.js", cookie(`${liveDigest}.${asOpen}`), 404],
    ["a document only from the live release", "/old.js", { ...page, ...cookie(fixedDigest) }, 404],
    [
      "a service worker's script only from the live release, else from none",
      "/sw.js",
      { "service-worker": "script", ...cookie(previousDigest) },
      200,
    ],
    [
      "another value of that header does not count",
      "/sw.js",
      { "service-worker": "x", ...cookie(previousDigest) },
      "6",
    ],
    [
      "a frame of the game belongs to the visit",
      "/old.js",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin", ...cookie(previousDigest) },
      "5",
    ],
    [
      "an iframe of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site", ...cookie(previousDigest) },
      404,
    ],
    [
      "a frame of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "frame", "sec-fetch-site": "same-site", ...cookie(previousDigest) },
      404,
    ],
    [
      "an embed begins a visit",
      "/old.js",
      { "sec-fetch-dest": "embed", "sec-fetch-site": "none", ...cookie(previousDigest) },
      404,
    ],
    [
      "an object of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "object", "sec-fetch-site": "cross-site", ...cookie(previousDigest) },
      404,
    ],
    [
      "a script of another site begins no visit",
      "/old.js",
      { "sec-fetch-dest": "script", "sec-fetch-site": "cross-site", ...cookie(previousDigest) },
      "5",
    ],
    [
      "without Sec-Fetch-Dest, Accept tells a document",
      "/old.js",
      { accept: "text/html,*/*", ...cookie(previousDigest) },
      404,
    ],
    [
      "with Sec-Fetch-Dest, Accept does not count",
      "/old.js",
      { accept: "text/html,*/*", "sec-fetch-dest": "empty", ...cookie(previousDigest) },
      "5",
    ],
    ["a cookie that is no digest does not count", "/old.js", cookie(fixedDigest.slice(1)), 404],
    ["a cookie with a longer name does not count", "/old.js", { cookie: `x__Host-svc-release=${fixedDigest}` }, 404],
  ])("%s", async (_, target, headers, expected) => {
    expect(await sent(target, headers)).toBe(expected);
  });

  const readsOf = async (headers: Readonly<Record<string, string>>, of: Project = project) => {
    const read: string[] = [];
    const readManifest = async (digest: string) => {
      read.push(digest);
      return manifests.get(digest);
    };
    const { status } = await respond({ method: "GET", target: "/none", headers }, of, { readManifest });
    return { status, read: [...new Set(read)], reads: read.length };
  };

  test("without a visit only the live release is read", async () => {
    expect(await readsOf({})).toMatchObject({ status: 404, read: [liveDigest] });
    expect(await readsOf(cookie(previousDigest), withoutEarlier)).toMatchObject({ status: 404, read: [liveDigest] });
  });

  test("each manifest is read once, and the live one again for its 404.html", async () => {
    expect(await readsOf(cookie(`${liveDigest}.${previousDigest}`))).toEqual({
      status: 404,
      read: [liveDigest, previousDigest],
      reads: 3,
    });
  });

  test.each([
    "../../other/manifests/x",
    "A".repeat(64),
    "",
    "a".repeat(63),
    asOpen,
    `.${asOpen}`,
    `${liveDigest}.${asOpen}`,
    `${asOpen}.${asOpen}.${asOpen}`,
  ])("a cookie of %j reads nothing that was not live", async (value) => {
    expect((await readsOf(cookie(value))).read).toEqual([liveDigest]);
  });

  test("a cookie never makes a request read more than three releases", async () => {
    const many = [fixedDigest, previousDigest, ...Array.from("456789", hash)];
    const { read } = await readsOf(cookie(many.join(".")), { kind: "live", live: liveDigest, earlier: many });
    expect(read).toEqual([fixedDigest, liveDigest, previousDigest]);
  });

  const set = (digests: string) => [
    `__Host-svc-release=${digests}; Path=/; Secure; HttpOnly; SameSite=None; Partitioned`,
  ];
  const script = { "service-worker": "script" };

  test.each<[string, string, Readonly<Record<string, string>>, string[] | undefined]>([
    ["a page", "/", page, set(liveDigest)],
    ["a page that is missing", "/none", page, undefined],
    ["a part of a page that does not exist", "/", { ...page, range: "bytes=999-" }, undefined],
    ["a folder without its slash", "/level", page, set(liveDigest)],
    ["a page of a later release", "/", { ...page, ...cookie(fixedDigest) }, set(`${liveDigest}.${fixedDigest}`)],
    [
      "a page two releases later",
      "/",
      { ...page, ...cookie(`${fixedDigest}.${previousDigest}`) },
      set(`${liveDigest}.${fixedDigest}`),
    ],
    ["a page after a withdrawal", "/", { ...page, ...cookie(asOpen) }, set(liveDigest)],
    ["a page of the same release", "/", { ...page, ...cookie(liveDigest) }, undefined],
    ["a page of the same release as before", "/", { ...page, ...cookie(`${liveDigest}.${fixedDigest}`) }, undefined],
    [
      "a service worker's script",
      "/game.js",
      { ...script, ...cookie(fixedDigest) },
      set(`${liveDigest}.${fixedDigest}`),
    ],
    ["a script that has not changed", "/game.js", { ...script, "if-none-match": "*" }, set(liveDigest)],
    ["a file", "/game.js", cookie(fixedDigest), undefined],
    ["a file without a visit", "/", {}, undefined],
  ])("the cookie for %s", async (_, target, headers, expected) => {
    expect((await ask(target, headers)).headers["set-cookie"]).toEqual(expected);
  });
});
