import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { foreignRequestReason } from "./gateway/foreign-request.ts";
import type { Part } from "./part.ts";

/** An error as the JSON services of Amazon respond with it. */
export class AmazonError extends Error {
  readonly status: number;

  constructor(name: string, status: number, message: string) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

interface AmazonResponse {
  readonly headers?: Record<string, string>;
  readonly body: object;
}

/** Starts what stands in for one of Amazon's services on a free port: JSON bodies, and the name of an error in a header. */
export async function startAmazonServer(respond: (request: IncomingMessage) => Promise<AmazonResponse>): Promise<Part> {
  const server = createServer((request, response) => {
    // Only the service itself calls it: no web page may, neither directly nor by a host name that resolves to this machine.
    const foreign = foreignRequestReason(request.headers, { ports: [] });
    if (foreign !== undefined) return refuse(response, new AmazonError("AccessDeniedException", 403, foreign));
    respond(request).then(
      ({ headers = {}, body }) => send(response, 200, headers, body),
      (error: unknown) => refuse(response, error),
    );
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { endpoint: `http://localhost:${(server.address() as AddressInfo).port}`, stop };
}

function refuse(response: ServerResponse, error: unknown): void {
  const { name, status, message } =
    error instanceof AmazonError ? error : new AmazonError("InternalServerException", 500, String(error));
  send(response, status, { "x-amzn-errortype": name }, { Message: message });
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: object): void {
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
}
