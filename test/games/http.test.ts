import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import sirv from "sirv";
import { actorsOf } from "../support/actors.ts";
import { type Play, type Played, play, sendTo } from "../support/play.ts";
import { newProject, publish, sha256 } from "../support/steps.ts";
import { useService } from "../support/suite.ts";

/*
 * A game's own origin against RFC 9110, on the socket. The same requests go to sirv, a static server of repute, over the
 * same files: each row says where it does the same, and where it does not, why.
 */

const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const long = `${"n".repeat(200)}/${"m".repeat(200)}/${"o".repeat(100)}.txt`;
const folder = {
  "index.html": "<!doctype html><p>first page",
  "game.js": "let score = 0;",
  "level/index.html": "<!doctype html><p>level",
  "level/map.json": "{}",
  "a #1/index.html": "<!doctype html><p>first",
  "bytes.bin": bytes,
  "empty.txt": "",
  "a b/ü+;,=@&#~$!'().js": "odd",
  "日本/ゲーム.txt": "ゲーム",
  "Build/game.wasm.br": brotliCompressSync("wasm bytes"),
  "Build/game.data.gz": gzipSync("data bytes"),
  "Build/game.framework.js.gz": gzipSync("let unity;"),
  [long]: "far",
};
const tag = (path: keyof typeof folder) => `"${sha256(folder[path] ?? "")}"`;

const service = useService();
let slug: string;
let other: Server;
let otherUrl: string;
let otherFolder: string;

