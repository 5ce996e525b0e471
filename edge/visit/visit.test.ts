import { describe, expect, test } from "@jest/globals";
import {
  ask,
  cookie,
  fixedRelease,
  hash,
  liveRelease,
  manifests,
  page,
  previousRelease,
  project,
  sent,
} from "../../test/support/service/sample-game.ts";
import type { Project } from "../pages/respond-early.ts";
import { respond } from "../respond.ts";

describe("a request without a cookie", () => {
  const updated: Project = { kind: "live", live: liveRelease, earlier: [previousRelease], fallback: previousRelease };
  const sentOf = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await ask(target, headers, { of: updated });
    return body !== undefined && "sha256" in body ? body.sha256[0] : status;
  };

  test("gets what the live release lacks from the one that it followed", async () => {
    expect(await sentOf("/old.js")).toBe("5");
    expect(await sentOf("/game.js")).toBe("b");
    expect(await sentOf("/own.js")).toBe(404);
    expect(await sentOf("/old.js", cookie(hash("e")))).toBe("5");
  });

  test.each([
    ["a visit that began with the live release", cookie(liveRelease)],
    ["a page", page],
  ])("is not %s, which gets the live release alone", async (_, headers) => {
    expect(await sentOf("/old.js", headers)).toBe(404);
  });
});

