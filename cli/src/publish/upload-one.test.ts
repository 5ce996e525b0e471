import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { createSender, type FileSender } from "./put-file.ts";
import { uploadOne } from "./upload-one.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-upload-one-"));
afterAll(() => rmSync(folder, { recursive: true }));
const location = join(folder, "a.js");
writeFileSync(location, "12345");
const { mtimeMs } = statSync(location);
const file = { path: "a.js", location, size: 5, mtimeMs, sha256: "0" };

/** As Node throws it, which a test cannot make the system do. */
function refusalOfSystem(code: string, errno: number): Error {
  return Object.assign(new Error(code), { code, errno, syscall: code === "EIO" ? "read" : "open", path: location });
}

async function uploadWith(put: FileSender["put"], of = file) {
  const urls = { of: async () => ({ url: new URL("http://127.0.0.1:9/"), headers: {} }), replace: () => {} };
  const sender = { put, close: () => {} };
  return await uploadOne(of, 0, { sender, urls, onBytes: () => {}, signal: new AbortController().signal });
}

test.each([
  ["EIO", -5, "i/o error (EIO)", "Its disk is faulty or was removed"],
  ["EACCES", -13, "permission denied (EACCES)", "Make it readable"],
])("a file that the system refuses with %s cannot be read, and has not changed", async (code, errno, why, next) => {
  let tries = 0;
  const failing = uploadWith(async () => {
    tries += 1;
    throw refusalOfSystem(code, errno);
  });
  await expect(failing).rejects.toMatchObject({
    code: "file_unreadable",
    message: `a.js cannot be read: ${why}; the live release stays as it is.`,
    next: expect.stringContaining(next),
  });
  expect(tries).toBe(1);
});

test.each([
  ["EMFILE", -24],
  ["EBUSY", -16],
])("a file that the system refuses with %s for a moment is tried again", async (code, errno) => {
  let tries = 0;
  await uploadWith(async () => {
    tries += 1;
    if (tries === 1) throw refusalOfSystem(code, errno);
    return { status: 200, code: undefined, isConfirmed: true, retryAfterMilliseconds: undefined };
  });
  expect(tries).toBe(2);
});

test("a file that was removed is told so, and what to do", async () => {
  const options = { connections: 1, timeoutMilliseconds: 1_000, signal: new AbortController().signal };
  const sender = createSender(options);
  await expect(uploadWith(sender.put, { ...file, location: join(folder, "none.js") })).rejects.toMatchObject({
    code: "file_changed",
    message: "a.js was removed after the folder was read; the live release stays as it is.",
    next: "Wait until the build is finished, then publish again.",
  });
  sender.close();
});

test("a success that does not have the store's checksum is no upload: the file is sent again", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const checksum = request.headers["x-amz-checksum-sha256"] as string;
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
    if (bodies.length > 0) response.setHeader("x-amz-checksum-sha256", checksum);
    request.on("end", () => response.end("<p>Log in to this network</p>"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const sender = createSender({ connections: 1, timeoutMilliseconds: 5_000, signal: new AbortController().signal });
  const headers = { "content-length": "5", "x-amz-checksum-sha256": "c" };
  try {
    const urls = { of: async () => ({ url, headers }), replace: () => {} };
    await uploadOne(file, 0, { sender, urls, onBytes: () => {}, signal: new AbortController().signal });
    expect(bodies).toEqual(["12345", "12345"]);
  } finally {
    sender.close();
    server.close();
  }
});
