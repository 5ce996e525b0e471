import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { type Behaviour, startMisbehavingServer } from "../../../test/support/network/misbehaving-server.ts";
import { startTunnelProxy } from "../../../test/support/network/tunnel-proxy.ts";
import { useServers } from "../../../test/support/service/suite.ts";
import { send, traceRequests } from "./send.ts";

const keep = useServers();
const get = { method: "GET", headers: {}, timeoutMilliseconds: 20_000 };
const mebibyte = 1024 * 1024;

async function serve(behave: Behaviour, path = "/"): Promise<URL> {
  const { origin } = await keep(startMisbehavingServer(behave));
  return new URL(path, origin);
}

test.each<[string, Behaviour]>([
  ["before the response", () => undefined],
  ["during the response", (_, response) => response.writeHead(200, { "content-length": "100" }).write("begun")],
])("a signal ends a request %s, which fails with the signal's reason", async (_, behave) => {
  const controller = new AbortController();
  const reason = new Error("Interrupted");
  let closed: Promise<unknown> | undefined;
  const url = await serve((request, response, number) => {
    closed = once(response, "close");
    behave(request, response, number);
    setImmediate(() => controller.abort(reason));
  });
  await expect(send({ ...get, url, signal: controller.signal })).rejects.toBe(reason);
  await closed;
});

test("a signal that has ended sends nothing", async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked += 1;
    response.end();
  });
  const reason = new Error("Interrupted");
  await expect(send({ ...get, url, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await send({ ...get, url });
  expect(asked).toBe(1);
});

test("a signal ends a request whose proxy does not respond", async () => {
  const proxy = await keep(startTunnelProxy());
  proxy.target = "silent";
  const controller = new AbortController();
  process.env["HTTPS_PROXY"] = proxy.url();
  try {
    const sent = send({ ...get, url: new URL("https://api.svc.test/"), signal: controller.signal });
    const failed = expect(sent).rejects.toBe("Interrupted");
    while (proxy.asked.length === 0) await new Promise(setImmediate);
    controller.abort("Interrupted");
    await failed;
  } finally {
    delete process.env["HTTPS_PROXY"];
  }
});

test.each(["before it responds to CONNECT", "behind its tunnel"])(
  "a proxy whose connection is silent, %s, is waited for until the time-out",
  async (where) => {
    const silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const proxy = await keep(startTunnelProxy());
    proxy.target = where === "behind its tunnel" ? (silent.address() as AddressInfo).port : "silent";
    process.env["HTTPS_PROXY"] = proxy.url();
    try {
      const url = new URL("https://api.svc.test/");
      await expect(send({ ...get, url, timeoutMilliseconds: 200 })).rejects.toMatchObject({
        message: "https://api.svc.test did not respond within 0.2 seconds.",
        isTransient: true,
      });
    } finally {
      delete process.env["HTTPS_PROXY"];
      silent.close();
    }
  },
);

test("a response that does not begin is not waited for longer after a long request", async () => {
  const url = await serve((request) => request.resume());
  const sent = send({ ...get, method: "POST", url, body: "x".repeat(100_000), timeoutMilliseconds: 200 });
  await expect(sent).rejects.toMatchObject({ message: `${url.origin} did not respond within 0.2 seconds.` });
});

test.each([
  ["8 MiB without a length", 8 * mebibyte, undefined],
  ["9 MiB with it", 9 * mebibyte, 9 * mebibyte],
  ["1,000 bytes with it", 1_000, 1_000],
])("a response may have %s, and not a byte more", async (_, length, longestBytes) => {
  const url = await serve(({ url }, response) => response.end(Buffer.alloc(length + (url === "/" ? 0 : 1))));
  const limited = { ...get, ...(longestBytes && { longestBytes }) };
  expect((await send({ ...limited, url })).body).toHaveLength(length);
  await expect(send({ ...limited, url: new URL("/longer", url) })).rejects.toMatchObject({
    message: `${url.origin} sent a response that is too long for this API.`,
  });
});

test("a response of that length takes longer than the time-out", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("byte"), 100);
    setTimeout(() => response.end(), 1_500);
    response.on("close", () => clearInterval(timer));
  });
  const slow = { ...get, url, timeoutMilliseconds: 1_000 };
  await expect(send(slow)).rejects.toMatchObject({ message: expect.stringContaining("within 1 seconds") });
  expect((await send({ ...slow, longestBytes: 100_000 })).status).toBe(200);
});

test("--verbose shows a presigned URL without its signature", async () => {
  const lines: string[] = [];
  traceRequests((line) => lines.push(line));
  const url = await serve((_, response) => response.end());
  await send({ ...get, url: new URL("/file?X-Amz-Date=now&X-Amz-Signature=5ec2e7", url) });
  await send({ ...get, url: new URL("/projects?limit=100", url) });
  expect(lines.map((line) => line.replace(/ in \d+ ms$/, ""))).toEqual([
    `GET ${url.origin}/file: 200`,
    `GET ${url.origin}/projects?limit=100: 200`,
  ]);
});
