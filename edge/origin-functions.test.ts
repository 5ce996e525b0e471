import { describe, expect, test } from "@jest/globals";
import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResponse } from "aws-lambda";
import type { ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import {
  file,
  fixedRelease,
  hash,
  liveRelease,
  manifests,
  previousRelease,
  release,
} from "../test/support/service/sample-game.ts";
import { type CacheKey, uriOf } from "./cache/cache-key.ts";
import {
  gamesDomainHeader,
  type OriginContext,
  originRequest,
  type ProjectFiles,
  reportUrlHeader,
  type ServiceOrigins,
} from "./origin-request.ts";
import { originResponse } from "./origin-response.ts";
import { cardPath } from "./pages/card-agents.ts";

/*
 * The origin's functions by themselves. test/long/journeys/edge-oracle.test.ts has what visitors get of them.
 */

const reportUrl = "https://example.com/?game={slug}";
const key: CacheKey = { site: "my-game", release: liveRelease, purpose: "file", brotli: false, path: "/game.js" };

/** A single-page application with a page of its own for what is missing. */
const spaRelease = "4".repeat(43);
const releases = new Map([
  ...manifests,
  [spaRelease, release({ "index.html": file("a"), "404.html": file("0") }, { spa: true })],
]);

const pointers = new Map([
  ["my-game", `l.${liveRelease}.${previousRelease}..`],
  ["sold", `l.${liveRelease}..mh3k.`],
  ["suspended", "s"],
  ["unpublished", "u"],
]);

type PlainHeaders = Readonly<Record<string, string>>;

function listed(headers: PlainHeaders): CloudFrontHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [{ key: name, value }]]));
}

function plain(headers: CloudFrontHeaders = {}): PlainHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, [field]]) => [name, field?.value ?? ""]));
}

function requestOf(uri: string, headers: PlainHeaders = {}): CloudFrontRequest {
  const s3 = { customHeaders: listed({ [reportUrlHeader]: reportUrl, [gamesDomainHeader]: "games.example.net" }) };
  const release = uri.split("/")[2] ?? "";
  const all = { "x-svc-releases": `${liveRelease}..${release}.${liveRelease}.${previousRelease}`, ...headers };
  return { method: "GET", uri, headers: listed(all), origin: { s3 } } as unknown as CloudFrontRequest;
}

const optionPage = async ({ isolation }: ReleaseSettings, { api, files: store }: ServiceOrigins) => ({
  html: `page at ${api}, ${store}`,
  headers: { "x-isolation": String(isolation) },
});
const offlinePath = "/.well-known/svc/saves";
const optionPages = {
  "/.well-known/svc/profile": { option: "profiles", make: optionPage },
  [offlinePath]: { option: "saves", make: optionPage, isOffline: true },
};

const files: ProjectFiles = {
  readManifest: async (name) => releases.get(name),
  fileKey: String,
  hasCard: async (sha256) => sha256 === hash("4"),
};
const context: OriginContext = {
  filesOf: () => files,
  readPointer: async (site) => pointers.get(site),
  readGame: async (slug) => ({ name: `<${slug}>`, picture: "/my%20cover.png" }),
  makePublicPage: async () => undefined,
  makeCard: async (slug) => (slug === "my-game" ? { html: "card", headers: { "x-card": "1" } } : undefined),
  optionPages,
};

/** The request as the function for requests changes it. */
async function asked(changes: Partial<CacheKey> = {}, headers: PlainHeaders = {}) {
  const request = requestOf(uriOf({ ...key, ...changes }), headers);
  return await originRequest(request, {
    ...context,
    filesOf: (slug) => ({ ...files, fileKey: (sha256) => `${slug}/${sha256}` }),
  });
}

/** Of a game without a pointer, for who has no cookie. */
const noVisit = { visit: "", ownedSince: "" };

/** The response that CloudFront keeps: the generated one, or the bucket's as the function for responses changes it. */
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

const ofGame = { "cache-tag": "game:my-game" };

test("a file that the viewer has causes no request to the bucket, with a range too", async () => {
  for (const range of [{}, { range: "bytes=0-9" }])
    expect(await asked({}, { ...range, "if-none-match": `"x", W/"${hash("b")}"` })).toMatchObject({ status: "304" });
});

