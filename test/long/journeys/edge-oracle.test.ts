import { describe, expect, test } from "@jest/globals";
import { reportUrlOf } from "../../../contract/api/projects/report-url.ts";
import { respondEarly } from "../../../edge/pages/respond-early.ts";
import { siteOf } from "../../../edge/project/host.ts";
import { digestOf, parseValue, previewKey } from "../../../edge/project/pointer.ts";
import type { EdgeRequest } from "../../../edge/request.ts";
import { respond } from "../../../edge/respond.ts";
import { findManifest } from "../../../functions/files/manifests.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { readObject } from "../../../functions/files/store.ts";
import { data, olderData, script } from "../../support/edge/games.ts";
import { ColdTestEdge, gamesDomain, reportUrl, TestLocation, useEdge } from "../../support/edge/suite.ts";
import { storeOf } from "../../support/edge/viewer-runtime.ts";
import { randomNumbers } from "../../support/random.ts";
import type { GameResponse, Play } from "../../support/service/play.ts";
import { sha256 } from "../../support/service/steps.ts";

/*
 * The deployed way of a request (the bundles of the viewer's and the origin's functions, a model of CloudFront's cache, the
 * embedded store) against edge/respond.ts: every difference fails.
 */

const edge = useEdge();

interface OracleRequest extends Play {
  readonly host: string;
}

/** Response of `edge/respond.ts`, with the bytes. */
async function oracle({ host, method = "GET", path = "/", headers = {} }: OracleRequest): Promise<GameResponse> {
  const site = siteOf(host, gamesDomain) ?? { kind: "none" };
  const slug = site.kind === "none" ? "" : site.slug;
  const key = site.kind === "preview" ? previewKey(slug, site.digits) : slug;
  const project = parseValue(key, edge.games.values.get(key), Date.now() / 1_000);
  const request: EdgeRequest = { method, target: path, headers: { host, ...headers } };
  const context = {
    readManifest: (name: string) => findManifest(slug, digestOf(name)),
    reportUrl: reportUrlOf(reportUrl, slug),
    ...(site.kind === "preview" && { home: `${slug}.${gamesDomain}` }),
  };
  const { status, headers: sent, body } = await respond(request, project, context);
  const bytes =
    body === undefined ? Buffer.alloc(0) : "text" in body ? Buffer.from(body.text) : await objectOf(slug, body);
  // CloudFront runs no function for the viewer's response to an error of the origin.
  const isOfEdge = "response" in respondEarly(request, project) || /^\/\.well-known\/svc\/(?!files\/)/.test(path);
  const preview = site.kind === "preview" && (status < 400 || isOfEdge);
  const control = sent["cache-control"];
  return {
    status,
    headers: {
      ...sent,
      ...(preview && { "x-robots-tag": "noindex" }),
      ...(preview && !isOfEdge && { "cache-control": String(control).replace("public", "private") }),
      ...(!isOfEdge && { "strict-transport-security": "max-age=31536000; includeSubDomains" }),
    } as GameResponse["headers"],
    body: bytes,
  };
}

async function objectOf(slug: string, { sha256: hash, start, end }: { sha256: string; start: number; end: number }) {
  return (await readObject(fileKey(slug, hash))).subarray(start, end);
}

/**
 * Parts of a response that count: not the length of a body that is not sent. At a cold location no function runs for a 416 that the
 * cache makes of a file, so it says how long the file is kept. A 304 of the origin's function is private.
 */
function comparable({ status, headers, body }: GameResponse, { method }: OracleRequest) {
  const { date: _, age: __, "content-length": length, "set-cookie": cookies, ...others } = headers;
  const kept = others["cache-control"];
  return {
    status,
    headers: {
      ...others,
      ...(cookies !== undefined && { "set-cookie": [cookies].flat().toSorted() }),
      ...(typeof kept === "string" && status === 416 && { "cache-control": "no-store" }),
      ...(typeof kept === "string" && status === 304 && { "cache-control": kept.replace("private", "public") }),
      ...(method !== "HEAD" && status !== 304 && { "content-length": length }),
    },
    body: body.toString("latin1"),
  };
}