describe("which release a request is served from:", () => {
  const withoutEarlier: Project = { kind: "live", live: liveRelease, earlier: [] };
  const asOpen = hash("e");

  test.each<[string, string, Readonly<Record<string, string>>, string | number]>([
    ["the visit's own release first", "/old.js", cookie(fixedRelease), "0"],
    ["then the live release", "/game.js", cookie(fixedRelease), "b"],
    ["not then one that the visit never had", "/sw.js", cookie(fixedRelease), 404],
    ["then the one that the visit had before", "/sw.js", cookie(`${fixedRelease}.${previousRelease}`), "6"],
    [
      "the live release before the one that the visit had before",
      "/game.js",
      cookie(`${fixedRelease}.${previousRelease}`),
      "b",
    ],
    ["without a cookie not one that is no fallback", "/old.js", {}, 404],
    ["a release that never was live does not count", "/game.js", cookie(asOpen), "b"],
    ["nor as the one before", "/secret.js", cookie(`${liveRelease}.${asOpen}`), 404],
    ["a document only from the live release", "/old.js", { ...page, ...cookie(fixedRelease) }, 404],
    [
      "a service worker's script only from the live release, else from none",
      "/sw.js",
      { "service-worker": "script", ...cookie(previousRelease) },
      200,
    ],
    [
      "another value of that header does not count",
      "/sw.js",
      { "service-worker": "x", ...cookie(previousRelease) },
      "6",
    ],
    [
      "a frame of the game belongs to the visit",
      "/old.js",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin", ...cookie(previousRelease) },
      "5",
    ],
    [
      "an iframe of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site", ...cookie(previousRelease) },
      404,
    ],
    [
      "a frame of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "frame", "sec-fetch-site": "same-site", ...cookie(previousRelease) },
      404,
    ],
    [
      "an embed begins a visit",
      "/old.js",
      { "sec-fetch-dest": "embed", "sec-fetch-site": "none", ...cookie(previousRelease) },
      404,
    ],
    [
      "an object of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "object", "sec-fetch-site": "cross-site", ...cookie(previousRelease) },
      404,
    ],
    [
      "a script of another site begins no visit",
      "/old.js",
      { "sec-fetch-dest": "script", "sec-fetch-site": "cross-site", ...cookie(previousRelease) },
      "5",
    ],
    [
      "without Sec-Fetch-Dest, Accept tells a document",
      "/old.js",
      { accept: "text/html,*/*", ...cookie(previousRelease) },
      404,
    ],
    [
      "with Sec-Fetch-Dest, Accept does not count",
      "/old.js",
      { accept: "text/html,*/*", "sec-fetch-dest": "empty", ...cookie(previousRelease) },
      "5",
    ],
    [
      "a page that a worker passes on begins a visit, in Chromium and WebKit",
      "/old.js",
      { "sec-fetch-dest": "empty", "sec-fetch-mode": "navigate", ...cookie(previousRelease) },
      404,
    ],
    [
      "a page that a worker passes on begins a visit, in Firefox, or without the browser's cache",
      "/old.js",
      {
        "sec-fetch-dest": "empty",
        "sec-fetch-mode": "same-origin",
        "upgrade-insecure-requests": "1",
        ...cookie(previousRelease),
      },
      404,
    ],
    [
      "a page that a worker passes on begins a visit, in WebKit without the browser's cache",
      "/old.js",
      {
        "sec-fetch-dest": "empty",
        accept: "text/html,*/*",
        referer: "https://g.example/sw.js?1",
        ...cookie(previousRelease),
      },
      404,
    ],
    [
      "a page that a script fetches begins a visit",
      "/",
      { "sec-fetch-dest": "empty", referer: "https://g.example/sw.mjs", ...cookie(previousRelease) },
      "a",
    ],
    [
      "a file that a script fetches begins none",
      "/old.js",
      { "sec-fetch-dest": "empty", referer: "https://g.example/worker.js", ...cookie(previousRelease) },
      "5",
    ],
    [
      "a page that a page fetches begins none",
      "/",
      {
        "sec-fetch-dest": "empty",
        "sec-fetch-mode": "cors",
        referer: "https://g.example/",
        ...cookie(previousRelease),
      },
      "4",
    ],
    ["a cookie that is no digest does not count", "/old.js", cookie(fixedRelease.slice(1)), 404],
    ["a cookie with a longer name does not count", "/old.js", { cookie: `x__Host-svc-release=${fixedRelease}` }, 404],
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

  test("without a visit the live release is read, and the one before it, from which others may get the file", async () => {
    expect(await readsOf({})).toMatchObject({ status: 404, read: [liveRelease, previousRelease] });
    expect(await readsOf(cookie(previousRelease), withoutEarlier)).toMatchObject({ status: 404, read: [liveRelease] });
  });

  test("each manifest is read once, and the live one again for its 404.html", async () => {
    expect(await readsOf(cookie(`${liveRelease}.${previousRelease}`))).toEqual({
      status: 404,
      read: [liveRelease, previousRelease],
      reads: 3,
    });
  });

  test.each([
    "../../other/manifests/x",
    "A".repeat(43),
    "",
    "a".repeat(42),
    asOpen,
    `.${asOpen}`,
    `${liveRelease}.${asOpen}`,
    `${asOpen}.${asOpen}.${asOpen}`,
  ])("a cookie of %j reads nothing that was not live", async (value) => {
    expect((await readsOf(cookie(value))).read).toEqual([liveRelease, previousRelease]);
  });

  test("a cookie never makes a request read more than four releases", async () => {
    const many = [fixedRelease, previousRelease, ...Array.from("456789", hash)];
    const { read } = await readsOf(cookie(many.join(".")), { kind: "live", live: liveRelease, earlier: many });
    expect(read).toEqual([fixedRelease, liveRelease, previousRelease]);
    const others = await readsOf(cookie(many.slice(1).join(".")), { kind: "live", live: liveRelease, earlier: many });
    expect(others.read).toHaveLength(4);
  });

  const set = (digests: string) => [
    `__Host-svc-release=${digests}; Path=/; Secure; HttpOnly; SameSite=None; Partitioned`,
  ];
  const script = { "service-worker": "script" };

  test.each<[string, string, Readonly<Record<string, string>>, string[] | undefined]>([
    ["a page", "/", page, set(liveRelease)],
    ["a page that is missing", "/none", page, undefined],
    ["a part of a page, which is sent whole", "/", { ...page, range: "bytes=999-" }, set(liveRelease)],
    ["a folder without its slash", "/level", page, set(liveRelease)],
    ["a page of a later release", "/", { ...page, ...cookie(fixedRelease) }, set(`${liveRelease}.${fixedRelease}`)],
    [
      "a page two releases later",
      "/",
      { ...page, ...cookie(`${fixedRelease}.${previousRelease}`) },
      set(`${liveRelease}.${fixedRelease}`),
    ],
    ["a page after a withdrawal", "/", { ...page, ...cookie(asOpen) }, set(liveRelease)],
    ["a page of the same release", "/", { ...page, ...cookie(liveRelease) }, undefined],
    ["a page of the same release as before", "/", { ...page, ...cookie(`${liveRelease}.${fixedRelease}`) }, undefined],
    [
      "a service worker's script",
      "/game.js",
      { ...script, ...cookie(fixedRelease) },
      set(`${liveRelease}.${fixedRelease}`),
    ],
    ["a script that has not changed", "/game.js", { ...script, "if-none-match": "*" }, set(liveRelease)],
    ["a file", "/game.js", cookie(fixedRelease), undefined],
    ["a file without a visit", "/", {}, undefined],
  ])("the cookie for %s", async (_, target, headers, expected) => {
    expect((await ask(target, headers)).headers["set-cookie"]).toEqual(expected);
  });
});
