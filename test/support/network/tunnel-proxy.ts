import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The simplest proxy that RFC 9110 allows: whatever the request names, it connects to a port of this machine. */
export interface TunnelProxy {
  /** The port of every tunnel's target, or that of each host; undefined: the proxy responds with 407; silent: not at all. */
  target: number | ((host: string) => number) | undefined | "silent";
  /** The requests that it got, with their headers. */
  readonly asked: string[];
  url(userinfo?: string): string;
  stop(): Promise<void>;
}

export async function startTunnelProxy(): Promise<TunnelProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (data) => {
      proxy.asked.push(data.toString("latin1"));
      if (proxy.target === undefined) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      if (proxy.target === "silent") return;
      const [, host = ""] = /^CONNECT ([^: ]+)/.exec(proxy.asked.at(-1) ?? "") ?? [];
      const port = typeof proxy.target === "number" ? proxy.target : proxy.target(host);
      const outward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        outward.pipe(socket).pipe(outward);
      });
      sockets.add(outward);
      outward.on("error", () => socket.destroy());
    });
  });
  const proxy: TunnelProxy = {
    target: undefined,
    asked: [],
    url: (userinfo = "") => `http://${userinfo}127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return proxy;
}
