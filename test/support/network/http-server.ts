import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Part } from "../../../local/part.ts";

/** Starts a server on a free port of this machine. It does not keep the process alive. */
export async function startHttpServer(listener: RequestListener): Promise<Part> {
  const server = createServer(listener);
  // The clients' kept connections must not break between two tests.
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => socket.unref());
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
