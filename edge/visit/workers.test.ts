import { describe, expect, test } from "@jest/globals";
import {
  ask,
  cookie,
  file,
  liveRelease,
  page,
  previousRelease,
  project,
} from "../../test/support/service/sample-game.ts";
import type { Project } from "../pages/respond-early.ts";

/*
 * Data of a game in a browser: its service worker and its origin's storage. test/browser/games tries it in browsers.
 */

const script = { "service-worker": "script", "sec-fetch-dest": "serviceworker" };
const ended = {
  status: 200,
  body: { text: expect.stringContaining("registration.unregister()") },
  headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
};

describe("a service worker ends", () => {
  test.each<[string, Project]>([
    ["if its project is deleted", { kind: "none" }],
    ["if its project has no release", { kind: "unpublished" }],
    ["if its project was taken down", { kind: "takenDown" }],
    ["if the live release has not its script", project],
    ["if the live release is a single-page application without its script", project],
    ["if the live release has not its script, and a page of its own for missing files", project],
  ])("%s", async (name, of) => {
    const spa = name.includes("single-page");
    const files = name.includes("page of its own") ? { "404.html": file("0") } : {};
    const response = await ask("/none.js", { ...script, ...cookie(previousRelease) }, { of, settings: { spa }, files });
    expect(response).toMatchObject(ended);
    expect(response.headers).not.toHaveProperty("set-cookie");
    expect(response.headers).not.toHaveProperty("clear-site-data");
  });

  test("nowhere else: the live release's script is sent, and never as immutable", async () => {
    const response = await ask("/assets/x.js", script);
    expect(response).toMatchObject({ status: 200, body: { sha256: "9".repeat(64) } });
    expect(response.headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
  });

  test("a script that is not a service worker's gets the page of a missing file", async () => {
    expect((await ask("/none.js", { "sec-fetch-dest": "script" })).status).toBe(404);
  });
});

test("a takedown removes everything that browsers keep of the origin, other pages nothing", async () => {
  const cleared = async (of: Project) => (await ask("/", page, { of })).headers["clear-site-data"];
  expect(await cleared({ kind: "takenDown" })).toBe('"cache", "cookies", "storage"');
  for (const other of [{ kind: "none" }, { kind: "unpublished" }, project] as const)
    expect(await cleared(other)).toBeUndefined();
});

describe("an origin that had another owner", () => {
  const ownedSince = "1795000000";
  const of: Project = { kind: "live", live: liveRelease, earlier: [], ownedSince };
  const mark = `__Host-svc-owned-since=${ownedSince}; Path=/; Max-Age=34560000; Secure; HttpOnly; SameSite=None; Partitioned`;
  const marked = { cookie: `a=b; __Host-svc-release=${liveRelease}; __Host-svc-owned-since=${ownedSince}` };
  const earlierMark = {
    cookie: `a=bc=d; c; a=d; __Host-svc-release=${liveRelease}; __Host-svc-owned-since=1790000000`,
  };

  test.each<[string, object, string[], Project]>([
    ["without a mark", {}, [], of],
    ["with the mark of an earlier owner", earlierMark, ["a=; Path=/; Max-Age=0", "c=; Path=/; Max-Age=0"], of],
    ["without a mark, after an update", {}, [], { ...of, earlier: [previousRelease], fallback: previousRelease }],
  ])("a page %s removes what the browser keeps, and cookies by their names", async (_, headers, removed, owned) => {
    const response = await ask("/", { ...page, ...headers, "if-none-match": "*" }, { of: owned });
    expect(response.status).toBe(200);
    expect(response.headers["clear-site-data"]).toBe('"cache", "storage"');
    expect(response.headers["set-cookie"]).toEqual(expect.arrayContaining([mark, ...removed]));
    expect(response.headers["set-cookie"]).toHaveLength(1 + removed.length + ("cookie" in headers ? 0 : 1));
  });

  test("a page that a worker passes on removes nothing, and leaves the mark as it is", async () => {
    const passedOn = { "sec-fetch-dest": "empty", "sec-fetch-mode": "navigate" };
    const { headers } = await ask("/", { ...passedOn, ...earlierMark }, { of });
    expect(headers).not.toHaveProperty("clear-site-data");
    expect(headers).not.toHaveProperty("set-cookie");
    expect((await ask("/", passedOn, { of })).headers["set-cookie"]).toEqual([expect.stringContaining(liveRelease)]);
  });

  test("a page with its mark removes nothing, and renews the mark", async () => {
    const { status, headers } = await ask("/", { ...page, ...marked, "if-none-match": "*" }, { of });
    expect({ status, cookies: headers["set-cookie"] }).toEqual({ status: 304, cookies: [mark] });
    expect(headers).not.toHaveProperty("clear-site-data");
  });

  test("a service worker of an earlier owner ends, also if the live release has a script of its name", async () => {
    expect(await ask("/game.js", script, { of })).toMatchObject(ended);
    expect(await ask("/game.js", { ...script, ...earlierMark }, { of })).toMatchObject(ended);
    const { headers, body } = await ask("/game.js", { ...script, ...marked }, { of });
    expect(body).toMatchObject({ sha256: "b".repeat(64) });
    // A hand-over meanwhile would leave the earlier owner's data with the mark of the new one.
    expect(headers).not.toHaveProperty("set-cookie");
  });

  test("a file removes nothing and sets no mark", async () => {
    const { headers } = await ask("/game.js", {}, { of });
    expect(headers).not.toHaveProperty("set-cookie");
    expect(headers).not.toHaveProperty("clear-site-data");
  });
});
