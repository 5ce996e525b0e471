import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { UserError } from "../errors.ts";
import { hasErrorCode } from "../system-error.ts";

const firstPort = 8000;
/** Ports that are tried if none is named. */
const triedPorts = 20;

/**
 * Listens on 127.0.0.1 alone.
 *
 * @param port undefined: 8000, or the next one that is free; 0: any
 * @returns the port
 * @throws UserError if the named port is taken, or all that are tried
 */
export async function listen(server: Server, port: number | undefined): Promise<number> {
  const ports = port === undefined ? Array.from({ length: triedPorts }, (_, index) => firstPort + index) : [port];
  for (const candidate of ports)
    if (await tryToListen(server, candidate)) return (server.address() as AddressInfo).port;
  const [what, next] =
    port === undefined
      ? [`The ports ${firstPort} to ${firstPort + triedPorts - 1} are taken.`, "svc dev --port 0 takes any free one."]
      : [`Port ${port} is taken.`, "Leave --port out for the next free one from 8000, or name another."];
  throw new UserError(what, { code: "port_taken", next });
}

async function tryToListen(server: Server, port: number): Promise<boolean> {
  if (port !== 0 && (await isAnswered(port))) return false;
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EADDRINUSE")) return false;
    if (!hasErrorCode(error, "EACCES")) throw error;
    throw new UserError(`This system does not let you use port ${port}.`, {
      code: "port_denied",
      next: "Use a port above 1023.",
    });
  }
}

/** Whether another server has the port at [::1], which browsers may try first for `localhost`. */
async function isAnswered(port: number): Promise<boolean> {
  const socket = connect({ port, host: "::1", timeout: 200 });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("timeout", () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