describe("the request to the bucket", () => {
  test.each<[string, PlainHeaders, string | undefined]>([
    ["a range", { range: "bytes=0-9" }, "bytes=0-9"],
    ["a range of the same bytes", { range: "bytes=0-9", "if-range": `"${hash("b")}"` }, "bytes=0-9"],
    ["a range of other bytes", { range: "bytes=0-9", "if-range": '"x"' }, undefined],
    ["a range of what the viewer has not", { range: "bytes=0-9", "if-none-match": '"x"' }, "bytes=0-9"],
    ["several ranges", { range: "bytes=0-1,3-4" }, undefined],
  ])("for %s has a range if it is meant", async (_, headers, range) => {
    const made = await asked({}, headers);
    expect(made).toMatchObject({ uri: `/my-game/${hash("b")}` });
    expect(plain(made.headers)["range"]).toBe(range);
  });

  test("for the variant is the variant's", async () => {
    expect(await asked({ brotli: true })).toMatchObject({ uri: `/my-game/${hash("c")}` });
  });

  test("looks in the key's release, then in the live one, then in the one before", async () => {
    const uriIn = async (changes: Partial<CacheKey>, headers?: PlainHeaders) => await asked(changes, headers);
    expect(await uriIn({ release: fixedRelease, path: "/old.js" })).toMatchObject({ uri: `/my-game/${hash("0")}` });
    expect(await uriIn({ release: fixedRelease })).toMatchObject({ uri: `/my-game/${hash("b")}` });
    expect(await uriIn({ release: fixedRelease, path: "/sw.js" })).toMatchObject({ uri: `/my-game/${hash("6")}` });
    const liveAlone = { "x-svc-releases": `${liveRelease}..${fixedRelease}.${liveRelease}` };
    expect(await uriIn({ release: fixedRelease, path: "/sw.js" }, liveAlone)).toMatchObject({ status: "404" });
  });

  test("looks in the key's release alone if the header of the viewer's function is missing", async () => {
    const request = requestOf(uriOf({ ...key, release: fixedRelease, path: "/none" }));
    delete request.headers["x-svc-releases"];
    const read = new Set<string>();
    const readManifest = async (name: string) => manifests.get(read.add(name) && name);
    const readPointer = async () => undefined;
    await originRequest(request, {
      ...context,
      filesOf: () => ({ ...files, readManifest }),
      readPointer,
    });
    expect([...read]).toStrictEqual([fixedRelease]);
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

  test("is a part or a comparison if the bucket has sent one", async () => {
    const part = { "content-range": "bytes 0-9/100" };
    const { status, headers } = await kept({}, { range: "bytes=0-9" }, ofBucket("206", part));
    expect({ status, range: headers["content-range"] }).toEqual({ status: "206", range: part["content-range"] });
    expect((await kept({}, {}, ofBucket("304"))).status).toBe("304");
  });

  const visit = `${liveRelease}..${fixedRelease}.${liveRelease}.${previousRelease}`;
  test.each<[string, Partial<CacheKey>, string, string]>([
    ["a file of the key's release a year", {}, "200", "public, max-age=0, must-revalidate, s-maxage=31536000"],
    ["one of the live release 5 s", { release: fixedRelease }, "200", "public, max-age=0, must-revalidate, s-maxage=5"],
    [
      "nothing of one that this visitor had before",
      { release: fixedRelease, path: "/sw.js" },
      "200",
      "private, max-age=0, must-revalidate",
    ],
    ["a redirect a year", { path: "/level" }, "302", "public, max-age=0, must-revalidate, s-maxage=31536000"],
    ["a missing file 5 s", { path: "/none" }, "404", "public, max-age=5"],
    ["a missing page 5 s", { path: "/none", purpose: "page" }, "404", "public, max-age=5"],
  ])("is %s", async (_, changes, status, control) => {
    const response = await kept(changes, { "x-svc-releases": visit });
    expect(response).toMatchObject({ status, headers: { "cache-control": control } });
    expect(response.headers["cache-tag"]).toBe(status === "404" ? undefined : "game:my-game");
    expect(response.headers).not.toHaveProperty("x-svc-release");
  });

  test("names the release of a page and of a worker's script", async () => {
    for (const purpose of ["page", "worker"] as const)
      expect((await kept({ purpose })).headers["x-svc-release"]).toBe(liveRelease);
  });

  test("is nothing of a missing file that others may get from the release before", async () => {
    const all = { "x-svc-releases": `${liveRelease}.${previousRelease}.${liveRelease}` };
    expect((await kept({ path: "/old.js" }, all)).headers["cache-control"]).toBe("private, max-age=5");
    expect((await kept({ path: "/none" }, all)).headers["cache-control"]).toBe("public, max-age=5");
    // A page comes from the live release alone.
    expect((await kept({ path: "/old.js", purpose: "page" }, all)).headers["cache-control"]).toBe("public, max-age=5");
  });

  test("of a single-page application is its page if a person opens one, else its page for missing files, whole", async () => {
    const changes: Partial<CacheKey> = { release: spaRelease, path: "/jane.doe" };
    const ofRelease = { "x-svc-releases": `${spaRelease}..${spaRelease}`, range: "bytes=0-9" };
    const opened = await asked({ ...changes, purpose: "page" }, ofRelease);
    expect(opened).toMatchObject({ uri: `/my-game/${hash("a")}`, headers: { range: expect.anything() } });
    const missing = await asked(changes, ofRelease);
    expect(missing).toMatchObject({ uri: `/my-game/${hash("0")}` });
    expect(missing.headers).not.toHaveProperty("range");
    expect((await kept(changes, ofRelease)).status).toBe("404");
  });

  test("of a single-page application is kept a year as a page, and 5 s as a file: what is live may have one there", async () => {
    const ofRelease = { "x-svc-releases": `${spaRelease}..${spaRelease}` };
    for (const [purpose, seconds] of [
      ["page", 31_536_000],
      ["file", 5],
    ] as const) {
      const { status, headers } = await kept({ release: spaRelease, path: "/jane", purpose }, ofRelease);
      expect({ status, control: headers["cache-control"] }).toEqual({
        status: "200",
        control: `public, max-age=0, must-revalidate, s-maxage=${seconds}`,
      });
    }
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
        "cache-control": "no-store",
        "content-range": "bytes */100",
        etag: `"${hash("e")}.br"`,
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      },
      body: "",
    });
  });

  test("has no length of its own if it is generated, because CloudFront counts", async () => {
    for (const path of ["/level", "/none"]) expect((await kept({ path })).headers).not.toHaveProperty("content-length");
  });
});

