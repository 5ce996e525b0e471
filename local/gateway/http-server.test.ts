import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { actorsOf } from "../../test/support/service/actors.ts";
import { useService } from "../../test/support/service/suite.ts";
import { startHttpServer } from "./http-server.ts";
import { throttle } from "./throttle.ts";

const service = useService();
const actors = actorsOf(service);

/** Sends bytes as they are and returns the raw response: for what fetch would not send. */
async function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(service.api);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  return response;
}

describe("a path that no route has", () => {
  test.each([
    ["GET", "//"],
    ["GET", "/nope"],
    ["GET", "/me/"],
    ["GET", "//me"],
    ["GET", "/users/"],
    ["GET", "/users/a/b"],
    ["GET", "/users/a%2Fb"],
    ["PUT", "/nope"],
  ])("%s %s gets API Gateway's own 404", async (method, path) => {
    const { status, headers, body } = await actors.anonymous.send(method, path);
    expect({ status, body }).toEqual({ status: 404, body: { message: "Not Found" } });
    expect(headers.get("content-type")).toBe("application/json");
  });
});

describe("a path with another method", () => {
  test.each([
    ["PUT", "/me", "GET, HEAD, PATCH, DELETE"],
    ["POST", "/me", "GET, HEAD, PATCH, DELETE"],
    ["GET", "/auth/session", "POST"],
    ["HEAD", "/auth/session", "POST"],
    ["PATCH", "/tokens", "GET, HEAD, POST, DELETE"],
    ["PUT", "/tokens/abc", "GET, HEAD, DELETE"],
    ["POST", "/projects/chess/files/index.html", "GET, HEAD"],
    ["PROPFIND", "/health", "GET, HEAD"],
  ])("%s %s responds with 405 and lists those that it takes", async (method, path, allow) => {
    const { status, headers } = await actors.anonymous.send(method, path);
    expect({ status, allow: headers.get("allow") }).toEqual({ status: 405, allow });
  });

  test("OPTIONS lists them too", async () => {
    const { status, headers } = await actors.anonymous.send("OPTIONS", "/me");
    expect({ status, allow: headers.get("allow") }).toEqual({ status: 204, allow: "GET, HEAD, PATCH, DELETE" });
  });
});

describe("HEAD", () => {
  test("is GET without the body, wherever that is", async () => {
    for (const [path, status] of [
      ["/health", 200],
      ["/openapi.json", 200],
      ["/me", 401],
      ["/users/nobody", 404],
    ] as const) {
      const [head, get] = await Promise.all(
        ["HEAD", "GET"].map((method) => fetch(`${service.api}${path}`, { method })),
      );
      expect(await head?.text()).toBe("");
      expect([head?.status, get?.status]).toEqual([status, status]);
      for (const name of ["content-type", "content-length"])
        expect(head?.headers.get(name)).toBe(get?.headers.get(name));
    }
  });

  test("authenticates as GET does", async () => {
    const user = await actors.user();
    expect(await user.send("HEAD", "/me")).toMatchObject({ status: 200, body: undefined });
  });
});

