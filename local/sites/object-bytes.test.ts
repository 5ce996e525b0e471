import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { sendFilePart } from "./object-bytes.ts";

const content = Buffer.alloc(3_000_000, "0123456789");
let folder: string;
let path: string;
let server: Server;
let failures: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-object-"));
  path = join(folder, "object");
  writeFileSync(path, content);
  failures = [];
  server = createServer(({ url = "" }, response) => {
    const [start = 0, end = 0] = url.slice(1).split("-").map(Number);
    sendFilePart(response, { path, start, end }, { status: 200, headers: { "content-length": end - start } }).catch(
      (error) => {
        failures.push(error);
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const send = (range: string) => request({ port: (server.address() as AddressInfo).port, path: `/${range}` });

async function read(range: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  send(range)
    .on("response", (response) => void buffer(response).then(resolve, reject))
    .on("error", reject)
    .end();
  return await promise;
}

/** Number of times that this process has the object open; undefined if the system does not say. */
function descriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").filter((name) => linkOf(name) === path).length;
  } catch {
    return undefined;
  }
}

function linkOf(name: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${name}`);
  } catch {
    return undefined;
  }
}

test.each([["0-3000000"], ["0-1"], ["5-65541"], ["5-65542"], ["524287-1048577"], ["2999999-3000000"]])(
  "sends exactly the bytes %s",
  async (range) => {
    const [start, end] = range.split("-").map(Number);
    expect((await read(range)).equals(content.subarray(start, end))).toBe(true);
  },
);

test("a part that is longer than its file breaks the connection", async () => {
  await expect(read("0-3000001")).rejects.toThrow("aborted");
  await expect(read("2999990-3000001")).rejects.toThrow();
  expect(failures).toHaveLength(2);
});

test("100 loads that are aborted leave no file open", async () => {
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const sent = send("0-3000000").on("error", () => undefined);
      sent.on("response", (response) => void response.on("error", () => undefined).on("data", () => sent.destroy()));
      sent.end();
      await delay(index % 20);
      if (index % 2 === 0) sent.destroy();
    }),
  );
  for (let look = 0; look < 100 && descriptors(); look += 1) await delay(50);
  expect(descriptors() ?? 0).toBe(0);
});
