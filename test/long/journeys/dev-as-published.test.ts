import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { conditionRows } from "../../games/condition-rows.ts";
import { folder } from "../../games/http-row.ts";
import { pathRows } from "../../games/path-rows.ts";
import { rangeRows } from "../../games/range-rows.ts";
import { startDev } from "../../support/cli/dev.ts";
import { type GameResponse, type Play, play, sendTo } from "../../support/service/play.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { useServers } from "../../support/service/suite.ts";

const keep = useServers();
const user = usePublishingUser();

const script = "let score = 0;".repeat(1_000);
const files = { ...folder, "assets/large.js": script, "raw/level.json.gz": "{}", "not-brotli.txt.br": "text" };

const asked: readonly Play[] = [
  ...[...pathRows, ...rangeRows, ...conditionRows].map(({ request }) => request),
  ...["/assets/large.js", "/raw/level.json.gz", "/not-brotli.txt.br", "/none", "/none.js", "/level"].flatMap((path) => [
    { path },
    { path, method: "HEAD" },
    { path, headers: { "accept-encoding": "br" } },
    { path, headers: { "sec-fetch-dest": "document" } },
    { path, headers: { "service-worker": "script" } },
    { path, headers: { range: "bytes=1-1" } },
  ]),
];

/** The link of the operator, who is not there. */
const reportLink = /<p><a href="mailto:abuse@[^<]*<\/a>/;
/** The game's name on our pages: a folder has none. */
const gameName = /<strong><bdi>[^<]*<\/bdi><\/strong><br>/;

/**
 * Parts that must be the same. The digest in the visit's cookie is another one; a Brotli copy may be compressed less. CloudFront adds
 * headers of its own, and to a response of 400 or more those that its functions would take off; a 304 of the origin's function is private
 * (test/long/journeys/edge-oracle.test.ts).
 */
function comparable({ status, headers, body }: GameResponse) {
  const names = [
    "date",
    "connection",
    "keep-alive",
    "age",
    "x-cache",
    "x-svc-release",
    "cache-tag",
    "transfer-encoding",
    // Browsers report no crash by http, and a folder has no release.
    "reporting-endpoints",
  ];
  const others = Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
  const isCopy = others["content-encoding"] === "br" && others["vary"] === "Accept-Encoding";
  const isOwnPage = String(others["content-security-policy"]).startsWith("default-src 'none'");
  const bytes = isCopy && body.length > 0 ? brotliDecompressSync(body) : body;
  return {
    status,
    headers: {
      ...others,
      "cache-control": String(others["cache-control"])
        .replace(/, s-maxage=\d+/, "")
        .replace("private", "public"),
      "set-cookie": String(others["set-cookie"] ?? "").replace(/=[\w-]+;/, "=digest;"),
      ...(isCopy && { etag: "copy" }),
      ...((isCopy || isOwnPage || body.length === 0) && { "content-length": "any" }),
    },
    body: bytes.toString("latin1").replace(reportLink, "").replace(gameName, ""),
  };
}

test.each([
  ["without settings", "", {}],
  ["isolated, with routes", 'isolation = true\nspa = true\nimmutable = ["assets/**"]\n', {}],
  ["isolated, because its build has threads", "", { "threads.js": "new SharedArrayBuffer(1)" }],
  ["with a 404.html", 'isolation = "credentialless"\nraw = ["raw/**"]\n', { "404.html": "<h1>lost" }],
])("svc dev responds as the published game does: %s", async (_, settings, more) => {
  user.write({ ...files, ...more, "svc.toml": settings });
  const { code, stdout } = await user.svc(["publish", "--project", user.slug], { cwd: `${user.person.home}/game` });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  const dev = await keep(startDev(user.person, ["--no-reload"]));
  for (const request of asked) {
    const [published, served] = await Promise.all([
      play(user.service, user.slug, request),
      sendTo(dev.origin, "localhost", request),
    ]);
    expect({ request, ...comparable(served) }).toEqual({ request, ...comparable(published) });
  }
});