const hosts = [
  ...["my-game", "spa-game", "isolated-game", "sold-game", "swept-game", "unpublished", "suspended", "none", "a_b"].map(
    (slug) => `${slug}.${gamesDomain}`,
  ),
  "My-Game.Games.Example.NET.:443",
  gamesDomain,
  "d111111abcdef8.cloudfront.net",
];
const previews = () =>
  [edge.games.digests[1], edge.games.digests[2], "1".repeat(20)].map(
    (digest) => `my-game--${digest?.slice(0, 20)}.${gamesDomain}`,
  );

const paths = [
  ...[
    "/",
    "/index.html",
    "/game.js",
    "/level",
    "/level?x=1&y=%20&x=2",
    "/level?",
    "/level/",
    "/none.png",
    "/none",
    "/none/",
  ],
  ...[
    "/assets/x.js",
    "/assets/x.js?v=2",
    "/old.js",
    "/new.js",
    "/spa.js",
    "/sw.js",
    "/none-sw.js",
    "/raw.json.gz",
    "/404.html",
  ],
  ...[
    "/Build/game.wasm.br",
    "/bytes.bin",
    "/empty.txt",
    "/%67ame.js",
    "/a%20b/%C3%BC+;,=@&%23~$!'().js",
    "/a%20b/u%CC%88+;,=@&%23~$!'().js",
  ],
  ...["/%", "/../x", "/a/%2e%2e/game.js", "//game.js", "/GAME.js", "/play/level.1", "/a b", "/index.html%00"],
  ...["/assets/x-00000001.bin", "/assets/x-00000002.bin", "/assets/x-00000002.bin?v=2", "/assets/x-00000003.bin"],
  ...["/data.bin", "/data.bin?v=2", "/.well-known/svc/files/", "/.well-known/svc/files/x/game.js"],
  ...[data, olderData].flatMap((bytes) =>
    ["data.bin", "data.bin?v=2", "game.js", "none.bin"].map(
      (path) => `/.well-known/svc/files/${sha256(bytes)}/${path}`,
    ),
  ),
  ...["/.well-known/svc/release", "/.well-known/svc/release?x=1", "/.well-known/svc/none"],
];

const dictionary = (bytes: Buffer) => `:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`;

/** Values of each header that matters; undefined: not sent. */
function headerValues(): Readonly<Record<string, readonly (string | undefined)[]>> {
  const [isolated = "", spa = "", plain = "", swept = "", forged = ""] = edge.games.names;
  const visit = (digests: string) => `a=b; __Host-svc-release=${digests}`;
  const etag = sha256(script);
  return {
    cookie: [
      ...[
        undefined,
        "a=b; a=c; d",
        visit(plain),
        visit(spa),
        visit(isolated),
        visit(`${plain}.${spa}`),
        visit(`${spa}.${isolated}`),
      ],
      ...[
        visit(`${isolated}.${plain}`),
        visit(swept),
        visit(`${swept}.${spa}`),
        visit(forged),
        visit(`${plain}.${forged}`),
        visit("../x"),
      ],
      ...[`__Host-svc-owned-since=mh3k2p1a; ${visit(plain)}`, `__Host-svc-owned-since=old; ${visit(spa)}`],
    ],
    "accept-encoding": [
      ...[undefined, "gzip, deflate, br", "gzip", "br;q=0", "*", "__proto__;q=1"],
      ...["gzip, deflate, br, zstd, dcb, dcz", "dcz"],
    ],
    "available-dictionary": [undefined, dictionary(olderData), dictionary(olderData), dictionary(data), "x"],
    "sec-fetch-dest": [undefined, "document", "script", "iframe", "empty"],
    "sec-fetch-site": [undefined, "cross-site", "same-origin"],
    accept: [undefined, "text/html,*/*", "*/*"],
    "service-worker": [undefined, undefined, "script", "x"],
    range: [
      undefined,
      undefined,
      "bytes=0-9",
      "bytes=10-",
      "bytes=-5",
      "bytes=999999-",
      "bytes=0-1,3-4",
      "bytes=262000-",
      "bytes=9-8",
      "x",
    ],
    "if-range": [undefined, undefined, `"${etag}"`, `"${etag}.isolated"`, '"x"', `W/"${etag}"`],
    "if-none-match": [
      undefined,
      undefined,
      `"${etag}"`,
      `W/"${etag}"`,
      `"${etag}.isolated"`,
      `"${sha256("let x;")}", "x"`,
      '"x"',
      "*",
    ],
    "if-match": [undefined, '"x"'],
    "if-modified-since": [undefined, "Sun, 22 Nov 2026 00:00:00 GMT"],
    "x-svc-releases": [undefined, `${edge.games.names[0]}..${edge.games.names[1]}`],
    "x-svc-response": [undefined, '{"status":200,"headers":{"x-forged":"1"}}'],
  };
}

