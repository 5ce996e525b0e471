import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { reportUrlOf } from "../../contract/report-url.ts";
import { type Site as GameSite, siteOf } from "../../edge/host.ts";
import { pageOf } from "../../edge/pages.ts";
import type { EdgeBody, EdgeRequest, EdgeResponse } from "../../edge/request.ts";
import { respond } from "../../edge/respond.ts";
import { fileKey } from "../../functions/files/object-keys.ts";
import { downloadUrl } from "../../functions/files/store.ts";
import type { Site } from "../gateway/http-server.ts";
import { sendFilePart } from "./object-bytes.ts";
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
  const play = async (site: GameSite, request: IncomingMessage, response: ServerResponse) => {
    const asked = edgeRequest(request);
    const slug = site.kind === "none" ? undefined : site.slug;
    const reportUrl = setting === undefined ? undefined : reportUrlOf(setting, slug);
    try {
      const { pointer, readManifest } = await projects.find(site);
      const result = await respond(asked, pointer, { readManifest, reportUrl });
      // No search engine lists a preview.
      const headers = { ...result.headers, ...(site.kind === "preview" && { "x-robots-tag": "noindex" }) };
      await send(response, { ...result, headers }, { slug: slug ?? "", objectFile });
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
      void play(site, request, response);
      return true;
    },
  };
}

function edgeRequest({ method = "", url = "", headers }: IncomingMessage): EdgeRequest {
  return { method, target: url, headers: headers as Record<string, string | undefined> };
}

type ObjectRange = Extract<EdgeBody, { sha256: string }>;

interface Objects {
  readonly slug: string;
  readonly objectFile: ObjectFile;
}

async function send(response: ServerResponse, result: EdgeResponse, { slug, objectFile }: Objects): Promise<void> {
  const { status, body } = result;
  const headers = result.headers as OutgoingHttpHeaders;
  if (body === undefined || "text" in body) return void response.writeHead(status, headers).end(body?.text);
  const key = fileKey(slug, body.sha256);
  if (objectFile !== undefined)
    return await sendFilePart(response, { ...body, path: objectFile(key) }, { status, headers });
  const bytes = await fetchBytes(key, body);
  await pipeline(bytes, response.writeHead(status, headers));
}

async function fetchBytes(key: string, { start, end }: ObjectRange): Promise<Readable> {
  const url = downloadUrl({ key, headers: {}, hasOrigin: false }, 60, new Date());
  const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}`, "accept-encoding": "identity" } });
  if (response.status !== 206 || response.body === null)
    throw new Error(`The object store responded with ${response.status} for a file of a release`);
  return Readable.fromWeb(response.body);
}
