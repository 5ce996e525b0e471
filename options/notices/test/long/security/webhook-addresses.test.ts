import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { sendWebhook } from "../../../functions/webhook-request.ts";

/* A webhook reaches no address that is not public, whatever its name resolves to. */

const url = "https://receiver.example.com/hooks/1";
const request = { url, headers: {}, body: "{}" };
const refused = { error: "address_not_public" };

/** Receivers of this machine that must get nothing, or something. */
let server: Server;
let received: string[];
let port: number;

beforeEach(async () => {
  received = [];
  server = createServer((incoming, response) => {
    received.push(incoming.socket.localAddress ?? "");
    response.writeHead(307, { location: `http://127.0.0.1:${port}/internal` }).end();
  });
  // All addresses of loopback.
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
  delete process.env["SVC_WEBHOOKS_LOCAL"];
  delete process.env["SVC_STAGE"];
});

const to =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

test.each([
  ["loopback", "127.0.0.1"],
  ["loopback by IPv6", "::1"],
  ["a private network", "10.1.2.3"],
  ["a private network by IPv6", "fd00::1"],
  ["link-local", "fe80::1"],
  ["the metadata of a machine", "169.254.169.254"],
  ["the credentials of a container", "169.254.170.2"],
  ["multicast", "224.0.0.251"],
  ["an IPv4-mapped one", "::ffff:127.0.0.1"],
  ["one behind NAT64", "64:ff9b::7f00:1"],
  ["one behind 6to4", "2002:7f00:1::1"],
  ["this host", "0.0.0.0"],
])("a name that resolves to %s is not connected to", async (_, address) => {
  expect(await sendWebhook(request, to(address))).toEqual(refused);
  expect(await sendWebhook(request, to("93.184.215.14", address))).toEqual(refused);
});

test.each(["https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://localhost/"])(
  "%s is not connected to, though the contract refuses it before",
  async (target) => {
    expect(await sendWebhook({ ...request, url: target })).toEqual(refused);
  },
);

test("http is sent to no one, and to this machine only in the local service that allows it", async () => {
  const localhost = { ...request, url: `http://localhost:${port}/` };
  expect(await sendWebhook(localhost, to("127.0.0.1"))).toEqual(refused);
  process.env["SVC_WEBHOOKS_LOCAL"] = "1";
  process.env["SVC_STAGE"] = "production";
  expect(await sendWebhook(localhost, to("127.0.0.1"))).toEqual(refused);
  process.env["SVC_STAGE"] = "local";
  expect(await sendWebhook({ ...request, url: `http://receiver.example.com:${port}/` }, to("127.0.0.1"))).toEqual(
    refused,
  );
  expect(await sendWebhook(localhost, to("10.0.0.1"))).toEqual(refused);
  expect(received).toEqual([]);
});

test("the name is resolved once, and the connection is to the address that was checked", async () => {
  process.env["SVC_WEBHOOKS_LOCAL"] = "1";
  process.env["SVC_STAGE"] = "local";
  const responses = [to("127.0.0.2"), to("127.0.0.3"), to("127.0.0.4")];
  let asked = 0;
  const changing = async () => (await responses[asked++]?.()) ?? [];
  expect(await sendWebhook({ ...request, url: `http://localhost:${port}/` }, changing)).toEqual({
    responseStatus: 307,
  });
  // A redirect is not followed.
  expect([asked, received]).toEqual([1, ["127.0.0.2"]]);
});

test("a name that does not resolve, and a receiver that refuses the connection, are no errors of the service", async () => {
  const unknown = async () => await Promise.reject(new Error("getaddrinfo ENOTFOUND receiver.example.com"));
  expect(await sendWebhook(request, unknown)).toEqual({ error: "name_not_resolved" });
  process.env["SVC_WEBHOOKS_LOCAL"] = "1";
  process.env["SVC_STAGE"] = "local";
  expect(await sendWebhook({ ...request, url: "http://localhost:1/" }, to("127.0.0.1"))).toEqual({
    error: "connection_failed",
  });
});

test("a receiver that sends no response, and a name's server that sends none, are given up after ten seconds", async () => {
  process.env["SVC_WEBHOOKS_LOCAL"] = "1";
  process.env["SVC_STAGE"] = "local";
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const silentUrl = `http://localhost:${(silent.address() as AddressInfo).port}/`;
  const begun = performance.now();
  expect(
    await Promise.all([
      sendWebhook({ ...request, url: silentUrl }, to("127.0.0.1")),
      sendWebhook(request, () => new Promise(() => undefined)),
    ]),
  ).toEqual([{ error: "timed_out" }, { error: "timed_out" }]);
  expect(performance.now() - begun).toBeGreaterThan(9_900);
  silent.close();
  silent.closeAllConnections();
}, 30_000);
