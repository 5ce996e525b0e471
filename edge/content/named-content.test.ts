import { describe, expect, test } from "@jest/globals";
import type { ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import {
  ask,
  cookie,
  fixedRelease,
  hash,
  liveRelease,
  manifests,
  page,
  previousRelease,
  release,
} from "../../test/support/service/sample-game.ts";
import type { ReleaseFile } from "./resolve.ts";

/*
 * Large files go by their content: their own URL redirects to one that names it.
 */

const large = 262_144;
const data: ReleaseFile = { sha256: hash("a"), size: large };
const brotli = { "accept-encoding": "gzip, deflate, br" };
const named = (letter: string, path: string) => `/.well-known/svc/files/${hash(letter)}/${path}`;
const withFile = (path: string, file = data, settings: Partial<ReleaseSettings> = {}) => ({
  files: { [path]: file },
  settings,
});

describe("the own URL of a large file", () => {
  test("redirects to the one that names its content, which a browser asks for each time", async () => {
    const isolation = true;
    // Programs that follow no redirect, as `curl -O` does not, get a sentence instead of an empty file.
    const text = `This file is at ${named("a", "data.bin")}: follow the redirect (curl -L).\n`;
    expect(await ask("/data.bin?v=2", {}, withFile("data.bin", data, { isolation }))).toEqual({
      status: 307,
      headers: {
        location: named("a", "data.bin"),
        "cache-control": "public, max-age=0, must-revalidate",
        "content-type": "text/plain; charset=utf-8",
        "content-length": String(text.length),
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-resource-policy": "cross-origin",
      },
      body: { text },
    });
    expect((await ask("/data.bin", {}, { ...withFile("data.bin"), method: "HEAD" })).body).toBeUndefined();
  });

  test("is encoded as URLs and their patterns have it", async () => {
    const { headers } = await ask("/a%20b/%C3%BC(1)*;+.bin", {}, withFile("a b/ü(1)*;+.bin"));
    expect(headers["location"]).toBe(named("a", "a%20b/%C3%BC%281%29%2A%3B%2B.bin"));
  });

  test.each<[string, string, Partial<ReleaseFile>, Partial<ReleaseSettings>, Record<string, string>]>([
    ["smaller than 256 KiB", "data.bin", { size: large - 1 }, {}, {}],
    ["a page", "level.html", {}, {}, {}],
    ["a drawing that may have scripts", "map.svg", {}, {}, {}],
    ["a script", "engine.js", {}, {}, {}],
    ["a module that the build compressed", "engine.mjs.br", {}, {}, {}],
    ["a style", "style.css", {}, {}, {}],
    ["of a release that sends all files whole", "data.bin", {}, { updates: "whole" }, {}],
    ["kept for good already", "assets/data-1f2e.bin", {}, { immutable: ["assets/**"] }, {}],
    ["opened as a page", "picture.png", {}, {}, page],
    ["a service worker's script", "data.bin", {}, {}, { "service-worker": "script" }],
  ])("does not if it is %s", async (_, path, changes, settings, headers) => {
    const options = withFile(path, { ...data, ...changes }, settings);
    expect((await ask(`/${path}`, headers, options)).status).toBe(200);
    // A file that is sent whole has no other URL.
    const isWhole = Object.keys(headers).length === 0;
    const led = isWhole ? { status: 307, headers: { location: `/${path}` } } : { status: 200 };
    expect(await ask(named("a", path), headers, options)).toMatchObject(led);
  });
});

describe("the URL that names its content", () => {
  const plain = { path: "data.bin", ...withFile("data.bin") };

  test("has the file, which is kept for good and is a dictionary for the next one at its path", async () => {
    const isolation = "credentialless";
    expect(await ask(named("a", "data.bin"), {}, withFile("data.bin", data, { isolation }))).toEqual({
      status: 200,
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(large),
        "accept-ranges": "bytes",
        "cache-control": "public, max-age=31536000, immutable",
        "use-as-dictionary": 'match="/.well-known/svc/files/*/data.bin"',
        etag: `"${hash("a")}.identity.credentialless"`,
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "credentialless",
        "cross-origin-resource-policy": "cross-origin",
      },
      body: { sha256: hash("a"), start: 0, end: large },
    });
  });

  test("has ranges of the file, and 304 for who has it", async () => {
    const range = { range: "bytes=10-19", "if-range": `"${hash("a")}.identity"` };
    expect(await ask(named("a", "data.bin"), range, plain)).toMatchObject({
      status: 206,
      body: { sha256: hash("a"), start: 10, end: 20 },
    });
    const condition = { "if-none-match": `"${hash("a")}.identity"` };
    expect(await ask(named("a", "data.bin"), condition, plain)).toMatchObject({ status: 304, body: undefined });
  });

  test("is a dictionary if the build compressed the file in Brotli: a browser has what that unpacks to", async () => {
    const { status, headers } = await ask(named("a", "game.data.br"), brotli, withFile("game.data.br"));
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: { "content-encoding": "br", "use-as-dictionary": 'match="/.well-known/svc/files/*/game.data.br"' },
    });
  });

  test.each<[string, string, string | undefined, Partial<ReleaseFile>]>([
    ["in gzip", "game.data.gz", "gzip", {}],
    ["in gzip, and sent as it is stored", "game.data.gz", undefined, { encoding: "identity" }],
    ["in Brotli, and sent as it is stored", "game.data.br", undefined, { encoding: "identity" }],
  ])("is none if the build compressed the file %s", async (_, path, coding, changes) => {
    const { headers } = await ask(named("a", path), brotli, withFile(path, { ...data, ...changes }));
    expect(headers["content-encoding"]).toBe(coding);
    expect(headers).not.toHaveProperty("use-as-dictionary");
  });

  test("leads to the file's own URL if it names another content than the release has", async () => {
    const { status, headers } = await ask(named("b", "data.bin"), {}, plain);
    expect({ status, location: headers["location"] }).toEqual({ status: 307, location: "/data.bin" });
    expect(headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
  });

  test("has relative URLs that lead where those of the file's own URL do", async () => {
    const url = new URL(named("a", "data.bin"), "http://game");
    for (const [relative, location] of [
      ["game.js", "/game.js"],
      ["../game.js", "/game.js"],
      ["level/", "/level/index.html"],
      ["../level/", "/level/index.html"],
      ["../level", "/level/"],
      ["..", "/index.html"],
    ] as const) {
      const { status, headers } = await ask(new URL(relative, url).pathname, {}, plain);
      expect({ relative, status, location: headers["location"] }).toEqual({ relative, status: 307, location });
    }
  });

  const spa = { ...plain, settings: { spa: true } };
  test.each(["//evil.example/", "//evil.example", "/%2Fevil.example/", "/%5Cevil.example/", "//evil.example/%2e%2e"])(
    "leads to no other host with %s behind it, if each path is a page of the game",
    async (path) => {
      for (const headers of [{}, page])
        for (const prefix of [named("0", "").slice(0, -1), "/.well-known/svc/files"]) {
          const { status, headers: sent } = await ask(`${prefix}${path}`, headers, spa);
          if (status !== 400) expect(sent["location"] ?? "/index.html").toBe("/index.html");
        }
    },
  );

  test("leads to the own URL of a file that a script finds beside it, and not to what is missing", async () => {
    expect(await ask(named("a", "game.js"), {}, plain)).toMatchObject({
      ...{ status: 307, headers: { location: "/game.js" } },
    });
    expect(await ask(named("a", "none.bin"), {}, plain)).toMatchObject({ status: 404 });
  });
});

