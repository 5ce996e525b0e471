import { buffer } from "node:stream/consumers";
import { type MisbehavingServer, startMisbehavingServer } from "./misbehaving-server.ts";

/**
 * A server that passes every request on to another. It reports the path before that, and again before it responds.
 *
 * @param onStep returns "cut" to break the connection: before the response nobody knows then that the request has run
 * @param change changes the text of a response
 */
export function startRelay(
  target: string,
  onStep: (path: string, step: "request" | "response") => "cut" | undefined | Promise<"cut" | undefined>,
  change = (text: string) => text,
): Promise<MisbehavingServer> {
  return startMisbehavingServer(async (request, response) => {
    const { url = "/", method = "GET", headers } = request;
    const key = headers["idempotency-key"];
    const body = new Uint8Array(await buffer(request));
    if ((await onStep(url, "request")) === "cut") return response.destroy();
    const received = await fetch(target + url, {
      method,
      headers: {
        authorization: headers.authorization ?? "",
        "content-type": "application/json",
        ...(typeof key === "string" && { "idempotency-key": key }),
      },
      ...(method !== "GET" && { body }),
    });
    const text = await received.text();
    if ((await onStep(url, "response")) === "cut") return response.destroy();
    return response
      .writeHead(received.status, { "content-type": received.headers.get("content-type") ?? "" })
      .end(change(text));
  });
}
