import type { IncomingMessage, ServerResponse } from "node:http";
import { type MisbehavingServer, sendJson, startMisbehavingServer } from "../network/misbehaving-server.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Behaviour of the server with an upload and with a request for upload URLs; by default both succeed. */
export interface PublishingBehaviour {
  readonly upload?: Listener;
  readonly uploadUrls?: Listener;
  /** Behaviour with a request for the upload URLs of a file's parts. */
  readonly partUrls?: Listener;
  /** Called before the response that the release is live; false: the response says that a file is missing. */
  readonly goLive?: () => Promise<unknown>;
}

const release = {
  id: "r1",
  number: null,
  status: "open",
  play_url: null,
  files: 1,
  bytes: 1,
  created_at: "",
  published_at: null,
  expires_at: null,
};
const none = { count: 0, paths: [] };

/** An API and its store in one server. Every folder is new to it. */
export async function startPublishingApi(behaviour: PublishingBehaviour = {}): Promise<MisbehavingServer> {
  const { upload = (_, response) => response.end(), uploadUrls, partUrls, goLive } = behaviour;
  const server: MisbehavingServer = await startMisbehavingServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    if (request.method === "PUT") return upload(request, response);
    if (request.method === "GET" && request.url?.endsWith("/releases/r1")) return sendJson(response, 200, release);
    // The project, and its releases: none was ever live.
    if (request.method === "GET")
      return sendJson(response, 200, { slug: "game", current_release: null, releases: [], next_cursor: null });
    const sent = JSON.parse(body);
    if (request.url?.endsWith("/publish") && goLive && (await goLive()) === false)
      return sendJson(response, 409, { code: "release_incomplete", detail: "A file is missing." });
    if (request.url?.endsWith("/publish"))
      return sendJson(response, 200, { release: { ...release, status: "live" }, previous_release: null, edge: null });
    if (/\/uploads\/\w{64}$/.test(request.url ?? "") && partUrls) return partUrls(request, response);
    if (request.url?.endsWith("/uploads") && uploadUrls) return uploadUrls(request, response);
    if (request.url?.endsWith("/uploads")) {
      const uploads = sent.sha256.map((sha256: string) => ({ sha256, url: `${server.origin}/${sha256}`, headers: {} }));
      return sendJson(response, 200, { uploads, expires_at: "2126-01-01T00:00:00Z" });
    }
    const missing = [...new Set(sent.files.map(({ sha256 }: { sha256: string }) => sha256))];
    const changes = { added: none, changed: none, removed: none, unchanged: { count: 0 } };
    return sendJson(response, 201, {
      release,
      current_release: null,
      ...changes,
      missing,
      bytes_to_send: 1,
      indexes: [],
      older_files: [],
      returning_players: null,
    });
  });
  return server;
}