describe("a browser that has an older file", () => {
  const [older, delta] = ["0f".repeat(32), { sha256: hash("d"), size: 900 }];
  const changed: ReleaseFile = {
    ...data,
    br: { sha256: hash("c"), size: 9_000 },
    deltas: [
      { dictionary: "1e".repeat(32), sha256: hash("e"), size: 800 },
      { dictionary: older, ...delta },
    ],
  };
  const available = (digest: string) => ({
    "accept-encoding": "gzip, deflate, br, zstd, dcb, dcz",
    "available-dictionary": `:${Buffer.from(digest, "hex").toString("base64")}:`,
  });
  const sentAs = async (headers: Record<string, string>) => {
    const { status, headers: got, body } = await ask(named("a", "data.bin"), headers, withFile("data.bin", changed));
    const { "content-encoding": coding, etag, vary } = got;
    return { status, coding, etag, vary, letter: body !== undefined && "sha256" in body && body.sha256[0] };
  };
  const vary = "Accept-Encoding, Available-Dictionary";

  test.each([
    ["gets the delta to it", available(older), "dcz", "d"],
    ["that no release has a delta for gets Brotli", available("2d".repeat(32)), "br", "c"],
    ["and takes no delta gets Brotli", { ...available(older), ...brotli }, "br", "c"],
    [
      "and says so in no way that is right gets Brotli",
      { ...available(older), "available-dictionary": older },
      "br",
      "c",
    ],
  ])("%s", async (_, headers, coding, letter) => {
    expect(await sentAs(headers)).toEqual({ status: 200, coding, letter, etag: `"${hash(letter)}.${coding}"`, vary });
  });

  test.each([
    ["nothing", undefined],
    ["the delta", `"${hash("d")}.dcz"`],
    ["Brotli", `"${hash("c")}.br"`],
    ["an encoding of an earlier version, which gave one tag to all", `W/"${hash("a")}"`],
    ["the file of an earlier version", `"${hash("a")}"`],
  ])("gets a range of the file itself, and its length, whether it has %s", async (_, tag) => {
    const condition = { ...available(older), ...(tag && { "if-none-match": tag }) };
    const bytes = { coding: undefined, etag: `"${hash("a")}.identity"`, vary };
    expect(await sentAs({ ...condition, range: "bytes=0-9" })).toEqual({ ...bytes, status: 206, letter: "a" });
    const rangeOf = { ...available(older), range: "bytes=0-9", ...(tag && { "if-range": tag }) };
    expect(await sentAs(rangeOf)).toEqual({ ...bytes, status: tag === undefined ? 206 : 200, letter: "a" });
    const head = await ask(named("a", "data.bin"), condition, { ...withFile("data.bin", changed), method: "HEAD" });
    expect(head).toMatchObject({ status: 200, headers: { "content-length": String(large) } });
    expect(head.headers).not.toHaveProperty("content-encoding");
  });

  test("gets 304 for the bytes that it has, and for no other encoding of them", async () => {
    const tags = [`"${hash("d")}.dcz"`, `"${hash("c")}.br"`, `"${hash("a")}.identity"`, `"${hash("a")}"`];
    const statuses = async (headers: Record<string, string>) =>
      await Promise.all(tags.map(async (tag) => (await sentAs({ ...headers, "if-none-match": tag })).status));
    expect(await statuses(available(older))).toEqual([304, 200, 200, 200]);
    expect(await statuses(brotli)).toEqual([200, 304, 200, 200]);
    expect(await statuses({})).toEqual([200, 200, 304, 200]);
    expect(await statuses({ range: "bytes=0-9" })).toEqual([206, 206, 304, 206]);
  });

  test("of what the build compressed in Brotli gets the delta in its place, and as it is stored whoever has none", async () => {
    const packed = withFile("game.data.br", { ...changed, br: undefined });
    const got = async (headers: Record<string, string>, method = "GET") => {
      const sent = await ask(named("a", "game.data.br"), headers, { ...packed, method });
      const { "content-encoding": coding, "content-type": type, "content-length": length, etag } = sent.headers;
      const letter = sent.body !== undefined && "sha256" in sent.body && sent.body.sha256[0];
      expect(sent.headers).toMatchObject({
        vary,
        "use-as-dictionary": 'match="/.well-known/svc/files/*/game.data.br"',
      });
      return { status: sent.status, coding, type, length, etag, letter };
    };
    const type = "application/octet-stream";
    const delta = { coding: "dcz", type, length: "900", etag: `"${hash("d")}.dcz"`, letter: "d" };
    expect(await got(available(older))).toEqual({ status: 200, ...delta });
    const stored = { coding: "br", type, length: String(large), etag: `"${hash("a")}.br"`, letter: "a" };
    for (const headers of [{}, brotli, { ...available(older), ...brotli }, available("2d".repeat(32))])
      expect(await got(headers)).toEqual({ status: 200, ...stored });
    expect(await got(available(older), "HEAD")).toEqual({ status: 200, ...stored, letter: false });
    expect(await got({ ...available(older), range: "bytes=0-9" })).toEqual({ status: 206, ...stored, length: "10" });
  });

  test("gets no delta at the file's own URL of a release that sends it whole", async () => {
    const options = withFile("data.bin", changed, { updates: "whole" });
    const { headers } = await ask("/data.bin", available(older), options);
    expect(headers).toMatchObject({ "content-encoding": "br", vary: "Accept-Encoding" });
  });
});

