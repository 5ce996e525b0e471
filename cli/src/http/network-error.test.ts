import { once } from "node:events";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createSender } from "../publish/sender.ts";
import { networkError } from "./network-error.ts";
import { send } from "./send.ts";

const timeoutMilliseconds = 5_000;
const notFound = (url: URL) => networkError(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }), url);

async function sendRequest(url: URL): Promise<void> {
  await send({ method: "GET", url, headers: {}, timeoutMilliseconds });
}

async function sendFile(url: URL): Promise<void> {
  const location = join(tmpdir(), `svc-sent-${process.pid}`);
  writeFileSync(location, "x");
  const { signal } = new AbortController();
  const { size, mtimeMs } = statSync(location);
  const file = { path: "x", location, size, mtimeMs, sha256: "" };
  const sender = createSender({ api: url, files: [file], timeoutMilliseconds }, signal);
  await sender.open(file)({ start: 0, size }, { url: url.href, headers: {} }, () => {});
  sender.close();
  rmSync(location);
}

test.each([
  ["a request", sendRequest],
  ["a file", sendFile],
])("a host that took %s and is not found later is tried again, and one that never responded is not", async (_, use) => {
  const server = createServer((request, response) => request.resume().on("end", () => response.end())).listen(0);
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  try {
    expect(notFound(url).isTransient).toBe(false);
    await use(url);
    expect(notFound(url).isTransient).toBe(true);
    expect(notFound(new URL("http://svc.example/")).isTransient).toBe(false);
  } finally {
    server.close();
  }
});

test("a store that cannot be reached is named, and what to do about it, not the API", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const url = new URL("http://127.0.0.1:1/file?X-Amz-Signature=5ec2e7");
  expect(networkError(refused, url, "store")).toMatchObject({
    message: "http://127.0.0.1:1 cannot be reached: nothing listens there.",
    next: "Files are stored there. Check the network, and publish again: files that are uploaded are not sent again.",
  });
});
