import { expect, test } from "@jest/globals";
import { checkUploadUrl } from "./upload-url.ts";

const far = new URL("https://api.svc.test/");
const here = new URL("http://127.0.0.1:8787/");
const refused = expect.objectContaining({ code: "upload_url_refused" });

test.each([
  ["https://store.example/x", far],
  ["https://127.0.0.1/x", far],
  ["https://store.example/x", here],
  ["http://127.0.0.1:9/x", here],
  ["http://store.localhost:9/x", here],
])("%s is an upload URL of %s", (url, api) => {
  expect(checkUploadUrl({ url, headers: {} }, api).url.href).toBe(url);
});

test.each([
  ["http://127.0.0.1:9/x", far],
  ["http://store.localhost/x", far],
  ["http://store.example/x", here],
  ["https://ada@store.example/x", here],
  ["https://:secret@store.example/x", here],
  ["http://[::ffff:127.0.0.1]:9/x", here],
  ["ftp://127.0.0.1/x", here],
  ["file:///etc/passwd", here],
  ["no URL", here],
])("%s is none of %s", (url, api) => {
  expect(() => checkUploadUrl({ url, headers: {} }, api)).toThrow(refused);
});

test("the headers of an upload may be given, and no others", () => {
  const headers = { "content-length": "1", "if-none-match": "*", "x-amz-checksum-sha256": "abc" };
  expect(checkUploadUrl({ url: "https://store.example/x", headers }, far).headers).toEqual(headers);
  for (const name of ["Host", "authorization", "cookie", "transfer-encoding", "x-other"])
    expect(() => checkUploadUrl({ url: "https://store.example/x", headers: { [name]: "evil" } }, far)).toThrow(refused);
});
