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
} from "../test/support/sample-game.ts";
import { type Project, respond } from "./respond.ts";

describe("which release a request is served from:", () => {
  const otherPointer: Project = { kind: "live", live: liveDigest, previous: undefined };

  test.each<[string, string, Readonly<Record<string, string>>, string | number]>([
    ["the visit's own first", "/old.js", cookie(fixedDigest), "0"],
    ["then the live one", "/game.js", cookie(fixedDigest), "b"],
    ["then the one before", "/sw.js", cookie(fixedDigest), "6"],
    ["without a cookie the live one, then the one before", "/old.js", {}, "5"],
    ["a document is the live one's alone", "/old.js", { ...page, ...cookie(fixedDigest) }, 404],
    ["a service worker's script too", "/sw.js", { "service-worker": "script", ...cookie(previousDigest) }, 404],
    ["another value of that header is none", "/sw.js", { "service-worker": "x", ...cookie(previousDigest) }, "6"],
    [
      "a frame of the game belongs to the visit",
      "/old.js",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" },
      "5",
    ],
    ["an iframe elsewhere begins one", "/old.js", { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" }, 404],
    ["so does a frame", "/old.js", { "sec-fetch-dest": "frame", "sec-fetch-site": "same-site" }, 404],
    ["an embed", "/old.js", { "sec-fetch-dest": "embed", "sec-fetch-site": "none" }, 404],
    ["an object", "/old.js", { "sec-fetch-dest": "object", "sec-fetch-site": "cross-site" }, 404],
    [
      "a script from elsewhere does not",
      "/old.js",
      { "sec-fetch-dest": "script", "sec-fetch-site": "cross-site" },
      "5",
    ],
    ["what it accepts tells where nothing else does", "/old.js", { accept: "text/html,*/*" }, 404],
    ["but only then", "/old.js", { accept: "text/html,*/*", "sec-fetch-dest": "empty" }, "5"],
    ["a digest in another form is none", "/old.js", cookie(fixedDigest.slice(1)), "5"],
    ["a cookie of a longer name is another", "/old.js", { cookie: `x__Host-svc-release=${fixedDigest}` }, "5"],
    ["one that names no release counts for nothing", "/game.js", cookie(hash("e")), "b"],
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

  test("a cookie in another form than a digest's is never looked up", async () => {
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

  test("the cookie is set by a document alone, and only where it changes", async () => {
    const set = `__Host-svc-release=${liveDigest}; Path=/; Secure; HttpOnly; SameSite=Lax`;
    expect((await ask("/", page)).headers["set-cookie"]).toBe(set);
    expect((await ask("/none", page)).headers["set-cookie"]).toBe(set);
    expect((await ask("/", { ...page, ...cookie(fixedDigest) })).headers["set-cookie"]).toBe(set);
    expect((await ask("/", { ...page, ...cookie(liveDigest) })).headers).not.toHaveProperty("set-cookie");
    expect((await ask("/", { "service-worker": "script" })).headers).not.toHaveProperty("set-cookie");
    expect((await ask("/")).headers).not.toHaveProperty("set-cookie");
  });
});
