import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { foreignness } from "./foreign-request.ts";
import { guard } from "./guarded-process.ts";

/*
 * The process between the service and the DynamoDB engine: it guards the engine, and takes its requests on a port of its
 * own, because the engine would let every web page read and write it (`access-control-allow-origin: *`).
 */

const agent = new Agent({ keepAlive: true });

/** What the engine must not see of a request, and a client not of a response: it is about one connection (RFC 9110, section 7.6.1). */
const connectionHeaders = new Set(["connection", "keep-alive"]);

function passed(headers: IncomingMessage["headers"]) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)));
}

function pass(incoming: IncomingMessage, response: ServerResponse, engine: { host: string; port: number }): void {
  const refusal = foreignness(incoming.headers, { ports: [] });
  if (refusal !== undefined) {
    response.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(refusal);
    return;
  }
  const { method, url: path, headers } = incoming;
  const outgoing = request({ ...engine, agent, method, path, headers: passed(headers) }, (result) => {
    response.writeHead(result.statusCode ?? 502, passed(result.headers));
    result.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  incoming.pipe(outgoing);
}

/** Arguments: the engine's address and port, the engine, its arguments. Prints the port to send requests to. */
async function main([host = "", port = "", ...command]: readonly string[]): Promise<void> {
  const server = createServer((incoming, response) => pass(incoming, response, { host, port: Number(port) }));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  console.log(`port ${(server.address() as AddressInfo).port}`);
  guard(command);
}

if (import.meta.main) await main(process.argv.slice(2));
