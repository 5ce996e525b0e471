import { expect, test } from "@jest/globals";
import { errorCodeIn, meaningOf } from "./store-response.ts";

test.each([
  [200, undefined, "stored"],
  [412, "PreconditionFailed", "stored"],
  [403, "AccessDenied", "expired"],
  [400, "ExpiredToken", "expired"],
  [404, "NoSuchUpload", "expired"],
  [400, "RequestTimeout", "trouble"],
  [408, undefined, "trouble"],
  [409, "ConditionalRequestConflict", "trouble"],
  [429, undefined, "trouble"],
  [500, "InternalError", "trouble"],
  [503, "SlowDown", "trouble"],
  [400, "BadDigest", "refused"],
  [404, "NoSuchBucket", "refused"],
  [101, undefined, "refused"],
  [300, undefined, "refused"],
  [401, "ExpiredToken", "refused"],
  [404, "RequestTimeout", "refused"],
  [307, "TemporaryRedirect", "refused"],
])("a response of the store with %i %s means %s", (status, code, meaning) => {
  expect(meaningOf({ status, code })).toBe(meaning);
});

test("a success that does not have the store's checksum is none, and what the store has already needs none", () => {
  expect(meaningOf({ status: 200, code: undefined, isConfirmed: false })).toBe("trouble");
  expect(meaningOf({ status: 200, code: undefined, isConfirmed: true })).toBe("stored");
  expect(meaningOf({ status: 412, code: "PreconditionFailed", isConfirmed: false })).toBe("stored");
});

test("the code of the store's error document is found, and of another page none", () => {
  expect(errorCodeIn("<?xml version='1.0'?><Error><Code>BadDigest</Code><Message>…</Message></Error>")).toBe(
    "BadDigest",
  );
  expect(errorCodeIn("<h1>Bad gateway</h1>")).toBeUndefined();
});
