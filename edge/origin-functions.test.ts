import { describe, expect, test } from "@jest/globals";
import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResponse } from "aws-lambda";
import {
  file,
  fixedDigest,
  hash,
  liveDigest,
  manifests,
  previousDigest,
  release,
} from "../test/support/service/sample-game.ts";
import { type CacheKey, uriOf } from "./cache-key.ts";
import { originRequest, reportUrlHeader } from "./origin-request.ts";
import { originResponse } from "./origin-response.ts";

/*
 * The origin's functions by themselves. test/edge/oracle.test.ts has what visitors get of them.
 */

const reportUrl = "https://example.com/?game={slug}";
const key: CacheKey = { slug: "my-game", digest: liveDigest, purpose: "file", brotli: false, path: "/game.js" };

/** A single-page application with a page of its own for what is missing. */
const spaDigest = hash("d");
const releases = new Map([
  ...manifests,
  [spaDigest, release({ "index.html": file("a"), "404.html": file("0") }, { spa: true })],
]);

type PlainHeaders = Readonly<Record<string, string>>;

function listed(headers: PlainHeaders): CloudFrontHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [{ key: name, value }]]));
}

function plain(headers: CloudFrontHeaders = {}): PlainHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, [field]]) => [name, field?.value ?? ""]));
}

function requestOf(uri: string, headers: PlainHeaders = {}): CloudFrontRequest {
  const s3 = { customHeaders: listed({ [reportUrlHeader]: reportUrl }) };
  const all = { "x-svc-releases": `${liveDigest}.${previousDigest}`, ...headers };
  return { method: "GET", uri, headers: listed(all), origin: { s3 } } as unknown as CloudFrontRequest;
}

/** What the function of the request makes of it. */
async function asked(changes: Partial<CacheKey> = {}, headers: PlainHeaders = {}) {
  const request = requestOf(uriOf({ ...key, ...changes }), headers);
  return await originRequest(request, (slug) => ({
    readManifest: async (digest) => releases.get(digest),
    fileKey: (sha256) => `${slug}/${sha256}`,
  }));
}

/** What CloudFront keeps: the generated response, or the bucket's as the function of the response changes it. */
async function kept(changes: Partial<CacheKey> = {}, headers: PlainHeaders = {}, response = ofBucket("200")) {
  const made = await asked(changes, headers);
  const { status, headers: sent, body } = "status" in made ? made : { body: undefined, ...changed(made, response) };
  return { status, headers: plain(sent), body };
}

function changed(request: CloudFrontRequest, response: CloudFrontResponse) {
  const made = originResponse(request, response);
  if (made === undefined) throw new Error("The bucket has not sent the object");
  return made;
}

const ofConnection = { "content-length": "100", date: "now", "transfer-encoding": "chunked", via: "1.1 x" };
const ofS3 = { etag: '"s3"', "last-modified": "then", server: "AmazonS3", "x-amz-request-id": "1" };

function ofBucket(status: string, headers: PlainHeaders = {}): CloudFrontResponse {
  return { status, statusDescription: "", headers: listed({ ...ofConnection, ...ofS3, ...headers }) };
}

const ofGame = { "x-svc-release": liveDigest, "cache-tag": "game:my-game" };

describe("the request to the bucket", () => {
  test.each<[string, PlainHeaders, string | undefined]>([
    ["a range", { range: "bytes=0-9" }, "bytes=0-9"],
    ["a range of the same bytes", { range: "bytes=0-9", "if-range": `"${hash("b")}"` }, "bytes=0-9"],
    ["a range of other bytes", { range: "bytes=0-9", "if-range": '"x"' }, undefined],
    ["a range of what the viewer has", { range: "bytes=0-9", "if-none-match": `"${hash("b")}"` }, undefined],
    ["several ranges", { range: "bytes=0-1,3-4" }, undefined],
  ])("for %s has a range where it is meant", async (_, headers, range) => {
    const made = await asked({}, headers);
    expect(made).toMatchObject({ uri: `/my-game/${hash("b")}` });
    expect(plain(made.headers)["range"]).toBe(range);
  });

  test("for the variant is the variant's", async () => {
    expect(await asked({ brotli: true })).toMatchObject({ uri: `/my-game/${hash("c")}` });
  });

  test("looks in the key's release, then in the live one, then in the one before", async () => {
    const uriIn = async (changes: Partial<CacheKey>, headers?: PlainHeaders) => await asked(changes, headers);
    expect(await uriIn({ digest: fixedDigest, path: "/old.js" })).toMatchObject({ uri: `/my-game/${hash("0")}` });
    expect(await uriIn({ digest: fixedDigest })).toMatchObject({ uri: `/my-game/${hash("b")}` });
    expect(await uriIn({ digest: fixedDigest, path: "/sw.js" })).toMatchObject({ uri: `/my-game/${hash("6")}` });
    const liveAlone = { "x-svc-releases": liveDigest };
    expect(await uriIn({ digest: fixedDigest, path: "/sw.js" }, liveAlone)).toMatchObject({ status: "404" });
  });

  test("looks in the key's release alone where the header of the viewer's function is missing", async () => {
    const request = requestOf(uriOf({ ...key, digest: fixedDigest, path: "/none" }));
    delete request.headers["x-svc-releases"];
    const read = new Set<string>();
    const readManifest = async (digest: string) => manifests.get(read.add(digest) && digest);
    await originRequest(request, () => ({ readManifest, fileKey: String }));
    expect([...read]).toStrictEqual([fixedDigest]);
  });
});

