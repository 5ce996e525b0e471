import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sirv from "sirv";
import { startFork } from "../harness/processes.ts";

/** Serves a folder with sirv, configured as in production, in its own process; returns its port. */
export async function startSirv(folder: string): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { message: port, stop } = await startFork<number>(import.meta.url, [folder]);
  return { port, stop };
}

if (import.meta.main) {
  const server = createServer(sirv(process.argv[2] ?? ".", { etag: true })).listen(0, "127.0.0.1");
  await once(server, "listening");
  process.once("disconnect", () => server.closeAllConnections());
  process.once("disconnect", () => server.close());
  process.send?.((server.address() as AddressInfo).port);
}