describe("a page of another origin", () => {
  const origin = () => `http://dashboard.localhost:${new URL(service.api).port}`;

  test("is told that it may send a route's request, before it sends one", async () => {
    const asks = {
      origin: origin(),
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    };
    const { status, headers } = await fetch(`${service.api}/tokens`, { method: "OPTIONS", headers: asks });
    expect(status).toBe(204);
    expect(Object.fromEntries(headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": expect.stringContaining("POST"),
      "access-control-allow-headers":
        "authorization,content-type,idempotency-key,if-match,if-none-match,if-unmodified-since",
    });
  });

  test("may read a response, and a refusal", async () => {
    for (const path of ["/health", "/me", "/nope"]) {
      const { headers } = await actors.anonymous.send("GET", path, { headers: { origin: origin() } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      for (const name of ["svc-request-id", "etag", "location"])
        expect(headers.get("access-control-expose-headers")?.split(",")).toContain(name);
      expect(headers.get("access-control-allow-credentials")).toBe(null);
    }
  });
});

/** "connected", or the error's code. */
async function connectTo(address: string): Promise<string> {
  const socket = connect(Number(new URL(service.api).port), address);
  try {
    await once(socket, "connect");
    return "connected";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "error";
  } finally {
    socket.destroy();
  }
}

test("no other address of the machine leads to the service, so nobody else on its network reaches it", async () => {
  const others = Object.values(networkInterfaces()).flatMap((each = []) => each.filter(({ internal }) => !internal));
  // All of 127.0.0.0/8 is this machine, on Linux without a configuration.
  const addresses = ["127.0.0.2", "::1", ...others.map(({ address }) => address)];
  expect(await connectTo("127.0.0.1")).toBe("connected");
  for (const address of addresses)
    expect({ address, outcome: await connectTo(address) }).not.toMatchObject({ outcome: "connected" });
});

test("broken percent-encoding responds with 400", async () => {
  expect(await sendRaw("GET /users/%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")).toMatch(
    /^HTTP\/1.1 400 .*{"message":"Bad Request"}/s,
  );
});

test.each([
  ["absolute form", "/health", "127.0.0.1", "HTTP/1.1 200 OK"],
  ["absolute form, without a path", "", "127.0.0.1", "HTTP/1.1 200 OK"],
])("a target in %s is read as its path", async (_, path, host, expected) => {
  const { host: api } = new URL(service.api);
  expect(await sendRaw(`GET http://${api}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
    expected,
  );
});

test("the host of an absolute target counts, not the header's", async () => {
  const { host } = new URL(service.api);
  const sent = (target: string, header: string) =>
    sendRaw(`GET http://${target}/health HTTP/1.1\r\nHost: ${header}\r\nConnection: close\r\n\r\n`);
  expect(await sent("evil.example", host)).toMatch("HTTP/1.1 403 Forbidden");
  expect(await sent(host, "evil.example")).toMatch("HTTP/1.1 200 OK");
});

test.each([
  ["two Host headers", "/health", "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n"],
  ["a target of another scheme", "ftp://127.0.0.1/health", "Host: 127.0.0.1\r\n"],
  ["a target that names a user", "http://ada@127.0.0.1/health", "Host: 127.0.0.1\r\n"],
  ["a target without a slash", "health", "Host: 127.0.0.1\r\n"],
])("%s is refused with 400 (RFC 9112, section 3.2)", async (_, target, headers) => {
  expect(await sendRaw(`GET ${target} HTTP/1.1\r\n${headers}\r\n`)).toMatch("HTTP/1.1 400 Bad Request");
});

test("a body of more than 10 MiB is refused before any function, and the next request gets its response", async () => {
  const stranger = await actors.stranger();
  const sent = { headers: { "content-type": "application/json" }, body: Buffer.alloc(10 * 1024 * 1024 + 1, " ") };
  const headers = { ...sent.headers, authorization: `Bearer ${stranger.credential}` };
  const response = await fetch(`${service.api}/auth/session`, { method: "POST", headers, body: sent.body });
  expect([response.status, await response.json()]).toEqual([413, { message: "Request Entity Too Large" }]);
  expect(await stranger.post("/auth/session")).toMatchObject({ status: 201 });
});

test("a caller who leaves in the middle of a body harms nobody", async () => {
  const { hostname, port } = new URL(service.api);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write("POST /auth/session HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{");
  await once(socket.resetAndDestroy(), "close");
  expect((await actors.anonymous.get("/health")).status).toBe(200);
});

test("headers of more than 10,240 bytes are refused", async () => {
  const response = await sendRaw(`GET /health HTTP/1.1\r\nhost: localhost\r\nx-long: ${"x".repeat(10_240)}\r\n\r\n`);
  expect(response).toMatch(/^HTTP\/1.1 431 /);
});

test("every response names its request", async () => {
  const { headers } = await actors.anonymous.get("/health");
  expect(headers.get("apigw-requestid")).toMatch(/^[\w-]{36}$/);
  expect(headers.get("svc-request-id")).toBe(headers.get("apigw-requestid"));
});

test("a route that gets more requests than it lets through responds with API Gateway's own 429, without Retry-After", async () => {
  const server = await startHttpServer(0, Promise.resolve([]), { throttle: throttle(1) });
  try {
    expect((await fetch(`${server.endpoint}/health`)).status).toBe(200);
    const response = await fetch(`${server.endpoint}/health`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 429,
      body: { message: "Too Many Requests" },
    });
    expect(Object.fromEntries(response.headers)).toEqual({
      "apigw-requestid": expect.stringMatching(/^[\w-]{36}$/),
      connection: "keep-alive",
      "content-length": "31",
      "content-type": "application/json",
      date: expect.anything(),
      "keep-alive": expect.anything(),
    });
    expect((await fetch(`${server.endpoint}/openapi.json`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test("a function that waits too long for its table gets API Gateway's own 503, without Retry-After", async () => {
  const over = Promise.withResolvers<void>();
  const silent = createServer(async (_, response) => {
    await over.promise;
    response.setHeader("content-type", "application/x-amz-json-1.0").end("{}");
  });
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  Object.assign(process.env, {
    ...{ SVC_STAGE: "local", AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" },
    ...{ TABLE_NAME: service.tableName, BUCKET_NAME: service.bucketName, S3_ENDPOINT: service.s3Endpoint },
    ...{ IDP_ISSUER: service.issuer, IDP_AUDIENCE: service.audience, IDP_JWKS_URI: service.jwksUri },
    DYNAMODB_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  });
  const server = await startHttpServer(0, Promise.resolve([]), { timeoutMilliseconds: 300 });
  try {
    const response = await fetch(`${server.endpoint}/users/ada`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 503,
      body: { message: "Service Unavailable" },
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("retry-after")).toBeNull();
  } finally {
    // The function goes on: it gets its response, and leaves no line of a failure in the output of the tests.
    over.resolve();
    await server.stop();
    await delay(200);
    silent.close();
    silent.closeAllConnections();
  }
});
