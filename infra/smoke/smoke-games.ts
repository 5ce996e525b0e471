import { createHash } from "node:crypto";
import { lookup } from "node:dns";
import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { urlPathOf } from "../../contract/folder/url-path.ts";

/*
 * The part of the smoke test that reads what was published: at the game's own host, on a deployed stage with a games domain through
 * CloudFront, its functions, the key-value store and the bucket; and below the API, which leads to the bucket for large files.
 */

/** The project that the smoke test publishes, and the checks from outside read. */
export const smokeProject = "svc-smoke";

/** A page, a file that the API redirects to the bucket, and a path with special characters. */
export const folder: Readonly<Record<string, Buffer>> = {
  "index.html": Buffer.from("<!doctype html><title>smoke</title>"),
  "data.bin": Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  "a+b;c/d e.js": Buffer.from("export default 1;"),
};
const bytesOf = (path: string) => folder[path] ?? Buffer.of();

interface PlayResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Number of requests of the page until the edge has a first publication, and the pause after each. */
const patience = { attempts: 15, milliseconds: 2_000 };

/** @returns what is wrong at the game's own host; undefined: nothing */
export async function playFolder(playUrl: string, { attempts, milliseconds } = patience): Promise<string | undefined> {
  const url = new URL(playUrl);
  let wrong = await wrongPage(url);
  for (let attempt = 1; attempt < attempts && wrong !== undefined; attempt += 1) {
    await delay(milliseconds);
    wrong = await wrongPage(url);
  }
  wrong ??= await wrongFile(url);
  return wrong && `${url.host}: ${wrong}`;
}

/** The page, as a browser opens it: its bytes, the visit's cookie, and nothing of the edge's own. */
async function wrongPage(url: URL): Promise<string | undefined> {
  const { status, headers, body } = await play(url, { "sec-fetch-dest": "document" });
  if (status !== 200) return `/ responded with ${status}`;
  if (!body.equals(bytesOf("index.html"))) return "/ has other bytes";
  if (!headers["set-cookie"]?.some((cookie) => cookie.startsWith("__Host-svc-release="))) return "/ sets no cookie";
  const ownHeader = Object.keys(headers).find((name) => /^(x-svc-|x-amz-(?!cf-)|cache-tag)/.test(name));
  return ownHeader && `/ has the header ${ownHeader}`;
}

/** A file whole, in part and unchanged, at a path with special characters, and none. */
async function wrongFile(url: URL): Promise<string | undefined> {
  const etag = `"${createHash("sha256").update(bytesOf("data.bin")).digest("hex")}"`;
  const requests = [
    ["/data.bin", {}, 200, bytesOf("data.bin")],
    ["/data.bin", { range: "bytes=3-5" }, 206, Buffer.of(3, 4, 5)],
    ["/data.bin", { "if-none-match": etag }, 304, Buffer.of()],
    ["/a+b;c/d%20e.js", {}, 200, bytesOf("a+b;c/d e.js")],
    ["/no-such-file.js", {}, 404, undefined],
  ] as const;
  for (const [path, headers, status, bytes] of requests) {
    const response = await play(new URL(path, url), headers);
    const request = `${path} ${Object.keys(headers).join()}`.trim();
    if (response.status !== status) return `${request} responded with ${response.status}`;
    if (bytes !== undefined && !response.body.equals(bytes)) return `${request} has other bytes`;
    if (status === 200 && path === "/data.bin" && response.headers.etag !== etag)
      return `${request} has the ETag ${response.headers.etag}`;
  }
  return undefined;
}

/**
 * Reads the files below the API, as a page of an opaque origin does. A stage that counts what players get leads to the game's own host instead
 * ({@link playFolder}).
 *
 * @param playUrl null if the stage has no games domain
 * @returns what is wrong; undefined: nothing
 */
export async function readFolder(files: string, playUrl: string | null): Promise<string | undefined> {
  const signal = AbortSignal.timeout(60_000);
  /** The response, or where at the game's own host the file is. */
  const read = async (path: string) => {
    const request = { headers: { origin: "null" }, signal };
    const response = await fetch(`${files}/${path}`, { ...request, redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null) return response;
    return playUrl !== null && location.startsWith(playUrl) ? location : await fetch(location, request);
  };
  for (const [path, bytes] of Object.entries(folder)) {
    const encoded = urlPathOf(path);
    const response = await read(encoded);
    if (response === playUrl + encoded) continue;
    if (typeof response === "string") return `${path} leads to ${response}`;
    if (response.status !== 200) return `${path}: ${response.status}`;
    if (!Buffer.from(await response.arrayBuffer()).equals(bytes)) return `${path} has other bytes`;
    if (response.headers.get("access-control-allow-origin") !== "*") return `${path}: no page may read it`;
  }
  // API Gateway, the function or the bucket could take these for others.
  for (const path of ["/index.html", "index.html/", "a%2Bb%3Bc//d%20e.js", "%00"]) {
    const response = await read(path);
    // What the game's host says of it is the edge's.
    if (typeof response === "string") continue;
    await response.arrayBuffer();
    if (response.status !== 404) return `${JSON.stringify(path)} responded with ${response.status}`;
  }
  return undefined;
}

/** Lookup of this machine: not every system resolves the names below localhost, at which the local service plays games. */
const localhost: LookupFunction = (_, options, callback) => lookup("localhost", options, callback);

/** Sends a request by a module that, unlike `fetch`, takes a host's address from a function. */
async function play(url: URL, headers: Record<string, string>): Promise<PlayResponse> {
  const isLocal = url.hostname.endsWith(".localhost");
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const client = url.protocol === "https:" ? https : http;
  const options = { headers, signal: AbortSignal.timeout(15_000), ...(isLocal && { lookup: localhost }) };
  client.request(url, options, resolve).on("error", reject).end();
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}
