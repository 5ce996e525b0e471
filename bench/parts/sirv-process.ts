import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import sirv from "sirv";

/** Serves a folder with sirv, configured as in production, in its own process; returns its port. */
export async function startSirv(folder: string): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const child = fork(fileURLToPath(import.meta.url), [folder]);
  const [port] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof port !== "number" || child.exitCode !== null) throw new Error("sirv did not start");
  return {
    port,
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

if (import.meta.main) {
  const server = createServer(sirv(process.argv[2] ?? ".", { etag: true })).listen(0, "127.0.0.1");
  await once(server, "listening");
  process.once("disconnect", () => server.closeAllConnections());
  process.once("disconnect", () => server.close());
  process.send?.((server.address() as AddressInfo).port);
}