describe("a site of which the key-value store has no pointer", () => {
  const unknown = (changes: Partial<CacheKey> = {}, visit = "", site = "my-game") =>
    kept({ site, release: { visit, ownedSince: "" }, ...changes });

  test("is played as its pointer says, and kept for seconds", async () => {
    const { status, headers } = await unknown({ purpose: "page" });
    expect({ status, headers }).toMatchObject({
      status: "200",
      headers: {
        "cache-control": "public, max-age=0, must-revalidate, s-maxage=5",
        "x-svc-release": liveRelease,
        "x-svc-pointer": pointers.get("my-game"),
      },
    });
    const file = await unknown();
    expect(file.headers["cache-control"]).toBe("public, max-age=0, must-revalidate, s-maxage=5");
    expect(file.headers).not.toHaveProperty("x-svc-pointer");
  });

  test("has visits, but not of releases that the pointer lacks", async () => {
    expect((await unknown({ path: "/old.js" }, previousRelease)).status).toBe("200");
    expect((await unknown({ path: "/old.js" }, fixedRelease)).status).toBe("404");
  });

  test.each([
    ["gone", "404"],
    ["suspended", "410"],
    ["unpublished", "404"],
  ])("that is %s is not played, and nothing is kept", async (site, status) => {
    expect(await unknown({}, "", site)).toMatchObject({ status, headers: { "cache-control": "no-store" } });
  });

  test("that is a preview says that it has ended, and links to its game; a game that is gone does not", async () => {
    const opened = { purpose: "page" } as const;
    const [preview, game] = [await unknown(opened, "", "my-game--12"), await unknown(opened, "", "gone")];
    expect(preview).toMatchObject({ status: "404", headers: { "cache-control": "no-store" } });
    expect(preview.body).toMatch(/This preview has ended.*<a href="\/\/my-game\.games\.example\.net"><b>To the game/s);
    expect(game.body).toContain("There is no game here");
  });

  test("has the paths that are the service's own", async () => {
    const { body } = await unknown({ path: "/.well-known/svc/release" }, previousRelease);
    expect(JSON.parse(body ?? "")).toEqual({ live: liveRelease, visit: previousRelease });
  });

  test("keeps no worker of an earlier owner", async () => {
    const worker = async (ownedSince: string) =>
      (await unknown({ path: "/game.js", purpose: "worker", release: { visit: "", ownedSince } }, "", "sold")).body;
    expect([await worker("old"), await worker("mh3k")]).toEqual([expect.stringContaining("unregister"), undefined]);
  });
});

