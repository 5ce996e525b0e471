import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { foreignRequestReason } from "../gateway/foreign-request.ts";
import { guard } from "./guarded-process.ts";

/*
 * The process between the service and the DynamoDB engine: it ends the engine with the service, and passes requests on. It
 * refuses web pages, which the engine itself would let read and write (`access-control-allow-origin: *`).
 */

const agent = new Agent({ keepAlive: true });

/** Headers that are not passed on, because they are about one connection (RFC 9110, section 7.6.1). */
const connectionHeaders = new Set(["connection", "keep-alive"]);

function passed(headers: IncomingMessage["headers"]) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)));
}

function pass(incoming: IncomingMessage, response: ServerResponse, engine: { host: string; port: number }): void {
  const refusal = foreignRequestReason(incoming.headers, { ports: [] });
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

/** Arguments: the engine's address and port, its program, and its arguments. Prints the port for requests. */
async function main([host = "", port = "", ...command]: readonly string[]): Promise<void> {
  const server = createServer((incoming, response) => pass(incoming, response, { host, port: Number(port) }));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  console.log(`port ${(server.address() as AddressInfo).port}`);
  guard(command);
}

if (import.meta.main) await main(process.argv.slice(2));