beforeAll(async () => {
  const ada = await actorsOf(service).developer();
  slug = await newProject(ada);
  await publish(ada, slug, folder);
  otherFolder = mkdtempSync(join(tmpdir(), "svc-sirv-"));
  for (const [path, content] of Object.entries(folder)) {
    mkdirSync(dirname(join(otherFolder, path)), { recursive: true });
    writeFileSync(join(otherFolder, path), content);
  }
  const serve = sirv(otherFolder, { etag: true });
  other = createServer((request, response) => {
    try {
      serve(request, response);
    } catch {
      response.destroy();
    }
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});

afterAll(async () => {
  other?.close();
  rmSync(otherFolder, { recursive: true, force: true });
});

interface Row {
  readonly name: string;
  readonly request: Play;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  /** "same": sirv's status, body and these headers too. A number: sirv's status (0: it breaks off), for the reason in `why`. */
  readonly sirv: "same" | number;
  readonly why?: string;
}

const get = (path: string, headers: Record<string, string> = {}): Play => ({ path, headers });
const range = (value: string, headers: Record<string, string> = {}) => get("/bytes.bin", { range: value, ...headers });
const part = (start: number, end: number) => ({
  status: 206,
  headers: { "content-range": `bytes ${start}-${end - 1}/256`, "content-length": String(end - start) },
  body: bytes.subarray(start, end),
});
const whole = { status: 200, headers: { "content-length": "256", "content-range": undefined }, body: bytes };

const rows: readonly Row[] = [
  { name: "the first page", request: get("/"), status: 200, body: folder["index.html"], sirv: "same" },
  { name: "the first page by its name", request: get("/index.html"), status: 200, sirv: "same" },
  { name: "with a query", request: get("/game.js?v=2"), status: 200, body: folder["game.js"], sirv: "same" },
  { name: "a folder", request: get("/level/"), status: 200, body: folder["level/index.html"], sirv: "same" },
  {
    name: "a folder without its slash",
    request: get("/level?seed=1&x=%20"),
    status: 302,
    headers: { location: "/level/?seed=1&x=%20", "content-length": "0" },
    body: "",
    sirv: 200,
    why: "sirv serves the page in place, so that its relative references lead to the folder above",
  },
  {
    name: "a folder whose name URLs escape, without its slash",
    request: get("/a%20%231"),
    status: 302,
    headers: { location: "/a%20%231/", "content-length": "0" },
    body: "",
    sirv: 404,
    why: "sirv decodes with decodeURI, which leaves %23 as it is",
  },
  {
    name: "a folder without a page",
    request: get("/Build/"),
    status: 404,
    sirv: "same",
  },
  { name: "a file as a folder", request: get("/game.js/"), status: 404, sirv: 200, why: "sirv cuts the slash" },
  { name: "a page without its ending", request: get("/index"), status: 404, sirv: 200, why: "sirv tries .html" },
  { name: "nothing", request: get("/none.png"), status: 404, sirv: "same" },
  { name: "another case", request: get("/GAME.js"), status: 404, sirv: "same" },
  { name: "an encoded dot", request: get("/game%2Ejs"), status: 200, body: folder["game.js"], sirv: "same" },
  {
    name: "every character that a path may have",
    request: get("/a%20b/%C3%BC+;,=@&%23~$!'().js"),
    status: 200,
    body: "odd",
    sirv: 404,
    why: "sirv decodes with decodeURI, which leaves %23 as it is",
  },
  {
    name: "the same, all encoded, and decomposed",
    request: get("/a%20b/u%CC%88%2B%3B%2C%3D%40%26%23~%24!'().js"),
    status: 200,
    body: "odd",
    sirv: 404,
    why: "as above; it does not normalise what was asked for either",
  },
  {
    name: "characters beyond ASCII",
    request: get(`/${encodeURI("日本/ゲーム.txt")}`),
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: folder["日本/ゲーム.txt"],
    sirv: 200,
    why: "sirv names no charset",
  },
  { name: "a path of 508 characters", request: get(`/${long}`), status: 200, body: "far", sirv: "same" },
  { name: "a path of 8,000 characters", request: get(`/${"x/".repeat(4_000)}`), status: 404, sirv: "same" },
  { name: "broken percent-encoding", request: get("/%E0%A4%A"), status: 400, sirv: 404, why: "sirv ignores it" },
  { name: "a percent sign alone", request: get("/100%"), status: 400, sirv: 404, why: "sirv ignores it" },
  { name: "a null byte", request: get("/game.js%00.png"), status: 404, sirv: "same" },
  { name: "a way out", request: get("/../../etc/passwd"), status: 404, sirv: "same" },
  { name: "an encoded way out", request: get("/..%2f..%2fetc/passwd"), status: 404, sirv: "same" },
  { name: "another host's path", request: get("//level"), status: 404, sirv: "same" },
  { name: "a target that is no path", request: get("*"), status: 400, sirv: 404, why: "sirv has no file of that name" },
  {
    name: "an empty file",
    request: get("/empty.txt"),
    status: 200,
    headers: { "content-length": "0" },
    body: "",
    sirv: "same",
  },

  {
    name: "HEAD",
    request: { method: "HEAD", path: "/bytes.bin" },
    status: 200,
    headers: { "content-length": "256", "accept-ranges": "bytes" },
    body: "",
    sirv: 200,
    why: "sirv tells Accept-Ranges only with a range",
  },
  { name: "HEAD of nothing", request: { method: "HEAD", path: "/none" }, status: 404, body: "", sirv: "same" },
  {
    name: "HEAD with a range",
    request: { method: "HEAD", path: "/bytes.bin", headers: { range: "bytes=0-1" } },
    status: 200,
    headers: { "content-length": "256" },
    body: "",
    sirv: 206,
    why: "a range means something for GET alone (section 14.2)",
  },
  {
    name: "POST",
    request: { method: "POST", path: "/" },
    status: 405,
    headers: { allow: "GET, HEAD" },
    sirv: 200,
    why: "sirv leaves methods to the framework",
  },
  {
    name: "DELETE",
    request: { method: "DELETE", path: "/game.js" },
    status: 405,
    headers: { allow: "GET, HEAD" },
    sirv: 200,
    why: "as above",
  },

  { name: "the first bytes", request: range("bytes=0-9"), ...part(0, 10), sirv: "same" },
  { name: "one byte", request: range("bytes=255-255"), ...part(255, 256), sirv: "same" },
  {
    name: "the first byte",
    request: range("bytes=0-0"),
    ...part(0, 1),
    sirv: 206,
    why: "sirv takes an end of 0 for none and sends everything",
  },
  { name: "from a byte on", request: range("bytes=250-"), ...part(250, 256), sirv: "same" },
  {
    name: "the last bytes",
    request: range("bytes=-6"),
    ...part(250, 256),
    sirv: 206,
    why: "sirv takes a suffix for the first bytes",
  },
  { name: "more last bytes than there are", request: range("bytes=-999"), ...part(0, 256), sirv: "same" },
  { name: "beyond the end", request: range("bytes=250-999"), ...part(250, 256), sirv: "same" },
  {
    name: "in another case",
    request: range("Bytes=0-9"),
    ...part(0, 10),
    sirv: "same",
  },
  {
    name: "a range that is not there",
    request: range("bytes=256-"),
    status: 416,
    headers: { "content-range": "bytes */256" },
    body: "",
    sirv: "same",
  },
  {
    name: "no last bytes",
    request: range("bytes=-0"),
    status: 416,
    headers: { "content-range": "bytes */256" },
    body: "",
    sirv: 206,
    why: "sirv sends everything as a part",
  },
  {
    name: "a range of an empty file",
    request: get("/empty.txt", { range: "bytes=0-" }),
    status: 416,
    headers: { "content-range": "bytes */0" },
    body: "",
    sirv: "same",
  },
  {
    name: "several ranges",
    request: range("bytes=0-1,5-6"),
    ...whole,
    sirv: 206,
    why: "section 14.2 lets a server ignore it; sirv sends the first",
  },
  {
    name: "a range that ends before it starts",
    request: range("bytes=9-5"),
    ...whole,
    sirv: 0,
    why: "it is invalid, so ignored (section 14.1.1); sirv throws after the headers",
  },
  { name: "no range at all", request: range("bytes="), ...whole, sirv: 206, why: "as above" },
  {
    name: "another unit",
    request: range("seconds=0-9"),
    ...whole,
    sirv: 206,
    why: "a unit that is not known is ignored (section 14.2)",
  },
  { name: "numbers beyond all measure", request: range(`bytes=0-${"9".repeat(400)}`), ...part(0, 256), sirv: "same" },
  {
    name: "If-Range with the tag",
    request: range("bytes=0-9", { "if-range": tag("bytes.bin") }),
    ...part(0, 10),
    sirv: "same",
  },
  {
    name: "If-Range with another tag",
    request: range("bytes=0-9", { "if-range": '"other"' }),
    ...whole,
    sirv: 206,
    why: "sirv knows no If-Range",
  },
  {
    name: "If-Range with a weak tag",
    request: range("bytes=0-9", { "if-range": `W/${tag("bytes.bin")}` }),
    ...whole,
    sirv: 206,
    why: "it is invalid as well; sirv sends everything as a part",
  },
  {
    name: "If-Range with a time",
    request: range("bytes=0-9", { "if-range": new Date().toUTCString() }),
    ...whole,
    sirv: 206,
    why: "as above",
  },

  {
    name: "what somebody has",
    request: get("/game.js", { "if-none-match": tag("game.js") }),
    status: 304,
    headers: { etag: tag("game.js"), "content-type": undefined, "cache-control": "public, max-age=0, must-revalidate" },
    body: "",
    sirv: 200,
    why: "its tags are of size and time, and change with each deployment",
  },
  {
    name: "what somebody has, weakly",
    request: get("/game.js", { "if-none-match": `W/${tag("game.js")}` }),
    status: 304,
    body: "",
    sirv: 200,
    why: "as above",
  },
  {
    name: "one of several tags",
    request: get("/game.js", { "if-none-match": `"a", ${tag("game.js")}` }),
    status: 304,
    body: "",
    sirv: 200,
    why: "as above",
  },
  {
    name: "any tag",
    request: get("/game.js", { "if-none-match": "*" }),
    status: 304,
    body: "",
    sirv: 200,
    why: "sirv knows one tag alone",
  },
  {
    name: "another tag",
    request: get("/game.js", { "if-none-match": '"other"' }),
    status: 200,
    body: folder["game.js"],
    sirv: "same",
  },
  {
    name: "a time alone, though nothing has one",
    request: get("/game.js", { "if-modified-since": new Date().toUTCString() }),
    status: 200,
    sirv: "same",
  },
  {
    name: "If-None-Match before Range",
    request: range("bytes=0-9", { "if-none-match": tag("bytes.bin") }),
    status: 304,
    body: "",
    sirv: 206,
    why: "its own tag would do the same",
  },
  {
    name: "If-Match with the tag",
    request: get("/game.js", { "if-match": tag("game.js") }),
    status: 200,
    sirv: "same",
  },
  {
    name: "If-Match with another",
    request: get("/game.js", { "if-match": '"other"' }),
    status: 412,
    body: "",
    sirv: 200,
    why: "sirv knows no If-Match",
  },
  {
    name: "If-Match with a weak tag",
    request: get("/game.js", { "if-match": `W/${tag("game.js")}` }),
    status: 412,
    body: "",
    sirv: 200,
    why: "as above; it asks for strong comparison (section 13.1.1)",
  },
  {
    name: "conditions on what is not there",
    request: get("/none", { "if-none-match": "*" }),
    status: 404,
    sirv: "same",
  },

  {
    name: "Unity's .wasm.br",
    request: get("/Build/game.wasm.br", { "accept-encoding": "br" }),
    status: 200,
    headers: { "content-type": "application/wasm", "content-encoding": "br", vary: undefined },
    body: folder["Build/game.wasm.br"],
    sirv: "same",
  },
  {
    name: "Unity's .data.gz",
    request: get("/Build/game.data.gz"),
    status: 200,
    headers: { "content-type": "application/octet-stream", "content-encoding": "gzip" },
    body: folder["Build/game.data.gz"],
    sirv: 200,
    why: "sirv sends an empty content type",
  },
  {
    name: "Unity's .framework.js.gz",
    request: get("/Build/game.framework.js.gz"),
    status: 200,
    headers: { "content-type": "text/javascript; charset=utf-8", "content-encoding": "gzip" },
    sirv: 200,
    why: "sirv names no charset",
  },
];

const brokenOff: Played = { status: 0, headers: {}, body: Buffer.alloc(0) };

function observed({ status, headers, body }: Played, row: Row) {
  const names = Object.keys(row.headers ?? {});
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, headers[name]])),
    ...(row.body !== undefined && { body: body.toString("latin1") }),
  };
}

function expected(row: Row) {
  return {
    status: row.status,
    headers: row.headers ?? {},
    ...(row.body !== undefined && { body: Buffer.from(row.body).toString("latin1") }),
  };
}

describe("a game's own origin", () => {
  test.each(rows)("$name: $status", async (row) => {
    const played = await play(service, slug, row.request);
    expect(observed(played, row)).toEqual(expected(row));
    expect(played.headers["x-content-type-options"]).toBe("nosniff");
  });

  test.each(rows)("sirv on $name: $sirv", async (row) => {
    const theirs = await sendTo(otherUrl, "localhost", row.request).catch(() => brokenOff);
    if (row.sirv === "same") return expect(observed(theirs, row)).toEqual(expected(row));
    expect(row.why).toBeDefined();
    expect(theirs.status).toBe(row.sirv);
    expect(observed(theirs, row)).not.toEqual(expected(row));
  });
});
