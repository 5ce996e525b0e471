import { lookup } from "node:dns";
import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { folder, type SmokeApi, sha256, smokeProject } from "./smoke-files.ts";

/*
 * The part of the smoke test that plays what was published, at the game's own host: on a deployed stage with a games domain through
 * CloudFront, its functions, the key-value store and the bucket.
 */

interface GameResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How often the page is asked for until the edge has a first publication, and how long after each time. */
const patience = { attempts: 15, milliseconds: 2_000 };

/** @returns what is wrong; undefined: it plays, or the stage has no games domain */
export async function playFolder(
  { send }: SmokeApi,
  { attempts, milliseconds } = patience,
): Promise<string | undefined> {
  const { status, body } = await send("GET", `/projects/${smokeProject}`);
  if (status !== 200) return `GET /projects/${smokeProject} responded with ${status}`;
  if (body.play_url === null) return undefined;
  const url = new URL(body.play_url);
  let wrong = await wrongPage(url);
  for (let attempt = 1; attempt < attempts && wrong !== undefined; attempt += 1) {
    await delay(milliseconds);
    wrong = await wrongPage(url);
  }
  wrong ??= (await wrongFile(url)) ?? (await wrongRefusals(url));
  return wrong && `${url.host}: ${wrong}`;
}

/** The page, as a browser opens it: its bytes, the visit's cookie, and nothing of the edge's own. */
async function wrongPage(url: URL): Promise<string | undefined> {
  const { status, headers, body } = await play(url, { "sec-fetch-dest": "document" });
  if (status !== 200) return `/ responded with ${status}`;
  if (!body.equals(bytesOf("index.html"))) return "/ has other bytes";
  if (!headers["set-cookie"]?.some((cookie) => cookie.startsWith("__Host-svc-release="))) return "/ sets no cookie";
  const own = Object.keys(headers).find((name) => /^(x-svc-|x-amz-(?!cf-)|cache-tag)/.test(name));
  return own && `/ has the header ${own}`;
}

/** A file whole, in part, unchanged, and at a path with special characters. */
async function wrongFile(url: URL): Promise<string | undefined> {
  const data = new URL("/data.bin", url);
  const etag = `"${sha256(bytesOf("data.bin"))}"`;
  const whole = await play(data);
  if (whole.status !== 200 || !whole.body.equals(bytesOf("data.bin")))
    return `/data.bin responded with ${whole.status}`;
  if (whole.headers.etag !== etag) return `/data.bin has the ETag ${whole.headers.etag}`;
  const part = await play(data, { range: "bytes=3-5" });
  if (part.status !== 206 || !part.body.equals(Buffer.of(3, 4, 5))) return `a range of /data.bin: ${part.status}`;
  const same = await play(data, { "if-none-match": etag });
  if (same.status !== 304) return `/data.bin with If-None-Match responded with ${same.status}`;
  const odd = await play(new URL("/a+b;c/d%20e.js", url));
  const isOdd = odd.status === 200 && odd.body.equals(bytesOf("a+b;c/d e.js"));
  return isOdd ? undefined : `/a+b;c/d%20e.js responded with ${odd.status}`;
}

async function wrongRefusals(url: URL): Promise<string | undefined> {
  const missing = await play(new URL("/no-such-file.js", url));
  if (missing.status !== 404) return `a missing file: ${missing.status}`;
  const sent = await play(url, {}, "POST");
  return sent.status === 405 ? undefined : `POST responded with ${sent.status}`;
}

function bytesOf(path: string): Buffer {
  return folder[path] ?? Buffer.of();
}

/** Not every system resolves the names below localhost, at which the local service plays games. */
const localhost: LookupFunction = (_, options, callback) => lookup("localhost", options, callback);

/** Sends a request by a module that, unlike `fetch`, takes a host's address from a function. */
async function play(url: URL, headers: Record<string, string> = {}, method = "GET"): Promise<GameResponse> {
  const isLocal = url.hostname.endsWith(".localhost");
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const client = url.protocol === "https:" ? https : http;
  const options = { method, headers, signal: AbortSignal.timeout(15_000), ...(isLocal && { lookup: localhost }) };
  client.request(url, options, resolve).on("error", reject).end();
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}
