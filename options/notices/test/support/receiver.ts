import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { startHttpServer } from "../../../../test/support/network/http-server.ts";

/** One message that a receiver got. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on this machine, at `http://localhost`. It responds with 204 until told otherwise. */
export interface Receiver {
  readonly url: string;
  readonly messages: ReceivedMessage[];
  /** The status of the next responses; undefined: none comes. */
  respondWith(status: number | undefined): void;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const messages: ReceivedMessage[] = [];
  let status: number | undefined = 204;
  const server = await startHttpServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    messages.push({ path: request.url ?? "", headers: request.headers, body });
    if (status !== undefined) response.writeHead(status, { location: "/redirected" }).end();
  });
  return {
    url: `http://localhost:${new URL(server.endpoint).port}/hooks/1`,
    messages,
    respondWith: (next) => {
      status = next;
    },
    stop: server.stop,
  };
}

/** Whether a message was signed with a secret, as Standard Webhooks lets a receiver check it. */
export function isSignedBy(secret: string, { headers, body }: ReceivedMessage): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
