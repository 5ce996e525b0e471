import { once } from "node:events";
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Part } from "../../../local/part.ts";

/** A line to servers far away, which all connections share. */
export class SlowLine {
  readonly #bytesPerMillisecond: number;
  readonly #roundTripMilliseconds: number;
  #freeAt = 0;
  /** Requests, each with its method and path, and bytes of their bodies, since the last {@link reset}. */
  readonly log: string[] = [];
  bytes = 0;

  constructor({
    megabitsPerSecond,
    roundTripMilliseconds,
  }: { megabitsPerSecond: number; roundTripMilliseconds: number }) {
    this.#bytesPerMillisecond = (megabitsPerSecond * 1e6) / 8 / 1_000;
    this.#roundTripMilliseconds = roundTripMilliseconds;
  }

  get requests(): number {
    return this.log.length;
  }

  reset(): void {
    this.log.length = 0;
    this.bytes = 0;
  }

  /** The time that so many bytes need. */
  millisecondsFor(bytes: number): number {
    return bytes / this.#bytesPerMillisecond;
  }

  /** Waits until the line has taken these bytes. */
  async send(bytes: number): Promise<void> {
    this.bytes += bytes;
    this.#freeAt = Math.max(this.#freeAt, performance.now()) + this.millisecondsFor(bytes);
    await delay(Math.max(0, this.#freeAt - performance.now()));
  }

  async roundTrip(): Promise<void> {
    await delay(this.#roundTripMilliseconds);
  }
}

interface FarServer {
  readonly target: string;
  /** Whether the target gets its own name as Host, which presigned URLs sign; otherwise it gets that of the request. */
  readonly hasOwnHost: boolean;
  /** Replaced in the texts of responses: the origins of other servers behind the line. */
  readonly origins?: Readonly<Record<string, string>>;
  /** Paths that it does not know. */
  readonly unknown?: RegExp | undefined;
}

/** Puts a server at the other end of a line: a connection takes a round trip, so does each request, and bodies of requests share the line. */
export async function startFarServer(
  line: SlowLine,
  { target, hasOwnHost, origins = {}, unknown }: FarServer,
): Promise<Part> {
  const agent = new Agent({ keepAlive: true });
  const opening = new WeakMap<object, Promise<void>>();
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", headers, url = "" } = request;
    line.log.push(`${method} ${url}`);
    await opening.get(request.socket);
    if (unknown?.test(url)) return void response.writeHead(404, { "content-type": "application/json" }).end("{}");
    const host = hasOwnHost ? new URL(target).host : headers.host;
    const outgoing = httpRequest(target + url, { agent, method, headers: { ...headers, host } });
    const responding = once(outgoing, "response") as Promise<[IncomingMessage]>;
    for await (const piece of request as AsyncIterable<Buffer>) {
      await line.send(piece.length);
      outgoing.write(piece);
    }
    outgoing.end();
    const [incoming] = await responding;
    const body = await buffer(incoming);
    await line.roundTrip();
    const text = Object.entries(origins).reduce((all, [from, to]) => all.replaceAll(from, to), body.toString("latin1"));
    const sent = Buffer.from(text, "latin1");
    const { "transfer-encoding": _, ...own } = incoming.headers;
    const given = { ...own, ...(body.length > 0 && { "content-length": String(sent.length) }) };
    response.writeHead(incoming.statusCode ?? 502, given).end(sent);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on("connection", (socket) => opening.set(socket, line.roundTrip()));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
