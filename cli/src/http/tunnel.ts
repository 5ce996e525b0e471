import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import * as tls from "node:tls";
import { NetworkError, networkError, timeoutError } from "./network-error.ts";

type SocketCallback = (error: Error | null, socket?: Socket) => void;

/**
 * A `createConnection` that reaches an https origin through a proxy's CONNECT (RFC 9110, section 9.3.6). The proxy sees
 * only host and port: the request and its token are encrypted.
 */
export function tunnel(proxy: URL, url: URL, timeoutMilliseconds: number) {
  const authority = `${url.hostname}:${url.port === "" ? "443" : url.port}`;
  const refusal = (status = 0) =>
    new NetworkError(
      `The proxy ${proxy.host} does not connect to ${url.host}: it responded to CONNECT with ${status}.`,
      {
        next: "Check HTTPS_PROXY and NO_PROXY.",
        isTransient: status >= 500,
        isUnsent: true,
      },
    );
  return (_options: unknown, created: SocketCallback): undefined => {
    const { request: open } = proxy.protocol === "https:" ? https : http;
    const connecting = open({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...proxyAuthorization(proxy) },
      agent: false,
      timeout: timeoutMilliseconds,
    });
    connecting.on("timeout", () => connecting.destroy(timeoutError(proxy, timeoutMilliseconds)));
    connecting.on("connect", (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        created(refusal(response.statusCode));
        return;
      }
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const secured = tls.connect({
        socket,
        host,
        ...(/[a-z]/i.test(host) && !host.includes(":") && { servername: host }),
      });
      secured.setTimeout(timeoutMilliseconds, () => secured.destroy(timeoutError(url, timeoutMilliseconds)));
      secured.once("error", (error) => created(networkError(error, url.origin)));
      secured.once("secureConnect", () => created(null, secured));
    });
    connecting.on("response", (response) => {
      response.resume();
      created(refusal(response.statusCode));
    });
    connecting.on("error", (error) => created(networkError(error, `The proxy ${proxy.host}`)));
    connecting.end();
    return undefined;
  };
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const userinfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(userinfo).toString("base64")}` };
}
