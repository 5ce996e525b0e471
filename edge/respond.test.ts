import { describe, expect, test } from "@jest/globals";
import { defaultSettings } from "../contract/api/releases/release-settings.ts";
import type { ReleaseFile, ReleaseFiles } from "./content/resolve.ts";
import type { Project } from "./pages/respond-early.ts";
import type { EdgeRequest } from "./request.ts";
import { respond } from "./respond.ts";

const [isolated, plain] = ["a".repeat(64), "b".repeat(64)];
const file = (digit: string, size = 100): ReleaseFile => ({ sha256: digit.repeat(64), size });

function release(isolation: boolean, files: Readonly<Record<string, ReleaseFile>>): ReleaseFiles {
  return { settings: { ...defaultSettings, isolation }, find: (path) => files[path] };
}

const releases: Readonly<Record<string, ReleaseFiles>> = {
  [isolated]: release(true, { "index.html": file("1"), "old.js": file("2") }),
  [plain]: release(false, {
    "index.html": file("3"),
    "new.js": file("4"),
    "404.html": { ...file("5"), br: file("6", 50) },
  }),
};

async function ask(path: string, { method = "GET", headers = {} }: Partial<EdgeRequest> = {}) {
  const project: Project = { kind: "live", live: plain, earlier: [isolated] };
  return await respond({ method, target: path, headers }, project, {
    readManifest: async (digest) => releases[digest],
  });
}

const visiting = (digest: string) => ({ cookie: `__Host-svc-release=${digest}`, "sec-fetch-dest": "script" });
const embedder = "cross-origin-embedder-policy";

describe("isolation is that of the visit's release:", () => {
  test.each([
    ["/old.js", isolated, true],
    ["/new.js", isolated, true],
    ["/none", isolated, true],
    ["/old.js", plain, false],
    ["/new.js", plain, false],
    ["/none", plain, false],
  ])("%s in a visit of %s: %s", async (path, digest, expected) => {
    const { headers } = await ask(path, { headers: visiting(digest) });
    expect(embedder in headers).toBe(expected);
  });
});

test.each(["script", "image", "empty"])(
  "a page of another site that requests %s begins no visit",
  async (destination) => {
    const headers = { "sec-fetch-dest": destination, "sec-fetch-site": "cross-site", accept: "*/*" };
    expect((await ask("/new.js", { headers })).headers).not.toHaveProperty("set-cookie");
  },
);

test.each(["/", "/none", "/new.js"])("HEAD of %s has the headers of GET and no body", async (path) => {
  const get = await ask(path);
  expect(get.body).toBeDefined();
  expect(await ask(path, { method: "HEAD" })).toEqual({ ...get, body: undefined });
});

test("the page of a missing file is sent whole, in Brotli if the client accepts it, and as it is if a range is requested", async () => {
  const accepts = { "accept-encoding": "br" };
  expect(await ask("/none", { headers: accepts })).toMatchObject({
    status: 404,
    headers: { "content-encoding": "br", "content-length": "50", vary: "Accept-Encoding" },
    body: { sha256: "6".repeat(64), start: 0, end: 50 },
  });
  expect((await ask("/none")).headers).toMatchObject({ "content-length": "100", vary: "Accept-Encoding" });
  expect(await ask("/none", { headers: { ...accepts, range: "bytes=0-1" } })).toMatchObject({
    status: 404,
    headers: { "content-length": "100" },
    body: { sha256: "5".repeat(64), start: 0, end: 100 },
  });
});
