import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";

/**
 * Speaks TLS in front of an engine that does not, as DynamoDB does. Its certificate is self-signed: whoever connects must
 * not verify it (NODE_TLS_REJECT_UNAUTHORIZED=0), which is right for this measurement alone.
 */
export async function startTlsProxy(target: string): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const { hostname, port } = new URL(target);
  const server = createServer(selfSigned(), (secure) => {
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

function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const words =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1";
  try {
    execFileSync("openssl", [...words.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