describe("a large file that browsers keep for good", () => {
  const older = "0f".repeat(32);
  const updated: ReleaseFile = { ...data, deltas: [{ dictionary: older, sha256: hash("d"), size: 900 }] };
  const available = {
    "accept-encoding": "gzip, deflate, br, zstd, dcb, dcz",
    "available-dictionary": `:${Buffer.from(older, "hex").toString("base64")}:`,
  };
  const kept = (path: string, headers: Record<string, string>, changes: Partial<ReleaseFile> = {}, settings = {}) =>
    ask(`/${path}`, headers, withFile(path, { ...updated, ...changes }, { immutable: ["**"], ...settings }));

  test("is a dictionary for the one whose name has another hash, and is sent as a delta to who has that", async () => {
    const { status, headers, body } = await kept("a.b/engine-DkA3x9b2.js", available);
    expect({ status, body }).toEqual({ status: 200, body: { sha256: hash("d"), start: 0, end: 900 } });
    expect(headers).toMatchObject({
      "use-as-dictionary": 'match="/a.b/engine-*.js"',
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "dcz",
      "content-type": "text/javascript; charset=utf-8",
      etag: `"${hash("d")}.dcz"`,
      vary: "Accept-Encoding, Available-Dictionary",
    });
    expect((await kept("engine-DkA3x9b2.js", brotli)).body).toMatchObject({ sha256: hash("a") });
    expect((await kept("engine-DkA3x9b2.js", { ...available, range: "bytes=0-9" })).body).toMatchObject({ end: 10 });
  });

  test.each([
    ["main.3f2a1b9c.chunk.js", "main.*.chunk.js"],
    ["a/level-2-Dk-Ab_9x.pck", "a/level-2-*.pck"],
    ["index-DkAxxbbb.wasm", "index-*.wasm"],
    ["index-DkAxxbbb.wasm.br", "index-*.wasm.br"],
  ])("of the name %s is one for %s", async (path, pattern) => {
    expect((await kept(path, {})).headers["use-as-dictionary"]).toBe(`match="/${pattern}"`);
  });

  test.each<[string, string, Partial<ReleaseFile>, Partial<ReleaseSettings>, Record<string, string>]>([
    ["smaller than 256 KiB", "data-1f2e3d4c.bin", { size: large - 1 }, {}, {}],
    ["a page", "level-1f2e3d4c.html", {}, {}, {}],
    ["of a name without a hash", "big-spaceship.bin", {}, {}, {}],
    ["of a name that is a hash alone", "1f2e3d4c5b.bin", {}, {}, {}],
    ["of a name that a pattern would read in another way", "a(1)-1f2e3d4c.bin", {}, {}, {}],
    ["stored in gzip", "data-1f2e3d4c.bin.gz", {}, {}, {}],
    ["stored in Brotli and sent as it is", "data-1f2e3d4c.bin.br", { encoding: "identity" }, {}, {}],
    ["a page that is stored in Brotli", "data-1f2e3d4c.html.br", {}, {}, {}],
    ["of a release that sends all files whole", "data-1f2e3d4c.bin", {}, { updates: "whole" }, {}],
    ["opened as a page", "picture-1f2e3d4c.png", {}, {}, page],
    ["a service worker's script", "worker-1f2e3d4c.js", {}, {}, { "service-worker": "script" }],
  ])("is no dictionary, and has no delta, if it is %s", async (_, path, changes, settings, headers) => {
    const { status, headers: got, body } = await kept(path, { ...available, ...headers }, changes, settings);
    expect({ status, body }).toMatchObject({ status: 200, body: { sha256: hash("a") } });
    expect(got).not.toHaveProperty("use-as-dictionary");
  });
});

