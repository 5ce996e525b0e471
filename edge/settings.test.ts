import { describe, expect, test } from "@jest/globals";
import { ask, cookie, file, hash, liveRelease, page, previousRelease } from "../test/support/service/sample-game.ts";

describe("a single-page application", () => {
  const spa = { settings: { spa: true } };
  const sentAs = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await ask(target, headers, spa);
    return body !== undefined && "sha256" in body ? [status, body.sha256[0]] : status;
  };

  test.each([
    ["/play/level", [200, "a"]],
    ["/play/", [200, "a"]],
    ["/game.js", [200, "b"]],
    ["/level", 302],
    ["/missing.js", 404],
    ["/a.b/missing", [200, "a"]],
    ["/a./missing", [200, "a"]],
  ])("%s leads to %j", async (target, expected) => {
    expect(await sentAs(target)).toEqual(expected);
  });

  test("a page that a person opens may have a dot in its path", async () => {
    expect(await sentAs("/players/jane.doe", page)).toEqual([200, "a"]);
  });

  test("a file of the visit's earlier release is found before the page", async () => {
    expect(await sentAs("/old.js", cookie(`${liveRelease}.${previousRelease}`))).toEqual([200, "5"]);
  });

  test("sends its page with the page's own ETag, type and cache lifetime", async () => {
    const { headers } = await ask("/play", page, spa);
    expect(headers).toMatchObject({
      etag: `"${hash("a")}"`,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=0, must-revalidate",
    });
  });

  test("is not what a release is without the setting", async () => {
    expect((await ask("/play", page)).status).toBe(404);
  });
});

describe("isolation without credentials", () => {
  test("is in the headers and in the ETag", async () => {
    const { headers } = await ask("/game.js", {}, { settings: { isolation: "credentialless" } });
    expect(headers).toMatchObject({
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "credentialless",
      "cross-origin-resource-policy": "cross-origin",
      etag: `"${hash("b")}.credentialless"`,
    });
  });
});

describe("what is loaded with each page", () => {
  const preload = ["index.wasm", "a b/#ü+[1].js.br", "none.wasm"];
  const files = Object.fromEntries(
    [...preload.slice(0, 2), "x.css", "x.png", "x.woff2", "icon.svg"].map((path) => [path, file("0")]),
  );
  const linksOf = async (target: string, names = preload, headers = {}) =>
    (await ask(target, headers, { settings: { preload: names }, files })).headers;

  test("is in the header of pages alone, by the URLs that browsers make, without what is not there", async () => {
    const link =
      "</index.wasm>; rel=preload; as=fetch; crossorigin, </a%20b/%23%C3%BC+[1].js.br>; rel=preload; as=script";
    for (const target of ["/", "/level/", "/assets/page"])
      expect(await linksOf(target, preload, page)).toMatchObject({ link });
    for (const target of ["/game.js", "/icon.svg", "/none.html"])
      expect(await linksOf(target)).not.toHaveProperty("link");
    expect(await linksOf("/", ["none.wasm"])).not.toHaveProperty("link");
  });

  test.each([
    ["x.css", "style"],
    ["x.png", "image"],
    ["x.woff2", "font; crossorigin"],
  ])("says that %s is %s", async (path, how) => {
    expect((await linksOf("/", [path]))["link"]).toBe(`</${path}>; rel=preload; as=${how}`);
  });

  test("is in the ETag, because a 304 takes no header away", async () => {
    const [with1, with2, without] = [await linksOf("/"), await linksOf("/", ["index.wasm"]), await linksOf("/", [])];
    expect(new Set([with1["etag"], with2["etag"], without["etag"]]).size).toBe(3);
    expect(without["etag"]).toBe(`"${hash("a")}"`);
    expect(await linksOf("/", preload, { "if-none-match": with1["etag"] })).toMatchObject({ link: with1["link"] });
  });
});

