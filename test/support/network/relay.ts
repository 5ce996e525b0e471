import { buffer } from "node:stream/consumers";
import { type MisbehavingServer, startMisbehavingServer } from "./misbehaving-server.ts";

/** A server that passes every POST on to another. It reports the path before that, and again before it responds. */
export function startRelay(target: string, onStep: (path: string) => void): Promise<MisbehavingServer> {
  return startMisbehavingServer(async (request, response) => {
    const { url = "/", headers } = request;
    const body = new Uint8Array(await buffer(request));
    onStep(url);
    const received = await fetch(target + url, {
      method: "POST",
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      body,
    });
    const bytes = Buffer.from(await received.arrayBuffer());
    onStep(url);
    response.writeHead(received.status, { "content-type": received.headers.get("content-type") ?? "" }).end(bytes);
  });
}
