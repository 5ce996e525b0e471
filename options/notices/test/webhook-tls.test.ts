import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { afterAll, expect, jest, test } from "@jest/globals";
import { createCertificate } from "../../../test/support/network/certificate.ts";

/* A webhook over TLS. The receiver is on this machine, whose addresses are public in this file alone. */
jest.unstable_mockModule("../functions/public-address.ts", () => ({
  isPublicAddress: () => true,
  isLoopback: () => false,
}));
const { sendWebhook } = await import("../functions/webhook-request.ts");

const certificate = createCertificate("receiver.example.com");
const received: string[] = [];
const server = createServer(certificate, (request, response) => {
  received.push(`${(request.socket as TLSSocket & { servername?: string }).servername} ${request.headers.host}`);
  response.writeHead(204).end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const trusted = getCACertificates("default");
afterAll(() => {
  setDefaultCACertificates(trusted);
  server.close();
  server.closeAllConnections();
});

const sendTo = (host: string) =>
  sendWebhook({ url: `https://${host}:${port}/`, headers: {}, body: "{}" }, async () => [
    { address: "127.0.0.1", family: 4 },
  ]);

test("a receiver whose certificate nobody vouches for gets nothing", async () => {
  expect(await sendTo("receiver.example.com")).toEqual({ error: "certificate_invalid" });
  expect(received).toEqual([]);
});

test("a receiver gets it by the name of the URL, and only if its certificate has that name", async () => {
  setDefaultCACertificates([...trusted, certificate.cert]);
  expect(await sendTo("other.example.com")).toEqual({ error: "certificate_invalid" });
  expect(received).toEqual([]);
  expect(await sendTo("receiver.example.com")).toEqual({ responseStatus: 204 });
  expect(received).toEqual([`receiver.example.com receiver.example.com:${port}`]);
});
