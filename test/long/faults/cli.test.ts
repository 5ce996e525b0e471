import { writeFileSync } from "node:fs";
import http from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { inventToken } from "../../support/cli/cli.ts";
import { type Certificate, createCertificate } from "../../support/network/certificate.ts";
import {
  type Behaviour,
  goodMe,
  respondAsGoodApi,
  sendJson,
  startMisbehavingServer,
} from "../../support/network/misbehaving-server.ts";
import { startTunnelProxy, type TunnelProxy } from "../../support/network/tunnel-proxy.ts";
import { useCliUser, useServers } from "../../support/service/suite.ts";

const token = inventToken();
const person = useCliUser();
let certificate: Certificate;
const keep = useServers();

beforeAll(() => {
  certificate = createCertificate("localhost", "api.svc.test");
});

const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

const serve = (behave: Behaviour, withCertificate?: Certificate) =>
  keep(startMisbehavingServer(behave, withCertificate));

const whoami = (api: string, env: Record<string, string> = {}) =>
  person.run(["whoami", "--json"], { env: { SVC_API: api, SVC_TOKEN: token, ...env } });

const succeed: Behaviour = (_, response) => sendJson(response, 200, goodMe);

const problem = (status: number, code: string) => ({
  type: "about:blank",
  title: code,
  status,
  code,
  detail: "Something is wrong on our side.",
  request_id: "request-7",
});

test("a response that breaks is requested again, with a line for each try", async () => {
  const server = await serve((...call) => {
    const [, response, number] = call;
    if (number > 2) return succeed(...call);
    response.writeHead(200, { "content-type": "application/json", "content-length": "500" }).write("{");
    return setTimeout(() => response.destroy(), 20);
  });
  const { code, json, stderr } = await whoami(server.origin);
  expect(code).toBe(0);
  expect(json.user.uid).toBe("ada");
  expect(server.requests).toHaveLength(3);
  expect(stderr.match(/^warning: .* Trying again in \d\.\d s\.$/gm)).toHaveLength(2);
});

describe("a permanent failure", () => {
  test("is reported after five tries, with the API's sentence, code and request id", async () => {
    const server = await serve((_, response) => sendJson(response, 500, problem(500, "internal_error")));
    const { code, json } = await whoami(server.origin);
    expect(code).toBe(1);
    expect(json).toEqual({
      error: {
        code: "internal_error",
        message: "Something is wrong on our side.",
        status: 500,
        request_id: "request-7",
        exit_code: 1,
      },
    });
    expect(server.requests).toHaveLength(5);
  });

  test("a host where nothing listens is reported at once", async () => {
    const server = await serve(succeed);
    await server.stop();
    const { code, json, stderr } = await whoami(server.origin);
    expect(code).toBe(1);
    expect(json.error.message).toBe(`${server.origin} cannot be reached: nothing listens there.`);
    expect(stderr).toBe("");
  });

  test("a deployed API where nothing listens is tried five times: it may be back in a second", async () => {
    const server = await serve(succeed);
    await server.stop();
    const deployed = server.origin.replace("http:", "https:");
    const { code, json, stderr } = await whoami(deployed);
    expect(code).toBe(1);
    expect(json.error.message).toBe(`${deployed} cannot be reached: nothing listens there.`);
    expect(stderr.match(/nothing listens there\. Trying again in \d\.\d s\.$/gm)).toHaveLength(4);
  });
});

