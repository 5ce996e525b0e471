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
])("%s is none of %s", (url, api) => {
  expect(() => checkUploadUrl({ url, headers: {} }, api)).toThrow(refused);
});
