import { describe, expect, test } from "@jest/globals";
import {
  ask,
  cookie,
  file,
  fixedRelease,
  hash,
  liveRelease,
  page,
  project,
  release,
  sent,
} from "../test/support/service/sample-game.ts";
import * as pages from "./pages/pages.ts";
import type { Project } from "./pages/respond-early.ts";
import { respond } from "./respond.ts";

/*
 * The edge as a pure function: of a request, the project's pointer and its manifests. test/games has what any static server does, through
 * the socket.
 */

describe("a visitor of a host without a game to play reads", () => {
  test.each<[string, Project, number, string]>([
    ["that it has no project", { kind: "none" }, 404, "There is no game here"],
    ["that its project has no release", { kind: "unpublished" }, 404, "Nothing to play now"],
    ["that its project was taken down", { kind: "takenDown" }, 410, "This game is closed"],
  ])("%s", async (_, of, status, title) => {
    for (const target of ["/", "/index.html", "/%"]) {
      const response = await ask(target, { ...page, ...cookie(liveRelease) }, { of });
      expect(response).toMatchObject({ status, body: { text: expect.stringContaining(`<h1>${title}</h1>`) } });
      expect(response.headers).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        "content-type": "text/html; charset=utf-8",
      });
      expect(response.headers).not.toHaveProperty("set-cookie");
    }
  });

  test.each<[string, string, Project]>([
    ["of a missing file", "/none", project],
    ["of a missing file of the service's own", "/.well-known/svc/none", project],
    ["about the game", "/.well-known/svc/report", project],
  ])("where to report the game on the page %s, if the operator says where", async (_, target, of) => {
    const text = async (reportUrl?: string) => {
      const { body } = await ask(target, page, { of, ...(reportUrl !== undefined && { reportUrl }) });
      return (body as { text: string }).text;
    };
    expect(await text("https://example.com/?a=1&b=2")).toContain(
      '<a href="https://example.com/?a=1&amp;b=2">Report this game</a>',
    );
    expect(await text()).not.toContain("Report");
  });

  test.each([
    [pages.badRequest, '<a href="/"><b>To the game</b></a>'],
    [pages.methodNotAllowed, undefined],
    [pages.notFound, '<a href="/"><b>To the game</b></a>'],
    [pages.noProject, undefined],
    [pages.noRelease(), '<a href=""><b>Try again</b></a>'],
    [pages.noRelease("<bdi>Star &amp; Co</bdi> is not online."), '<a href=""><b>Try again</b></a>'],
    [pages.endedPreview("star.example"), '<a href="//star.example"><b>To the game</b></a>'],
    [pages.report, '<a href="/"><b>To the game</b></a>'],
    [pages.takenDown, undefined],
    [pages.unavailable, '<a href=""><b>Try again</b></a>'],
  ])("what is the matter on the page %j, and at most one way on: %s", (own, way = "") => {
    const [, text, end] = /<p>((?:[^<]|<bdi>|<\/bdi>)+[.?])(?:<p>(<a .*))?<\/main>\n$/.exec(pages.htmlOf(own)) ?? [];
    expect({ text, way: end ?? "" }).toEqual({ text: expect.stringMatching(/^(<bdi>)?[A-Z]/), way });
    expect(text).not.toContain("any more");
    expect(pages.htmlOf(own)).not.toMatch(/https?:/);
  });

  test.each([
    ["a script", { "sec-fetch-dest": "script" }],
    ["an image", { "sec-fetch-dest": "image", accept: "image/avif,image/webp,*/*;q=0.8" }],
    ["a program", { accept: "*/*" }],
  ])("a line of text instead if %s asks", async (_, headers) => {
    for (const [of, title] of [
      [{ kind: "none" }, "There is no game here"],
      [{ kind: "takenDown" }, "This game is closed"],
      [project, "Not found"],
    ] as const) {
      const response = await ask("/none", headers, { of });
      expect(response).toMatchObject({
        headers: { "content-type": "text/plain; charset=utf-8", "content-length": String(title.length + 1) },
        body: { text: `${title}\n` },
      });
    }
  });

  test.each<Project>([{ kind: "none" }, { kind: "unpublished" }, { kind: "takenDown" }])(
    "nothing about a report if there is no game to play: %j",
    async (of) => {
      const { body } = await ask("/", page, { of, reportUrl: "https://example.com/" });
      expect((body as { text: string }).text).not.toContain("Report");
    },
  );

  test("nothing in the body with HEAD", async () => {
    const head = await ask("/", page, { of: { kind: "takenDown" }, method: "HEAD" });
    expect(head).toMatchObject({ status: 410, body: undefined });
  });
});

