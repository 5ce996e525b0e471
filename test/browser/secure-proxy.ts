import { hash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificate } from "../support/network/certificate.ts";

/** Servers of this machine that speak http, reached by https with a certificate that nobody has signed. */
export class SecureProxy {
  /** Responses from 400 on, and requests that got none. */
  readonly complaints: string[] = [];
  readonly #certificate = createCertificate("localhost", "*.localhost");
  readonly #servers = new Map<string, Promise<https.Server>>();

  /** What Chromium is told to take this certificate for a signed one: the SHA-256 of its public key, in base64. */
  get pin(): string {
    const { publicKey } = new X509Certificate(this.#certificate.cert);
    return hash("sha256", publicKey.export({ type: "spki", format: "der" }), "base64");
  }

  /** The URL by which the browser reaches what http has here; others stay. */
  async urlOf(url: string): Promise<string> {
    const { protocol, hostname, port, pathname, search } = new URL(url);
    if (protocol !== "http:") return url;
    const server = this.#servers.get(port) ?? this.#listen(port);
    this.#servers.set(port, server);
    return `https://${hostname}:${((await server).address() as AddressInfo).port}${pathname}${search}`;
  }

  async stop(): Promise<void> {
    for (const starting of this.#servers.values()) {
      const server = await starting;
      server.closeAllConnections();
      server.close();
    }
  }

  async #listen(port: string): Promise<https.Server> {
    const server = https.createServer(this.#certificate, (request, response) => this.#pass(port, request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  #pass(port: string, request: http.IncomingMessage, response: http.ServerResponse): void {
    const { method = "GET", url: path = "/" } = request;
    const host = `${request.headers.host?.replace(/:\d+$/, "")}:${port}`;
    const complain = (what: unknown) => this.complaints.push(`${method} https://${host}${path}: ${what}`);
    const passed = http.request({ host: "127.0.0.1", port, method, path, headers: { ...request.headers, host } });
    passed.on("response", (received) => {
      const { statusCode = 502, headers } = received;
      if (statusCode >= 400) complain(statusCode);
      response.writeHead(statusCode, headers);
      received.pipe(response);
    });
    passed.on("error", (error) => {
      // The browser itself leaves a request when its page goes away.
      if (!response.destroyed) complain(error.message);
      response.destroy();
    });
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  }
}
