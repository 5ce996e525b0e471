import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addressRefusal } from "../../../contract/api/address-refusal.ts";
import { floodAddress, goAround } from "../../../infra/smoke-edge.ts";
import { readStage } from "../../../infra/stage.ts";
import { stages } from "../../../infra/stages.ts";
import type { Part } from "../../../local/part.ts";
import { blocksToRun, emptyShell } from "../../support/documents.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { useServers } from "../../support/service/suite.ts";
import { withApiEdge } from "../../support/synthesis/settings.ts";

/* The certificates of docs/operations/api-edge.md, and the smoke test that goes around the distribution, with real TLS. */

const start = useServers();
let folder: string;
const file = (name: string) => readFileSync(join(folder, name), "utf8");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-api-edge-"));
  const [shell = "", ...flags] = emptyShell;
  const [commands = ""] = blocksToRun("docs/operations/api-edge.md", 1);
  const server = `openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout server.key -out server.pem`;
  execFileSync(shell, [...flags, "-c", `${commands}\n${server}`], { cwd: folder, stdio: "ignore" });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A server as API Gateway is for a domain with a trust store, or with other options. */
async function gateway(options: ServerOptions = {}, status = 200): Promise<Part> {
  const demands = { requestCert: true, rejectUnauthorized: true, ca: file("authority.pem") };
  const server = createServer({ key: file("server.key"), cert: file("server.pem"), ...demands, ...options });
  server.on("request", (_, response) => response.writeHead(status).end());
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return {
    endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => void server.close().closeAllConnections(),
  };
}

const isOpen = { requestCert: false, rejectUnauthorized: false };

describe("the documented certificates", () => {
  test("are an authority that a stage takes, and a certificate for TLS clients alone that it has issued", () => {
    const { domain, apiEdge } = withApiEdge("staging");
    const authority = file("authority.pem");
    const stage = { ...stages["staging"], domain, apiEdge: { ...apiEdge, authority } };
    expect(readStage("staging", { staging: stage }).apiEdge?.authority).toBe(authority);
    const client = new X509Certificate(file("client.pem"));
    expect(client.checkIssued(new X509Certificate(authority))).toBe(true);
    expect(client.verify(new X509Certificate(authority).publicKey)).toBe(true);
    expect({ isAuthority: client.ca, uses: client.keyUsage }).toEqual({
      isAuthority: false,
      // Of TLS clients (RFC 5280, section 4.2.1.12).
      uses: ["1.3.6.1.5.5.7.3.2"],
    });
    expect(() =>
      readStage("staging", { staging: { ...stage, apiEdge: { ...apiEdge, authority: file("client.pem") } } }),
    ).toThrow("apiEdge.authority must be the PEM certificates of authorities");
  });

  test("let CloudFront in if the authority is demanded, and nobody with another certificate", async () => {
    const { endpoint } = await start(gateway());
    const [, port] = endpoint.split(":");
    const statusWith = async (key: string, cert: string) => {
      const options = { host: "localhost", port, ca: file("server.pem"), key: file(key), cert: file(cert) };
      const [{ statusCode }] = await once(request(options).end(), "response");
      return statusCode;
    };
    expect(await statusWith("client.key", "client.pem")).toBe(200);
    await expect(statusWith("server.key", "server.pem")).rejects.toThrow();
  });
});

describe("going around the distribution", () => {
  const api = async (via?: string) => {
    const { endpoint } = await start(
      startHttpServer((_, response) => response.writeHead(200, via === undefined ? {} : { via }).end()),
    );
    return endpoint.replace("127.0.0.1", "localhost");
  };
  const around = async (origin: string, via = "1.1 abc.cloudfront.net (CloudFront)") =>
    await goAround(await api(via), origin, { ca: file("server.pem") });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "is refused by a server that demands a certificate, with %s",
    async (version) => {
      const { endpoint } = await start(gateway({ minVersion: version, maxVersion: version }));
      expect(await around(endpoint)).toBeUndefined();
    },
  );

  test("is refused by 403 too, and noticed if it is not", async () => {
    const { endpoint: refusing } = await start(gateway(isOpen, 403));
    expect(await around(refusing)).toBeUndefined();
    const { endpoint } = await start(gateway(isOpen));
    expect(await around(endpoint)).toBe(`${endpoint} responded with 200 to a request without CloudFront's certificate`);
  });

  test("proves nothing if no server, or another one, responds", async () => {
    expect(await around("127.0.0.1:9")).toBe("127.0.0.1:9 cannot be reached: ECONNREFUSED");
    const { endpoint } = await start(gateway(isOpen));
    const other = await goAround(await api(), endpoint);
    expect(other).toBe(`${endpoint} cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT`);
  });

  test("is not all: the API's name must lead to CloudFront", async () => {
    const { endpoint } = await start(gateway());
    expect(await around(endpoint, "1.1 proxy.example.com")).toBe("localhost does not lead to CloudFront");
  });
});

describe("flooding from one address", () => {
  const { status, headers, body } = addressRefusal;
  const json = { "content-type": "application/json" };

  /** What is found at an API that refuses after 150 requests, in this way. */
  async function flood(sent: number, sentHeaders: object, sentBody: object): Promise<string | undefined> {
    let count = 0;
    const server = startHttpServer((_, response) => {
      count += 1;
      if (count <= 150) return response.writeHead(200).end();
      return response.writeHead(sent, { ...json, ...sentHeaders }).end(JSON.stringify(sentBody));
    });
    return await floodAddress((await start(server)).endpoint, { attempts: 2, milliseconds: 1 });
  }

  test("is refused as the contract says", async () => {
    expect(await flood(status, headers, body)).toBeUndefined();
  });

  test.each([
    ["API Gateway alone", status, {}, { message: "Too Many Requests" }, "200 requests within 0.002 seconds were not"],
    ["no Retry-After", status, { ...headers, "retry-after": [] }, body, "the refusal has retry-after: null"],
    ["another type", status, { ...headers, "content-type": "text/html" }, body, "content-type: text/html"],
    ["another status", 403, headers, body, "the refusal is 403 with"],
    ["another body", status, headers, { ...body, code: "other" }, 'the refusal is 429 with {"message"'],
  ])("by %s is noticed", async (_, sent, sentHeaders, sentBody, wrong) => {
    expect(await flood(sent, sentHeaders, sentBody)).toContain(wrong);
  });
});