describe("what CloudFront keeps", () => {
  test("of the bucket's response is what the connection needs, and else what the game's is to have", async () => {
    expect(await kept()).toEqual({
      status: "200",
      headers: {
        ...ofConnection,
        ...ofGame,
        "accept-ranges": "bytes",
        "cache-control": "public, max-age=0, must-revalidate, s-maxage=31536000",
        "content-type": "text/javascript; charset=utf-8",
        etag: `"${hash("b")}"`,
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      },
      body: undefined,
    });
  });

  test("is a part or a comparison where the bucket has sent one", async () => {
    const part = { "content-range": "bytes 0-9/100" };
    const { status, headers } = await kept({}, { range: "bytes=0-9" }, ofBucket("206", part));
    expect({ status, range: headers["content-range"] }).toEqual({ status: "206", range: part["content-range"] });
    expect((await kept({}, {}, ofBucket("304"))).status).toBe("304");
  });

  test.each<[string, Partial<CacheKey>, string, number]>([
    ["a file of the key's release a year", {}, "200", 31_536_000],
    ["a file of another release 5 s", { digest: fixedDigest }, "200", 5],
    ["a redirect a year", { path: "/level" }, "302", 31_536_000],
    ["a missing file 5 s", { path: "/none" }, "404", 5],
    ["a missing page 60 s", { path: "/none", purpose: "page" }, "404", 60],
  ])("is %s", async (_, changes, status, seconds) => {
    const response = await kept(changes);
    expect(response).toMatchObject({ status, headers: { "cache-control": expect.stringMatching(/, s-maxage=\d+$/) } });
    expect(response.headers["cache-control"]).toContain(`s-maxage=${seconds}`);
    const { digest = liveDigest } = changes;
    const internal = { release: response.headers["x-svc-release"], tag: response.headers["cache-tag"] };
    expect(internal).toEqual(status === "404" ? {} : { release: digest, tag: "game:my-game" });
  });

  test("of a single-page application is its page where a person opens one, else its page for missing files, whole", async () => {
    const changes: Partial<CacheKey> = { digest: spaDigest, path: "/jane.doe" };
    const ofRelease = { "x-svc-releases": spaDigest, range: "bytes=0-9" };
    const opened = await asked({ ...changes, purpose: "page" }, ofRelease);
    expect(opened).toMatchObject({ uri: `/my-game/${hash("a")}`, headers: { range: expect.anything() } });
    const missing = await asked(changes, ofRelease);
    expect(missing).toMatchObject({ uri: `/my-game/${hash("0")}` });
    expect(missing.headers).not.toHaveProperty("range");
    expect((await kept(changes, ofRelease)).status).toBe("404");
  });

  test("is nothing of a worker's end", async () => {
    const { headers, body } = await kept({ path: "/none.js", purpose: "worker" });
    expect({ kept: headers["cache-control"], body }).toEqual({
      kept: "no-store",
      body: expect.stringContaining("unregister"),
    });
  });

  test("is nothing of a range that does not exist, nor the headers of bytes", async () => {
    expect(await kept({ brotli: true, path: "/plain.js.br" }, { range: "bytes=100-" })).toEqual({
      status: "416",
      headers: {
        "cache-control": "public, max-age=0, must-revalidate",
        "content-range": "bytes */100",
        etag: `"${hash("e")}.br"`,
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      },
      body: "",
    });
  });

  test("has no length of its own where it is generated, because CloudFront counts", async () => {
    for (const path of ["/level", "/none"]) expect((await kept({ path })).headers).not.toHaveProperty("content-length");
  });
});

test("a missing file and a URI that no viewer function made get a page that says where to report", async () => {
  const made = await originRequest(requestOf("/projects/x"), () => {
    throw new Error("It has no project");
  });
  expect(made).toMatchObject({ status: "400", body: expect.stringContaining('"https://example.com/?game="') });
  expect((await kept({ path: "/none" })).body).toContain('"https://example.com/?game=my-game"');
  expect(await asked({ path: "/%" })).toMatchObject({ status: "400" });
});

test.each(["301", "403", "404", "416", "500", "503"])("the bucket's response %s is no file", async (status) => {
  const made = await asked();
  expect("status" in made).toBe(false);
  expect(originResponse(made as CloudFrontRequest, ofBucket(status))).toBeUndefined();
});

test("the bucket's response to a request that no function made is no file", () => {
  expect(originResponse(requestOf("/x"), ofBucket("200"))).toBeUndefined();
});
