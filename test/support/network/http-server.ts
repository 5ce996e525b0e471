import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Part } from "../../../local/part.ts";
import type { Certificate } from "./certificate.ts";

/** Starts a server on a port of this machine, by default a free one, with TLS if it has a certificate. It does not keep the process alive. */
export async function startHttpServer(listener: RequestListener, certificate?: Certificate, port = 0): Promise<Part> {
  const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  // The clients' kept connections must not break between two tests.
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => socket.unref());
  server.listen(port, "127.0.0.1").unref();
  await once(server, "listening");
  return {
    endpoint: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