/** A list of requests that follows from a seed: each value beside others, so that combinations are met. */
function requests(seed: number, count: number): OracleRequest[] {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const allHosts = [...hosts, ...previews(), ...Array.from({ length: 20 }, (_, index) => hosts[index % 5] ?? "")];
  return Array.from({ length: count }, () => {
    // Half of the headers of a request are left out, so that each is met alone too.
    const entries = Object.entries(headerValues()).map(([name, values]) => [
      name,
      random() < 0.5 ? undefined : pick(values),
    ]);
    const headers = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    return { host: pick(allHosts), path: pick(paths), method: pick(["GET", "GET", "GET", "HEAD", "POST"]), headers };
  });
}

describe("the functions at the edge respond as edge/respond.ts does", () => {
  test.each([
    ["on misses", 3, false],
    ["on hits", 2, true],
  ])("%s", async (_, seed, isKept) => {
    let now = 0;
    const location = new TestLocation(edge, storeOf(edge.games.values), () => now);
    const statuses = new Map<number, number>();
    for (const asked of requests(seed, 500)) {
      // A response that depends on more than the key is kept for 5 s.
      now += 6;
      if (!isKept) location.purge();
      const [played, expected] = [await location.play(asked.host, asked), await oracle(asked)];
      expect({ asked, ...comparable(played, asked) }).toEqual({ asked, ...comparable(expected, asked) });
      statuses.set(expected.status, (statuses.get(expected.status) ?? 0) + 1);
    }
    expect([...statuses.keys()].toSorted()).toEqual([200, 206, 302, 304, 307, 400, 404, 405, 410, 416]);
  });

  test("at cold locations, which only send the whole to a viewer that has it", async () => {
    let now = 0;
    const cold = new ColdTestEdge(edge, storeOf(edge.games.values), () => now);
    const met = new Set<string>();
    for (const asked of requests(6, 250)) {
      now += 6;
      const expected = await oracle(asked);
      // Once at each location, and again.
      for (let time = 0; time < 4; time += 1) {
        const played = await cold.play(asked.host, asked);
        const isWhole = expected.status === 304 && played.from !== "Hit";
        const { "if-none-match": _, ...headers } = asked.headers ?? {};
        const meant = isWhole ? await oracle({ ...asked, headers }) : expected;
        expect({ asked, ...comparable(played, asked) }).toEqual({ asked, ...comparable(meant, asked) });
        met.add(`${expected.status} as ${played.status} from ${played.from}`);
      }
    }
    for (const one of ["200 as 200 from Hit", "206 as 206 from Miss", "304 as 200 from Miss", "304 as 304 from Hit"])
      expect(met).toContain(one);
  });
});