describe("of several releases", () => {
  const old: ReleaseFile = { sha256: hash("b"), size: large };
  const withOld = async (target: string, headers: Record<string, string> = {}, of?: Parameters<typeof ask>[2]) => {
    const before = manifests.get(previousRelease);
    manifests.set(previousRelease, release({ "data.bin": old }));
    try {
      return await ask(target, headers, { ...withFile("data.bin"), ...of });
    } finally {
      if (before) manifests.set(previousRelease, before);
    }
  };

  test("the visit's one chooses the redirect, and its file is there for the visit alone", async () => {
    const [mine, theirs] = [cookie(previousRelease), cookie(liveRelease)];
    expect((await withOld("/data.bin", mine)).headers["location"]).toBe(named("b", "data.bin"));
    expect((await withOld("/data.bin", theirs)).headers["location"]).toBe(named("a", "data.bin"));
    expect(await withOld(named("b", "data.bin"), mine)).toMatchObject({ status: 200, body: { sha256: hash("b") } });
    // The visit went on with the live release.
    expect(await withOld(named("a", "data.bin"), mine)).toMatchObject({ status: 200, body: { sha256: hash("a") } });
    expect(await withOld(named("b", "data.bin"), theirs)).toMatchObject({ status: 307 });
    expect(await withOld(named("b", "data.bin"), cookie(fixedRelease))).toMatchObject({ status: 307 });
  });

  test("without a visit the live one has it, and the one that it followed", async () => {
    const project = { kind: "live", live: liveRelease, earlier: [previousRelease] } as const;
    const followed = { of: { ...project, fallback: previousRelease } };
    expect(await withOld(named("b", "data.bin"), {}, followed)).toMatchObject({ status: 200 });
    expect(await withOld(named("b", "data.bin"), {}, { of: project })).toMatchObject({ status: 307 });
    // It was withdrawn.
    const withdrawn = { of: { ...project, earlier: [] } };
    expect(await withOld(named("b", "data.bin"), cookie(previousRelease), withdrawn)).toMatchObject({ status: 307 });
  });
});
