import { expect, test } from "@jest/globals";
import { fileResponse } from "./file-response.ts";

const sha256 = "a".repeat(64);
const file = { kind: "inline", sha256, contentType: "text/html", read: async () => Buffer.from("<p>") } as const;
const etag = `"${sha256}"`;

test.each([
  [undefined, 200],
  ["", 200],
  [`"${"b".repeat(64)}"`, 200],
  [sha256, 200],
  [etag, 304],
  [`W/${etag}`, 304],
  [`"x", ${etag} , "y"`, 304],
  ["*", 304],
])("If-None-Match: %s responds with %i", async (ifNoneMatch, status) => {
  const response = await fileResponse(file, ifNoneMatch);
  expect(response.status).toBe(status);
  expect(response.headers).toMatchObject({ etag, "cache-control": "public, max-age=0, must-revalidate" });
  expect(response.body).toEqual(status === 200 ? Buffer.from("<p>") : undefined);
});

test("a page may be loaded by every origin, runs scripts in an opaque one, and is what its type says", async () => {
  const { headers } = await fileResponse(file, undefined);
  expect(headers).toMatchObject({
    "cross-origin-resource-policy": "cross-origin",
    "content-type": "text/html",
    "content-security-policy": expect.stringMatching(/^sandbox (allow-(?!same-origin)[a-z-]+ )+allow-scripts$/),
    "x-content-type-options": "nosniff",
  });
});

test("a redirect must not be cached", async () => {
  const response = await fileResponse({ kind: "redirect", url: "https://store.test/x" }, etag);
  expect(response).toMatchObject({
    status: 302,
    headers: { location: "https://store.test/x", "cache-control": "no-store" },
    body: undefined,
  });
});