test("a missing file gets a page that says where to report, a URI that no viewer function made gets a page", async () => {
  const noProject = () => {
    throw new Error("It has no project");
  };
  const made = await originRequest(requestOf("/projects/x"), {
    ...{
      filesOf: noProject,
      readPointer: noProject,
      readGame: noProject,
      makePublicPage: noProject,
      makeCard: noProject,
    },
    optionPages,
  });
  expect(made).toMatchObject({ status: "400", body: expect.stringContaining("This address cannot be read") });
  expect((await kept({ path: "/none", purpose: "page" })).body).toContain('"https://example.com/?game=my-game"');
  expect(await asked({ path: "/%" })).toMatchObject({ status: "400" });
});

describe("a page of ours names the game that is live, and shows its picture", () => {
  const preview = "my-game--0123456789abcdef0123";
  const named = {
    body: expect.stringContaining("<strong><bdi>&lt;my-game&gt;</bdi></strong>"),
    headers: expect.objectContaining({
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:",
    }),
  };

  test.each<[string, Partial<CacheKey>]>([
    ["for what is missing", { path: "/none", purpose: "page" }],
    ["on which it is reported", { path: "/.well-known/svc/report", purpose: "page" }],
    ["the same of which the store has no pointer", { path: "/none", purpose: "page", release: noVisit }],
    ["the same on which it is reported", { path: "/.well-known/svc/report", purpose: "page", release: noVisit }],
  ])("%s", async (_, changes) => {
    const page = await kept(changes);
    expect(page).toMatchObject(named);
    expect(page.body).toContain('<img src="/my%20cover.png" alt=""');
    expect(page.body).toContain('href="https://example.com/?game=my-game"');
  });

  test("kept for a minute where it is reported, until a takedown", async () => {
    expect((await kept({ path: "/.well-known/svc/report", purpose: "page" })).headers).toMatchObject({
      ...{ "cache-control": "public, max-age=60", "cache-tag": "game:my-game" },
    });
  });

  test.each<[string, Partial<CacheKey>]>([
    ["of a preview", { site: preview, path: "/none", purpose: "page" }],
    ["of a preview on which it is reported", { site: preview, path: "/.well-known/svc/report", purpose: "page" }],
    ["that a game fetches", { path: "/none" }],
    ["that a worker's script is fetched for", { path: "/none", purpose: "worker" }],
  ])("but not one %s, for which nothing is read", async (_, changes) => {
    const readGame = () => {
      throw new Error("It was read");
    };
    const made = await originRequest(requestOf(uriOf({ ...key, ...changes })), { ...context, readGame });
    expect(made).toMatchObject({ body: expect.not.stringContaining("my-game&gt;") });
  });

  test("nor if nothing of it may be shown", async () => {
    const uri = uriOf({ ...key, path: "/none", purpose: "page" });
    const made = await originRequest(requestOf(uri), { ...context, readGame: async () => undefined });
    expect(made).toMatchObject({ status: "404", body: expect.not.stringMatching(/<img|<strong/) });
  });
});

test.each(["301", "403", "404", "416", "500", "503"])(
  "the bucket's response %s is not sent as a file",
  async (status) => {
    const made = await asked();
    expect("status" in made).toBe(false);
    expect(originResponse(made as CloudFrontRequest, ofBucket(status))).toBeUndefined();
  },
);

test("the bucket's response to a request that no function made is not sent as a file", () => {
  expect(originResponse(requestOf("/x"), ofBucket("200"))).toBeUndefined();
});

