import { type FileHandle, open } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { reportUrlOf } from "../../contract/report-url.ts";
import { siteOf } from "../../edge/host.ts";
import { pageOf } from "../../edge/pages.ts";
import type { EdgeBody, EdgeRequest, EdgeResponse } from "../../edge/request.ts";
import { respond } from "../../edge/respond.ts";
import { fileKey } from "../../functions/files/object-keys.ts";
import { downloadUrl } from "../../functions/files/store.ts";
import type { Site } from "../gateway/http-server.ts";
import { PlayedProjects } from "./played-projects.ts";

/** The path of an object of the embedded store; undefined for another store. */
export type ObjectFile = ((key: string) => string) | undefined;

interface GameHostOptions {
  readonly objectFile: ObjectFile;
  /** Where games are reported, with `{slug}` in the place of the slug. */
  readonly reportUrl: string | undefined;
}

/**
 * Serves the games' own origins, instead of a content delivery network.
 *
 * @param gamesDomain `localhost:8787`: a project is played at `http://<slug>.localhost:8787/`
 */
export function gameHost(gamesDomain: string, { objectFile, reportUrl: setting }: GameHostOptions): Site {
  const projects = new PlayedProjects();
  const play = async (slug: string | undefined, request: IncomingMessage, response: ServerResponse) => {
    const asked = edgeRequest(request);
    const reportUrl = setting === undefined ? undefined : reportUrlOf(setting, slug);
    try {
      const { pointer, readManifest } = await projects.find(slug);
      const result = await respond(asked, pointer, { readManifest, reportUrl });
      await send(response, result, (body) => openBytes(slug ?? "", body, objectFile));
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      console.error(error);
      const { status, html } = pageOf("unavailable", reportUrl);
      response.writeHead(status, { "content-type": "text/html; charset=utf-8", "retry-after": "1" }).end(html);
    }
  };
  return {
    respond(request, response) {
      const site = siteOf(request.headers.host ?? "", gamesDomain);
      if (site === undefined) return false;
      void play(site.kind === "game" ? site.slug : undefined, request, response);
      return true;
    },
  };
}

function edgeRequest({ method = "", url = "", headers }: IncomingMessage): EdgeRequest {
  return { method, target: url, headers: headers as Record<string, string | undefined> };
}

/** Bytes of an object. */
type Bytes = Buffer | Readable;

async function send(
  response: ServerResponse,
  { status, headers, body }: EdgeResponse,
  open: (body: ObjectRange) => Promise<Bytes>,
): Promise<void> {
  const bytes = body === undefined || "text" in body ? body?.text : await open(body);
  response.writeHead(status, headers as OutgoingHttpHeaders);
  if (bytes instanceof Readable) await pipeline(bytes, response);
  else response.end(bytes);
}

type ObjectRange = Extract<EdgeBody, { sha256: string }>;

/** Up to this size one read takes less time than a stream. */
const wholeBytes = 64 * 1024;

async function openBytes(slug: string, body: ObjectRange, objectFile: ObjectFile): Promise<Bytes> {
  const key = fileKey(slug, body.sha256);
  if (objectFile === undefined) return await fetchBytes(key, body);
  const { start, end } = body;
  const file = await open(objectFile(key));
  if (end - start > wholeBytes) return file.createReadStream({ start, end: end - 1 });
  try {
    return await readWhole(file, body);
  } finally {
    await file.close();
  }
}

async function readWhole(file: FileHandle, { start, end }: ObjectRange): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  if (bytesRead < buffer.length) throw new Error("An object is shorter than its manifest says");
  return buffer;
}

async function fetchBytes(key: string, { start, end }: ObjectRange): Promise<Readable> {
  const url = downloadUrl({ key, headers: {}, hasOrigin: false }, 60, new Date());
  const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}`, "accept-encoding": "identity" } });
  if (response.status !== 206 || response.body === null)
    throw new Error(`The object store responded with ${response.status} for a file of a release`);
  return Readable.fromWeb(response.body);
}
