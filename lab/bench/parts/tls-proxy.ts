import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";
import type { Part } from "../../../local/part.ts";
import { createCertificate } from "../../../test/support/network/certificate.ts";

/**
 * A TLS proxy for an engine without TLS, because DynamoDB has TLS. Its certificate is self-signed, so the client must not verify
 * it (NODE_TLS_REJECT_UNAUTHORIZED=0), which is acceptable only for this measurement.
 */
export async function startTlsProxy(target: string): Promise<Part> {
  const { hostname, port } = new URL(target);
  const server = createServer(createCertificate("localhost"), (secure) => {
    const plain = connect(Number(port), hostname);
    plain.setNoDelay(true);
    secure.setNoDelay(true);
    secure.pipe(plain).pipe(secure);
    for (const socket of [secure, plain]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        secure.destroy();
        plain.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