describe("the page of an option", () => {
  const path = "/.well-known/svc/profile";
  const both = {
    "x-svc-api": "https://api.example",
    "x-svc-files": "https://files.example",
    "x-svc-option-pages": `${path} ${offlinePath}`,
  };
  const made = async (changes: Partial<CacheKey>, settings: PlainHeaders = both) => {
    const request = requestOf(uriOf({ ...key, purpose: "page", path, ...changes }));
    Object.assign(request.origin?.s3?.customHeaders ?? {}, listed(settings));
    const response = await originRequest(request, context);
    return "status" in response ? { ...response, headers: plain(response.headers) } : undefined;
  };
  const visitor = { visit: "", ownedSince: "" };

  test("begins a visit of its release, and sends to the stage's API", async () => {
    expect(await made({})).toMatchObject({
      status: "200",
      body: "page at https://api.example, https://files.example",
      headers: {
        "x-isolation": "false",
        "x-svc-release": liveRelease,
        "cache-tag": "game:my-game",
        "cache-control": "no-cache, s-maxage=60",
      },
    });
  });

  test("of a preview is there too, and of a game whose pointer the store lacks, with that pointer", async () => {
    expect(await made({ site: "my-game--0123456789abcdef0123" })).toMatchObject({ status: "200" });
    expect(await made({ release: visitor })).toMatchObject({
      status: "200",
      headers: { "x-svc-release": liveRelease, "x-svc-pointer": pointers.get("my-game") },
    });
    expect(await made({ site: "suspended", release: visitor })).toMatchObject({ status: "410" });
  });

  test("is there while nothing is live, without a visit, if the option says so", async () => {
    const offline = { site: "unpublished", release: visitor };
    const page = await made({ ...offline, path: offlinePath });
    expect(page).toMatchObject({ status: "200", body: "page at https://api.example, https://files.example" });
    expect(page?.headers).not.toHaveProperty("x-svc-release");
    expect((await made({ path: offlinePath }))?.headers).not.toHaveProperty("x-svc-release");
    expect((await made(offline))?.status).toBe("404");
    // Their games are not those of this origin any more.
    expect((await made({ ...offline, path: offlinePath, site: "suspended" }))?.status).toBe("410");
    expect((await made({ ...offline, path: offlinePath, site: "never-made" }))?.status).toBe("404");
  });

  test("that a stage leaves out is not there, whatever is live", async () => {
    const onlyOther = { ...both, "x-svc-option-pages": path };
    for (const changes of [{}, { release: visitor }, { site: "unpublished", release: visitor }])
      expect((await made({ ...changes, path: offlinePath }, onlyOther))?.status).toBe("404");
    expect((await made({}, onlyOther))?.status).toBe("200");
  });

  test("is none of a service without an API's origin, and ends a worker", async () => {
    expect(await made({}, { "x-svc-option-pages": path })).toMatchObject({ status: "404" });
    expect((await made({ purpose: "worker" }))?.body).toContain("unregister");
  });
});

describe("the card", () => {
  const path = cardPath;
  const visitor = { visit: "", ownedSince: "" };

  test("is kept at the edge for a minute, and nowhere else", async () => {
    expect(await kept({ path })).toMatchObject({
      status: "200",
      headers: {
        ...ofGame,
        "cache-control": "public, max-age=0, must-revalidate, s-maxage=60",
        "content-type": "text/html; charset=utf-8",
        "x-card": "1",
      },
      body: "card",
    });
    expect(await kept({ path, release: visitor })).toMatchObject({ status: "200", body: "card" });
  });

  test("is the page itself if that has one, and what players get if there is no page", async () => {
    expect(await asked({ path, release: previousRelease })).toMatchObject({ uri: `/my-game/${hash("4")}` });
    expect(await kept({ path, release: fixedRelease })).toMatchObject({ status: "200", body: undefined });
    expect(await kept({ path, release: "9".repeat(43) }, { "x-svc-releases": "" })).toMatchObject({ status: "404" });
  });

  test.each<[string, Partial<CacheKey>, string]>([
    ["a game that a visitor finds suspended", { site: "suspended", release: visitor }, "410"],
    ["a game that is offline", { site: "unpublished", release: visitor }, "404"],
    ["a preview", { site: "my-game--0123456789abcdef0123" }, "404"],
    ["a path in another spelling", { release: "~abcdefgh" }, "404"],
    ["a game that the table knows to have nothing to play", { site: "sold" }, "404"],
  ])("is none of %s", async (_, changes, status) => {
    const made = await kept({ path, ...changes });
    expect(made).toMatchObject({ status });
    expect(made.body).not.toBe("card");
  });

  test("ends a worker", async () => {
    expect((await kept({ path, purpose: "worker" })).body).toContain("unregister");
  });
});