describe("a path", () => {
  test.each([
    ["/assets/page.html", "8"],
    ["/assets/page", "8"],
    ["/assets/page/", 404],
    ["/level/index", "d"],
    ["/assets/x", 404],
    ["/level/%2e%2e/game.js", 400],
    ["/./game.js", 400],
    ["/level/..", 400],
    ["/..game.js", 404],
    ["game.js", 400],
    ["", 400],
  ])("%s leads to %s", async (target, expected) => {
    expect(await sent(target)).toBe(expected);
  });

  test("of a folder without its slash gets a redirect within the origin, with its query, that must not be reused", async () => {
    const { headers } = await ask("/level?a=b");
    expect(headers).toMatchObject({
      location: "/level/?a=b",
      "cache-control": "public, max-age=0, must-revalidate",
      "content-length": "0",
    });
    const odd = release({ "a b/ü/index.html": file("a") });
    const response = await respond({ method: "GET", target: "/a%20b/u%CC%88", headers: {} }, project, {
      readManifest: async () => odd,
    });
    expect(response.headers["location"]).toBe("/a%20b/%C3%BC/");
  });
});

describe("isolation", () => {
  const all = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "cross-origin",
  };

  test.each(["/own.js", "/game.js", "/level", "/none"])(
    "of the visit's release is in the headers of %s",
    async (target) => {
      expect((await ask(target, cookie(fixedRelease))).headers).toMatchObject(all);
      expect((await ask(target)).headers).not.toHaveProperty("cross-origin-embedder-policy");
    },
  );

  test("changes the ETag", async () => {
    expect((await ask("/game.js", cookie(fixedRelease))).headers["etag"]).toBe(`"${hash("b")}.isolated"`);
    expect((await ask("/game.js")).headers["etag"]).toBe(`"${hash("b")}"`);
  });
});

describe("what is sent", () => {
  const br = { "accept-encoding": "br" };

  test.each<[string, string, Readonly<Record<string, string>>, string | number]>([
    ["the variant to a client that accepts it", "/game.js", br, "c"],
    ["the file to a client that does not", "/game.js", {}, "b"],
    ["the file if it has no variant", "/assets/x.js", br, "9"],
    ["the file if a range is requested", "/game.js", { ...br, range: "bytes=0-" }, "b"],
    ["the bytes as they are if the build compressed them", "/plain.js.br", br, "e"],
  ])("is %s", async (_, target, headers, expected) => {
    expect(await sent(target, headers)).toBe(expected);
  });

  test.each([{}, { range: "bytes=0-1" }])("to HEAD is the length of the file itself with %j", async (range) => {
    const { headers, status } = await ask("/game.js", { ...br, ...range }, { method: "HEAD" });
    expect({ status, length: headers["content-length"] }).toEqual({ status: 200, length: "100" });
    expect(headers).not.toHaveProperty("content-encoding");
  });

  test.each(["/", "/none"])("to HEAD of %s are the headers of GET", async (target) => {
    const files = { "404.html": file("0") };
    const got = await ask(target, {}, { files });
    expect(got.body).toBeDefined();
    expect(await ask(target, {}, { files, method: "HEAD" })).toEqual({ ...got, body: undefined });
  });

  test("is the page of a missing file whole, in Brotli or as it is, also if a range is requested", async () => {
    const files = { "404.html": { ...file("0"), br: { sha256: hash("f"), size: 50 } } };
    const vary = "Accept-Encoding";
    expect(await ask("/none", br, { files })).toMatchObject({
      status: 404,
      headers: { "content-encoding": "br", "content-length": "50", vary },
      body: { sha256: hash("f"), start: 0, end: 50 },
    });
    expect((await ask("/none", {}, { files })).headers).toMatchObject({ "content-length": "100", vary });
    expect(await ask("/none", { ...br, range: "bytes=0-1" }, { files })).toMatchObject({
      status: 404,
      headers: { "content-length": "100" },
      body: { sha256: hash("0"), start: 0, end: 100 },
    });
  });

  test("varies by Accept-Encoding if there is a variant, and nowhere else", async () => {
    expect((await ask("/game.js")).headers["vary"]).toBe("Accept-Encoding");
    expect((await ask("/game.js", { "if-none-match": "*" })).headers["vary"]).toBe("Accept-Encoding");
    expect((await ask("/")).headers).not.toHaveProperty("vary");
  });

  test("is cached for a year if the release says so, but never a document", async () => {
    const keeping = async (target: string) => (await ask(target)).headers["cache-control"];
    expect(await keeping("/assets/x.js")).toBe("public, max-age=31536000, immutable");
    for (const target of ["/assets/page.html", "/game.js", "/"])
      expect(await keeping(target)).toBe("public, max-age=0, must-revalidate");
  });

  test("has the type of the name without .br", async () => {
    const { headers } = await ask("/plain.js.br");
    expect(headers).toMatchObject({ "content-type": "text/javascript; charset=utf-8", "content-encoding": "br" });
  });

  test("from another release is immutable if that release says so", async () => {
    const { headers } = await ask("/assets/x.js", cookie(fixedRelease));
    expect(headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-opener-policy": "same-origin",
    });
  });

  test("is the page of a missing file if the live manifest is missing", async () => {
    const response = await respond({ method: "GET", target: "/", headers: page }, project, {
      readManifest: async () => undefined,
    });
    expect(response).toMatchObject({ status: 404, body: { text: expect.stringContaining("<h1>Not found</h1>") } });
  });
});
