import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import type { ReleaseFiles } from "../../../edge/content/resolve.ts";
import { htmlOf, unavailable as unavailablePage } from "../../../edge/pages/pages.ts";
import type { EdgeRequest, EdgeResponse } from "../../../edge/request.ts";
import { respond } from "../../../edge/respond.ts";
import { startsVisit } from "../../../edge/visit/visit.ts";
import type { HashedFile } from "../publish/local-file.ts";
import type { CompressedCopies } from "./compressed-copies.ts";
import type { DevFolder } from "./dev-folder.ts";
import { type OpenPages, reloadTag } from "./reload.ts";
import type { Snapshot } from "./snapshot.ts";

export interface DevSite {
  readonly folder: DevFolder;
  readonly copies: CompressedCopies;
  /** Undefined: pages are not loaded again, and every byte is the file's. */
  readonly pages: OpenPages | undefined;
  /** The host names that are served. */
  readonly hosts: ReadonlySet<string>;
}

/** A server that responds as the game's own origin would: by edge/, from the folder. */
export function devServer(site: DevSite): Server {
  return createServer((request, response) => {
    serve(site, request, response).catch(() => unavailable(response));
  });
}

async function serve(site: DevSite, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!site.hosts.has(hostNameOf(request))) return foreignHost(response, site);
  const viewerRequest = edgeRequest(request, site);
  const [path = ""] = viewerRequest.target.split("?");
  if (site.pages?.respond(path, site.folder.snapshot.digest, response)) return;
  const first = await site.folder.current();
  if (await sendFrom(first, viewerRequest, { site, response })) return;
  // A file is not as it was read, and the system has not said so yet.
  if (await sendFrom(await site.folder.refresh(), viewerRequest, { site, response })) return;
  unavailable(response);
}

/** A page of another site must not read the folder through a host name that resolves to this machine (DNS rebinding). */
function foreignHost(response: ServerResponse, { hosts }: DevSite): void {
  const text = `svc dev serves only the hosts ${[...hosts].join(", ")}.\n`;
  response.writeHead(403, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }).end(text);
}

function hostNameOf({ headers: { host } }: IncomingMessage): string {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** Whether a person opens a page: also when a service worker fetches it for them, for which Chromium says `empty`. */
function opensPage(request: EdgeRequest): boolean {
  const { "sec-fetch-dest": destination, "sec-fetch-mode": mode } = request.headers;
  return startsVisit(request) || (destination === "empty" && mode === "navigate");
}

/** A document to which a script is added is requested whole and uncompressed. */
function edgeRequest({ method = "", url = "", headers }: IncomingMessage, { pages }: DevSite): EdgeRequest {
  const request = { method, target: url, headers: headers as EdgeRequest["headers"] };
  if (pages === undefined || !opensPage(request)) return request;
  const whole = ["accept-encoding", "if-match", "if-none-match", "if-range", "range"].map((name) => [name, undefined]);
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(whole) } };
}

interface Sending {
  readonly site: DevSite;
  readonly response: ServerResponse;
}

/** @returns false, with nothing sent, if a file is not as it was read */
async function sendFrom(snapshot: Snapshot, viewerRequest: EdgeRequest, { site, response }: Sending): Promise<boolean> {
  const { result, candidates } = await respondFrom(snapshot, viewerRequest, site.copies);
  const { status, body } = result;
  const headers = result.headers as OutgoingHttpHeaders;
  if (body === undefined || "text" in body) {
    response.writeHead(status, headers).end(body?.text);
    return true;
  }
  const handle = await openUnchanged(candidates.find(({ sha256 }) => sha256 === body.sha256));
  if (handle === undefined) return false;
  const { start, end } = body;
  const tag = site.pages && opensPage(viewerRequest) && isPage(result) ? reloadTag(snapshot.digest) : "";
  response.writeHead(status, tag === "" ? headers : withTag(headers, tag));
  await pipeline(handle.createReadStream({ start, end: end - 1 }), response, { end: false });
  response.end(tag);
  return true;
}

interface PreparedResponse {
  readonly result: EdgeResponse;
  /** The files that it may send, and their copies. */
  readonly candidates: readonly HashedFile[];
}

/** Response of the edge, with the Brotli copies that a release would have of the files in question. */
async function respondFrom(
  snapshot: Snapshot,
  viewerRequest: EdgeRequest,
  copies: CompressedCopies,
): Promise<PreparedResponse> {
  const { digest, settings, files } = snapshot;
  const candidates = new Set<HashedFile>();
  const release: ReleaseFiles = {
    settings,
    find: (path) => {
      const file = files.get(path);
      if (file === undefined) return undefined;
      const br = copies.find(file);
      for (const one of [file, br]) if (one) candidates.add(one);
      return { ...file, br };
    },
  };
  const project = { kind: "live", live: digest, earlier: [] } as const;
  const context = { readManifest: async () => release };
  const result = await respond(viewerRequest, project, context);
  const unknown = [...candidates].filter((file) => files.get(file.path) === file && copies.isUnknown(file));
  if (unknown.length === 0) return { result, candidates: [...candidates] };
  await Promise.all(unknown.map((file) => copies.make(file)));
  return await respondFrom(snapshot, viewerRequest, copies);
}

/** Opens a file; undefined if it is not as it was read, or it or its folder has become a link: that may leave the folder. */
async function openUnchanged(file: HashedFile | undefined): Promise<fs.FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
  const handle = file && (await fs.open(file.location, flags).catch(() => undefined));
  if (file === undefined || handle === undefined) return undefined;
  const { size, mtimeMs } = await handle.stat();
  const isInPlace = (await fs.realpath(file.location).catch(() => undefined)) === file.location;
  if (isInPlace && size === file.size && mtimeMs === file.mtimeMs) return handle;
  await handle.close();
  return undefined;
}

/** An HTML page whose bytes are its text. */
function isPage({ status, headers }: EdgeResponse): boolean {
  const isWhole = status === 200 || status === 404;
  return (
    isWhole && headers["content-encoding"] === undefined && String(headers["content-type"]).startsWith("text/html")
  );
}

/** The ETag is that of the file. */
function withTag(headers: OutgoingHttpHeaders, tag: string): OutgoingHttpHeaders {
  const { etag: _, "accept-ranges": __, ...others } = headers;
  return { ...others, "content-length": String(Number(headers["content-length"]) + tag.length) };
}

/** Response of the edge if a file cannot be read. */
function unavailable(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const headers = { "content-type": "text/html; charset=utf-8", "retry-after": "1" };
  response.writeHead(unavailablePage.status, headers).end(htmlOf(unavailablePage));
}