describe("who may show a game in a frame", () => {
  const origins = ["https://a.example", "https://*.b.example:8443"];
  const policyOf = async (target: string, frame: "everybody" | "nobody" | string[], headers = {}) => {
    const files = { "404.html": file("0"), "icon.svg": file("0") };
    const response = await ask(target, headers, { settings: { frame }, files });
    return response.headers["content-security-policy"];
  };

  test.each([
    ["everybody" as const, undefined],
    ["nobody" as const, "frame-ancestors 'self'"],
    [origins, "frame-ancestors 'self' https://a.example https://*.b.example:8443"],
  ])("%j is the policy %j of its documents", async (frame, policy) => {
    for (const target of ["/", "/level/", "/assets/page.html", "/none.html", "/icon.svg"])
      expect([target, await policyOf(target, frame)]).toEqual([target, policy]);
    for (const target of ["/game.js", "/level"]) expect(await policyOf(target, frame)).toBeUndefined();
  });

  test("is in every response about a document, and in its ETag, because a 304 takes no header away", async () => {
    const etags = new Set<unknown>();
    for (const frame of ["everybody" as const, "nobody" as const, origins, ["https://a.example"]]) {
      const { headers } = await ask("/", page, { settings: { frame } });
      etags.add(headers["etag"]);
      const unchanged = await ask("/", { "if-none-match": String(headers["etag"]) }, { settings: { frame } });
      expect(unchanged).toMatchObject({ status: 304 });
      expect(unchanged.headers["content-security-policy"]).toBe(headers["content-security-policy"]);
      const script = await ask("/game.js", {}, { settings: { frame } });
      expect(script.headers["etag"]).toBe(`"${hash("b")}"`);
    }
    expect(etags.size).toBe(4);
  });
});

describe("a file with the name of a compressed one that is sent as it is", () => {
  test("has no Content-Encoding, and the type of its whole name", async () => {
    const files = { "data.json.gz": { ...file("0"), encoding: "identity" as const } };
    const { headers } = await ask("/data.json.gz", {}, { files });
    expect(headers).toMatchObject({ "content-type": "application/octet-stream", "accept-ranges": "bytes" });
    expect(headers).not.toHaveProperty("content-encoding");
    const { headers: named } = await ask("/data.json.gz", {}, { files: { "data.json.gz": file("0") } });
    expect(named).toMatchObject({ "content-type": "application/json", "content-encoding": "gzip" });
    // A 304 would leave a browser with the other encoding.
    expect(named["etag"]).not.toBe(headers["etag"]);
  });
});

describe("every game responds with", () => {
  test("which release is live and which one the visit has", async () => {
    const ofVisit = async (headers: Readonly<Record<string, string>>) => {
      const { status, headers: sent, body } = await ask("/.well-known/svc/release", headers);
      expect({ status, type: sent["content-type"], cache: sent["cache-control"] }).toEqual({
        status: 200,
        type: "application/json",
        cache: "no-store",
      });
      return JSON.parse((body as { text: string }).text);
    };
    expect(await ofVisit(cookie(previousRelease))).toEqual({ live: liveRelease, visit: previousRelease });
    expect(await ofVisit({})).toEqual({ live: liveRelease, visit: liveRelease });
    expect(await ofVisit(cookie(hash("e")))).toEqual({ live: liveRelease, visit: liveRelease });
  });

  test("a page where a player reports it, if the operator says where", async () => {
    const reportUrl = "https://example.com/report";
    const { status, body } = await ask("/.well-known/svc/report", page, { reportUrl });
    expect({ status, text: (body as { text: string }).text }).toEqual({
      status: 200,
      text: expect.stringContaining(`<a href="${reportUrl}">Report this game</a>`),
    });
    expect(await ask("/game.js", {}, { reportUrl })).toMatchObject({ status: 200, body: { sha256: hash("b") } });
    expect((await ask("/.well-known/svc/report", page)).status).toBe(404);
    expect((await ask("/.well-known/svc/report", page, { reportUrl, of: { kind: "takenDown" } })).status).toBe(410);
  });
});