describe("a redirect", () => {
  test("to another origin is not followed, so the token is not sent there", async () => {
    const elsewhere = await serve(succeed);
    const server = await serve(
      (_, response) => void response.writeHead(307, { location: `${elsewhere.origin}/me` }).end(),
    );
    const { code, json } = await whoami(server.origin);
    expect(code).toBe(1);
    expect(json.error).toMatchObject({
      code: "redirected_elsewhere",
      message: `${server.origin} redirects to ${elsewhere.origin}. Your token is not sent there.`,
    });
    expect(elsewhere.requests).toEqual([]);
  });

  test("within the origin is followed", async () => {
    const server = await serve((request, response, number) =>
      number === 1 ? void response.writeHead(308, { location: "/v2/me" }).end() : succeed(request, response, number),
    );
    expect((await whoami(server.origin)).code).toBe(0);
    expect(server.requests.map(({ url }) => url)).toEqual(["/me", "/v2/me"]);
    expect(server.requests.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(true);
  });

  test("is not followed by a request that changes something, also within the origin", async () => {
    const server = await serve((_, response) => void response.writeHead(303, { location: "/elsewhere" }).end());
    const env = { SVC_API: server.origin, SVC_TOKEN: token };
    const { code, json } = await person.run(["projects", "create", "my-game", "--json"], { env });
    expect({ code, error: json.error.code }).toEqual({ code: 1, error: "unexpected_response" });
    expect(server.requests.map(({ url }) => url)).toEqual(["/projects"]);
  });

  test("that repeats for ever is stopped", async () => {
    const server = await serve((_, response) => void response.writeHead(302, { location: "/me" }).end());
    expect((await whoami(server.origin)).json.error.code).toBe("unexpected_response");
    expect(server.requests).toHaveLength(6);
  });
});

describe("https", () => {
  test("an untrusted certificate closes the connection before the token is sent", async () => {
    const server = await serve(succeed, certificate);
    const { code, json } = await whoami(server.origin);
    expect(code).toBe(1);
    expect(json.error.message).toBe(
      `The certificate of ${server.origin} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT), so nothing was sent to it.`,
    );
    expect(server.requests).toEqual([]);
  });

  test.each<[string, tls.SecureVersion | undefined, boolean, string]>([
    ["no version in common", "TLSv1.1", false, "have no version of TLS, or no cipher, in common."],
    ["a demand for a certificate", undefined, true, "wants a certificate of this machine, which svc does not have."],
  ])("%s is named, and not retried", async (_, maxVersion, requestCert, message) => {
    let connections = 0;
    const server = tls.createServer({
      ...certificate,
      requestCert,
      ...(maxVersion && { minVersion: "TLSv1", maxVersion }),
    });
    const origin = await keepSocket(server.on("connection", () => (connections += 1)));
    const { json } = await whoami(`https://${origin}`, { NODE_EXTRA_CA_CERTS: saveAuthority() });
    expect(json.error.message).toContain(message);
    expect(connections).toBe(1);
  });

  test.each<[string, Behaviour | Buffer]>([
    ["plain http", succeed],
    ["another protocol", Buffer.from("SSH-2.0-OpenSSH_9.2\r\n")],
  ])("a peer on this machine that speaks %s is said to speak no TLS, once, with what to change", async (_, speak) => {
    let connections = 0;
    const server = typeof speak === "function" ? http.createServer() : createServer((socket) => socket.write(speak));
    const host = await keepSocket(server.on("connection", () => (connections += 1)));
    const { json } = await whoami(`https://${host}`);
    expect(json.error).toMatchObject({
      message: `https://${host} does not speak TLS.`,
      next: `If it speaks plain http: --api http://${host}`,
    });
    expect(connections).toBe(1);
  });

  test("a peer that speaks TLS to plain http is told how to reach it", async () => {
    const server = await serve(succeed, certificate);
    const { json } = await whoami(server.origin.replace("https:", "http:"));
    expect(json.error.next).toMatch(`If it speaks TLS: --api ${server.origin}. `);
  });

  test.each(["to the server", "to svc"])(
    "bytes that are damaged on the way %s are a temporary failure",
    async (way) => {
      const server = await serve(succeed, certificate);
      let connections = 0;
      const damaging = createServer((socket) => {
        connections += 1;
        const isDamaged = connections <= 2;
        const outward = connect(server.port, "127.0.0.1");
        pass(socket, outward, isDamaged && way === "to the server");
        pass(outward, socket, isDamaged && way === "to svc");
      });
      const host = await keepSocket(damaging);
      const { code, stderr } = await whoami(`https://${host}`, { NODE_EXTRA_CA_CERTS: saveAuthority() });
      expect(code).toBe(0);
      expect(stderr.match(/broke: bytes were damaged on the way\. Trying again/g)).toHaveLength(2);
      expect(connections).toBe(3);
    },
  );

  test("a certificate for another name too", async () => {
    const other = createCertificate("other.svc.test");
    const server = await serve(succeed, other);
    const { json } = await whoami(`https://localhost:${server.port}`, { NODE_EXTRA_CA_CERTS: saveAuthority(other) });
    expect(json.error.message).toContain("(ERR_TLS_CERT_ALTNAME_INVALID), so nothing was sent to it.");
    expect(server.requests).toEqual([]);
  });

  test("NODE_EXTRA_CA_CERTS adds an authority", async () => {
    const server = await serve(succeed, certificate);
    expect((await whoami(server.origin, { NODE_EXTRA_CA_CERTS: saveAuthority() })).code).toBe(0);
  });
});

describe("a proxy", () => {
  let proxy: TunnelProxy;
  beforeEach(async () => {
    proxy = await startTunnelProxy();
  });
  afterEach(() => proxy.stop());

  test("in HTTPS_PROXY gets a request for a tunnel, and sees neither the request nor the token", async () => {
    const server = await serve(succeed, certificate);
    proxy.target = server.port;
    const { code } = await whoami("https://api.svc.test", {
      NODE_EXTRA_CA_CERTS: saveAuthority(),
      HTTPS_PROXY: proxy.url("ada:s%20ecret@"),
    });
    expect(code).toBe(0);
    expect(proxy.asked).toHaveLength(1);
    expect(proxy.asked[0]).toMatch(/^CONNECT api\.svc\.test:443 HTTP\/1\.1\r\n/);
    expect(proxy.asked[0]).toMatch(/\r\nproxy-authorization: Basic YWRhOnMgZWNyZXQ=\r\n/i);
    expect(proxy.asked[0]).not.toContain("Bearer");
    expect(server.requests[0]?.authorization).toBe(`Bearer ${token}`);
  });

  test("does not hide an untrusted certificate, or one for another name", async () => {
    const server = await serve(succeed, certificate);
    proxy.target = server.port;
    const untrusted = await whoami("https://api.svc.test", { HTTPS_PROXY: proxy.url() });
    expect(untrusted.json.error.message).toContain("(DEPTH_ZERO_SELF_SIGNED_CERT), so nothing was sent to it.");
    const otherName = await whoami("https://other.svc.test", {
      NODE_EXTRA_CA_CERTS: saveAuthority(),
      HTTPS_PROXY: proxy.url(),
    });
    expect(otherName.json.error.message).toContain("(ERR_TLS_CERT_ALTNAME_INVALID), so nothing was sent to it.");
    expect(server.requests).toEqual([]);
  });

  test("is named if it, or what is behind it, does not speak TLS", async () => {
    const plain = await serve(succeed);
    proxy.target = plain.port;
    const behind = await whoami("https://api.svc.test", { HTTPS_PROXY: proxy.url() });
    expect(behind.json.error.message).toBe(
      `https://api.svc.test does not speak TLS, through the proxy ${new URL(proxy.url()).host}.`,
    );
    const { host } = new URL(plain.origin);
    const own = await whoami("https://api.svc.test", { HTTPS_PROXY: `https://${host}` });
    expect(own.json.error).toMatchObject({
      message: `The proxy ${host} does not speak TLS, or api.svc.test behind it does not.`,
      next: `If the proxy speaks plain http: HTTPS_PROXY=http://${host}`,
    });
    const secure = await serve(succeed, certificate);
    const { json } = await whoami("https://api.svc.test", { HTTPS_PROXY: `http://127.0.0.1:${secure.port}` });
    expect(json.error.next).toContain(`If the proxy speaks TLS: HTTPS_PROXY=https://127.0.0.1:${secure.port}`);
  });

  test("is not used for a host in NO_PROXY and for this machine", async () => {
    const server = await serve(succeed, certificate);
    const ca = saveAuthority();
    const direct = await whoami(server.origin, { NODE_EXTRA_CA_CERTS: ca, HTTPS_PROXY: proxy.url() });
    expect(direct.code).toBe(0);
    const excluded = await whoami("https://api.svc.test:1", { HTTPS_PROXY: proxy.url(), NO_PROXY: ".svc.test" });
    expect(excluded.json.error.message).toContain("https://api.svc.test:1 cannot be reached");
    expect(proxy.asked).toEqual([]);
  });

  test("a host on which nothing listens is named as what to check", async () => {
    const { json } = await whoami("https://api.svc.test", { HTTPS_PROXY: "127.0.0.1:9" });
    expect(json.error.message).toBe("https://api.svc.test cannot be reached: nothing listens there.");
    expect(json.error.next).toMatch(/^Check HTTPS_PROXY and NO_PROXY\. /);
  });

  test("that refuses is named without its password", async () => {
    const { code, json, stderr } = await whoami("https://api.svc.test", { HTTPS_PROXY: proxy.url("ada:secret@") });
    expect(code).toBe(1);
    expect(json.error.message).toMatch(
      /^The proxy 127\.0\.0\.1:\d+ does not connect to api\.svc\.test: it responded to CONNECT with 407\.$/,
    );
    expect(stderr + JSON.stringify(json)).not.toContain("secret");
  });
});

test.each<[string, Behaviour]>([
  ["hanging up", (request) => request.socket.destroy()],
  [
    "hanging up when it has got the token",
    (request, ...more) =>
      request.headers.authorization ? request.socket.destroy() : respondAsGoodApi(request, ...more),
  ],
])("a login that fails by %s saves nothing", async (_, behave) => {
  const server = await serve(behave);
  const { code } = await person.run(["login", "--token", "-", "--api", server.origin], { input: token });
  expect(code).toBe(1);
  expect((await person.run(["logout", "--json"])).json.removed).toBe(false);
});

/** Listens on a free port until the test is over. @returns host and port */
async function keepSocket(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${port}`;
}

/** Passes bytes on, and damages one of all but the first piece. */
function pass(from: Socket, to: Socket, isDamaged: boolean): void {
  let pieces = 0;
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
  from.on("data", (piece) => {
    pieces += 1;
    const bytes = Buffer.from(piece);
    if (isDamaged && pieces > 1) bytes[20] = (bytes[20] ?? 0) ^ 0xff;
    to.write(bytes);
  });
}

function saveAuthority({ cert } = certificate): string {
  const file = join(person.home, "authority.pem");
  writeFileSync(file, cert);
  return file;
}
