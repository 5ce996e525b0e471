import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { agentDocuments } from "../../contract/documents/agent-documents.ts";
import {
  cacheControlOf,
  configurationPath,
  packagePath,
  pageOf,
  pagePath,
  pinnedPackagePath,
  securityHeaders,
} from "../../dashboard/site.ts";
import type { Configuration } from "../../dashboard/src/configuration.ts";
import { dashboardHostname } from "../gateway/foreign-request.ts";
import type { Site } from "../gateway/http-server.ts";

const folder = fileURLToPath(new URL("../../build/dashboard", import.meta.url));
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".ico": "image/vnd.microsoft.icon",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".tgz": "application/gzip",
  ".wasm": "application/wasm",
};

/** What the API's host serves too: the package. */
const sharedPaths = new RegExp(
  `^(${[packagePath, pinnedPackagePath("[0-9a-f]{64}")].join("|").replaceAll(".", "\\.")})$`,
);

/**
 * Serves the dashboard on its own host: the files of build/dashboard, and index.html for every path of a view. The command
 * line's package is on the API's host too.
 *
 * @param store the URL of the store, to which the page uploads
 */
export function dashboardSite(configuration: Configuration, store: string): Site {
  const headers = securityHeaders({ configuration, origins: [new URL(store).origin] });
  return {
    respond(request, response) {
      const hostname = hostnameOf(request);
      const isShared = sharedPaths.test(request.url ?? "") && !hostname.endsWith(".localhost");
      if (hostname !== dashboardHostname && !isShared) return false;
      send(request, response, configuration, headers).catch((error: Error) => response.destroy(error));
      return true;
    },
  };
}

/** The name in a request's Host header, without the port. */
function hostnameOf({ headers: { host = "" } }: IncomingMessage): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}

async function send(
  { method, url = "/", headers: { "accept-encoding": accepted = "", host } }: IncomingMessage,
  response: ServerResponse,
  configuration: Configuration,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { pathname } = new URL(url, "http://dashboard.localhost");
  if (method !== "GET" && method !== "HEAD") {
    response.writeHead(405, { ...headers, allow: "GET, HEAD" }).end();
    return;
  }
  const path = extname(pathname) === "" ? pagePath : normalize(pathname);
  const file = madeOf(configuration)[path] ?? (await fileAt(path));
  const content = path === pagePath && file ? pageOf(`${file}`, { origin: `http://${host}`, configuration }) : file;
  const type = types[extname(path)];
  if (content === undefined || type === undefined) {
    response.writeHead(404, headers).end();
    return;
  }
  // Compressed like CloudFront does, so that measurements here match a deployed stage.
  const isCompressed = /\bbr\b/.test(accepted);
  const sent = { ...headers, "content-type": type, "cache-control": cacheControlOf(path), vary: "accept-encoding" };
  response.writeHead(200, { ...sent, ...(isCompressed && { "content-encoding": "br" }) });
  response.end(method === "HEAD" ? undefined : isCompressed ? await compressed(content) : content);
}

async function compressed(content: string | Buffer): Promise<Buffer> {
  return await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** The files that name this service's URLs, by their paths. */
function madeOf(configuration: Configuration): Readonly<Record<string, string>> {
  const forAgents = Object.entries(agentDocuments(configuration)).map(([name, text]) => [`/${name}`, text] as const);
  return { [configurationPath]: JSON.stringify(configuration), ...Object.fromEntries(forAgents) };
}

async function fileAt(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, path));
  } catch {
    return undefined;
  }
}
