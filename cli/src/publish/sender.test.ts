import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { NetworkError } from "../../../contract/api-error.ts";
import { UploadFailure } from "../../../publisher/upload-failure.ts";
import { startHttpServer } from "../../../test/support/network/http-server.ts";
import { duringTests } from "../../../test/support/service/suite.ts";
import { fileBytes, type PutResult, testSender } from "../../../test/support/store/sender-suite.ts";
import { createSender } from "./sender.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-sender-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(path: string, bytes: string | Uint8Array) {
  const location = join(folder, path);
  writeFileSync(location, bytes);
  const { size, mtimeMs } = statSync(location);
  return { path, location, size, mtimeMs, sha256: path };
}

const api = new URL("http://127.0.0.1:1/");
const senderWith = (timeoutMilliseconds = 5_000, signal = new AbortController().signal) =>
  createSender({ api, files: [], timeoutMilliseconds }, signal);

describe("in Node", () =>
  testSender(async ({ size, range, url, headers, stalledMilliseconds, abortAfterMilliseconds, isInMemory }) => {
    const stop = new AbortController();
    const sender = senderWith(stalledMilliseconds, stop.signal);
    const sent: number[] = [];
    if (abortAfterMilliseconds) setTimeout(() => stop.abort(), abortAfterMilliseconds);
    try {
      const file = fileOf("game.bin", fileBytes(size));
      const put = isInMemory ? sender.openBytes(await sender.read(file)) : sender.open(file);
      return { response: await put(range, { url, headers }, (bytes) => sent.push(bytes)), sent };
    } catch (failure) {
      const { name, isTransient } = failure as NetworkError;
      return { rejection: { name, isTransient }, sent } satisfies PutResult;
    } finally {
      sender.close();
    }
  }));

const file = fileOf("a.js", "12345");
const whole = { start: 0, size: 5 };

/** As Node throws it, which a test cannot make the system do. */
function refusalOfSystem(code: string, errno: number, of = file): Error {
  const { location } = of;
  return Object.assign(new Error(code), { code, errno, syscall: code === "EIO" ? "read" : "open", path: location });
}

test.each([
  ["EIO", -5, "i/o error (EIO)", "Its disk is faulty or was removed"],
  ["EACCES", -13, "permission denied (EACCES)", "Make it readable"],
])("a file that the system refuses with %s cannot be read, and has not changed", (code, errno, why, next) => {
  const { busy, explain } = senderWith();
  const failure = refusalOfSystem(code, errno);
  expect(busy?.(failure)).toBeUndefined();
  expect(explain(failure, file)).toMatchObject({
    code: "file_unreadable",
    message: `a.js cannot be read: ${why}; the live release stays as it is.`,
    next: expect.stringContaining(next),
  });
});

test.each<[string, unknown, string]>([
  ["another program has", refusalOfSystem("EBUSY", -16), "file"],
  ["is one too many", refusalOfSystem("EMFILE", -24), "process"],
  ["has no socket", networkErrorOf(refusalOfSystem("EMFILE", -24)), "process"],
])("a file that %s is free soon", (_, failure, busy) => {
  expect(senderWith().busy?.(failure)).toBe(busy);
});

function networkErrorOf(cause: Error): NetworkError {
  return new NetworkError("No socket.", { isTransient: true, isUnsent: true, cause });
}

const store = duringTests(() =>
  startHttpServer((request, response) => {
    const { "x-amz-checksum-sha256": checksum = "" } = request.headers;
    if (request.url !== "/proxy") response.setHeader("x-amz-checksum-sha256", checksum);
    if (request.url === "/slow") response.writeHead(503, { "retry-after": "7" });
    request.resume().on("end", () => response.end());
  }),
);

const put = async (path: string, of = file, range = whole) => {
  const headers = { "content-length": "5", "x-amz-checksum-sha256": "c" };
  const sender = senderWith();
  try {
    return await sender.open(of)(range, { url: store.endpoint + path, headers }, () => {});
  } finally {
    sender.close();
  }
};

test("a success that does not have the store's checksum is not the store's", async () => {
  expect(await put("/file")).toMatchObject({ status: 200, isConfirmed: true });
  expect(await put("/proxy")).toMatchObject({ status: 200, isConfirmed: false });
});

test("the store says when to try again", async () => {
  expect(await put("/slow")).toMatchObject({ status: 503, retryAfterMilliseconds: 7_000 });
});

test.each([
  ["was removed", () => rmSync(join(folder, "b.js")), "b.js was removed after the folder was read"],
  ["became shorter", () => writeFileSync(join(folder, "b.js"), "1"), "b.js changed while it was sent"],
  [
    "became a link to a file of the same size",
    () => {
      writeFileSync(join(folder, "secret"), "54321");
      rmSync(join(folder, "b.js"));
      symlinkSync("secret", join(folder, "b.js"));
    },
    "b.js changed while it was sent",
  ],
])("a file that %s is told so, and what to do", async (_, change, message) => {
  const changing = fileOf("b.js", "12345");
  change();
  const failure = await put("/file", changing).catch((thrown: unknown) => thrown);
  expect(senderWith().explain(failure, changing)).toMatchObject({
    code: "file_changed",
    message: `${message}; the live release stays as it is.`,
    next: "Wait until the build is finished, then publish again.",
  });
});

test("a refusal of a file that has changed meanwhile is that", () => {
  const changing = fileOf("c.js", "12345");
  const refused = new UploadFailure({ status: 400, code: "BadDigest" });
  const { explain } = senderWith();
  expect(explain(refused, changing)).toMatchObject({
    code: "upload_refused",
    status: 400,
    message: "c.js could not be uploaded. The store responded with 400 BadDigest.",
  });
  writeFileSync(changing.location, "another length");
  expect(explain(refused, changing)).toMatchObject({ code: "file_changed" });
});

test.each([
  ["incomplete", "upload_refused", "a.js could not be uploaded. Its parts are sent, and the API does not complete it."],
  ["no_url", "unexpected_response", "The API sent no upload URL."],
] as const)("a failure of the API, %s, is named", (meaning, code, message) => {
  expect(senderWith().explain(new UploadFailure(meaning), file)).toMatchObject({ code, message });
});

test("a URL that is no upload URL gets no byte", async () => {
  const target = { url: "http://store.example/x", headers: {} };
  await expect(senderWith().open(file)(whole, target, () => {})).rejects.toMatchObject({ code: "upload_url_refused" });
});
