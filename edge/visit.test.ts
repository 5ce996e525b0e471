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
import { type Project, respond } from "./respond.ts";

describe("which release a request is served from:", () => {
  const otherPointer: Project = { kind: "live", live: liveDigest, previous: undefined };

  test.each<[string, string, Readonly<Record<string, string>>, string | number]>([
    ["the visit's own release first", "/old.js", cookie(fixedDigest), "0"],
    ["then the live release", "/game.js", cookie(fixedDigest), "b"],
    ["then the release before it", "/sw.js", cookie(fixedDigest), "6"],
    ["without a cookie the live one, then the one before", "/old.js", {}, "5"],
    ["a document only from the live release", "/old.js", { ...page, ...cookie(fixedDigest) }, 404],
    [
      "a service worker's script only from the live release",
      "/sw.js",
      { "service-worker": "script", ...cookie(previousDigest) },
      404,
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
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" },
      "5",
    ],
    [
      "an iframe of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" },
      404,
    ],
    [
      "a frame of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "frame", "sec-fetch-site": "same-site" },
      404,
    ],
    ["an embed begins a visit", "/old.js", { "sec-fetch-dest": "embed", "sec-fetch-site": "none" }, 404],
    [
      "an object of another site begins a visit",
      "/old.js",
      { "sec-fetch-dest": "object", "sec-fetch-site": "cross-site" },
      404,
    ],
    [
      "a script of another site begins no visit",
      "/old.js",
      { "sec-fetch-dest": "script", "sec-fetch-site": "cross-site" },
      "5",
    ],
    ["without Sec-Fetch-Dest, Accept tells a document", "/old.js", { accept: "text/html,*/*" }, 404],
    [
      "with Sec-Fetch-Dest, Accept does not count",
      "/old.js",
      { accept: "text/html,*/*", "sec-fetch-dest": "empty" },
      "5",
    ],
    ["a cookie that is no digest does not count", "/old.js", cookie(fixedDigest.slice(1)), "5"],
    ["a cookie with a longer name does not count", "/old.js", { cookie: `x__Host-svc-release=${fixedDigest}` }, "5"],
    ["a cookie that names no release does not count", "/game.js", cookie(hash("e")), "b"],
  ])("%s", async (_, target, headers, expected) => {
    expect(await sent(target, headers)).toBe(expected);
  });

  test("without an earlier release, none is read", async () => {
    const asked: string[] = [];
    const { status } = await respond({ method: "GET", target: "/none", headers: {} }, otherPointer, {
      readManifest: async (digest) => {
        asked.push(digest);
        return manifests.get(digest);
      },
    });
    expect({ status, asked: [...new Set(asked)] }).toEqual({ status: 404, asked: [liveDigest] });
  });

  test("each manifest is read once, also where the visit's release is the live one", async () => {
    const asked: string[] = [];
    const request = { method: "GET", target: "/old.js", headers: cookie(liveDigest) };
    await respond(request, project, {
      readManifest: async (digest) => {
        asked.push(digest);
        return manifests.get(digest);
      },
    });
    expect(asked).toEqual([liveDigest, previousDigest]);
  });

  test("a cookie that is no digest is never looked up", async () => {
    const asked: string[] = [];
    for (const value of ["../../other/manifests/x", "A".repeat(64), "", "a".repeat(63)])
      await respond({ method: "GET", target: "/none", headers: cookie(value) }, otherPointer, {
        readManifest: async (digest) => {
          asked.push(digest);
          return manifests.get(digest);
        },
      });
    expect([...new Set(asked)]).toEqual([liveDigest]);
  });

  test("only a document sets the cookie, and only where it changes", async () => {
    const set = `__Host-svc-release=${liveDigest}; Path=/; Secure; HttpOnly; SameSite=Lax`;
    expect((await ask("/", page)).headers["set-cookie"]).toBe(set);
    expect((await ask("/none", page)).headers["set-cookie"]).toBe(set);
    expect((await ask("/", { ...page, ...cookie(fixedDigest) })).headers["set-cookie"]).toBe(set);
    expect((await ask("/", { ...page, ...cookie(liveDigest) })).headers).not.toHaveProperty("set-cookie");
    expect((await ask("/", { "service-worker": "script" })).headers).not.toHaveProperty("set-cookie");
    expect((await ask("/")).headers).not.toHaveProperty("set-cookie");
  });
});
