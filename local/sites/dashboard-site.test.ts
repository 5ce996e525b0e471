import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";
import { expect, test } from "@jest/globals";
import { imageSizeOf } from "../../contract/folder/image-size.ts";
import { pageOf } from "../../dashboard/site.ts";
import { startService } from "../../test/support/service/service.ts";
import { useService } from "../../test/support/service/suite.ts";

const service = useService();

/** A request as a browser sends it to the dashboard's host, which Node's resolver may not know. */
function visit(
  path: string,
  method = "GET",
  host = new URL(service.dashboard).host,
  more: Record<string, string> = {},
  from = service,
) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const sent = request({ port: new URL(from.api).port, path, method, headers: { host, ...more } }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on("error", reject).end();
  });
}

test("every view gets the same page, with a policy against frames and foreign scripts", async () => {
  for (const path of ["/", "/tokens", "/projects/my-game", "/signed-in?code=x"]) {
    const { status, headers, body } = await visit(path);
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    expect(body).toContain('<div id="root">');
    expect(headers).toMatchObject({
      "cache-control": "no-cache",
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    expect(String(headers["content-security-policy"]).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "worker-src 'self'",
      "style-src 'self'",
      `img-src 'self' https: http://*.${service.gamesDomain}`,
      `connect-src 'self' ${service.api} ${service.issuer} ${service.s3Endpoint} https://api.github.com https://gitlab.com`,
      "frame-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types svc-worker",
    ]);
  }
});

test("the page learns its API and its identity provider from its configuration", async () => {
  const { headers, body } = await visit("/configuration.json");
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body)).toEqual({
    api: service.api,
    stage: "local",
    commandLine: `${service.api}/svc.tgz`,
    maxTokenDays: 365,
    games: `http://{slug}.${service.gamesDomain}/`,
    jobIssuers: { github: ["https://token.actions.githubusercontent.com"], gitlab: ["https://gitlab.com"] },
    identityProvider: { kind: "openIdConnect", issuer: service.issuer, clientId: service.audience },
  });
});

test("the page has its configuration in it, as data that no browser runs and no value of it can leave", async () => {
  const { body } = await visit("/projects/a");
  const [, data = ""] = /<script type="application\/json" id="configuration">(.*?)<\/script>/.exec(body) ?? [];
  expect(JSON.parse(data)).toEqual(JSON.parse((await visit("/configuration.json")).body));
  const operator = { name: "</script><script>alert(1)</script> $& $1" };
  const identityProvider = { kind: "openIdConnect", issuer: "https://a.example", clientId: "a" } as const;
  const configuration = { api: "https://a.example", stage: "a", commandLine: "svc", operator, identityProvider };
  const page = pageOf('<script id="configuration">null</script>', { origin: "https://b.example", configuration });
  const [, hostile = ""] = /^<script id="configuration">([^<]*)<\/script>$/.exec(page) ?? [];
  expect(JSON.parse(hostile)).toEqual(configuration);
});

test("beside the emulator of Firebase Authentication the page signs in with Firebase's library", async () => {
  const env = { IDP_AUTH_EMULATOR_HOST: "127.0.0.1:9099", IDP_AUDIENCE: "demo-game" };
  const beside = await startService({ env });
  try {
    const { headers, body } = await visit("/configuration.json", "GET", new URL(beside.dashboard).host, {}, beside);
    expect(JSON.parse(body).identityProvider).toEqual({
      kind: "firebase",
      apiKey: "emulator",
      authDomain: "demo-game.firebaseapp.com",
      projectId: "demo-game",
      emulator: "http://127.0.0.1:9099",
    });
    expect(headers["content-security-policy"]).toContain("https://securetoken.googleapis.com http://127.0.0.1:9099");
  } finally {
    await beside.stop();
  }
});

test.each([
  ["/icon.svg", "image/svg+xml", "<svg"],
  ["/favicon.ico", "image/vnd.microsoft.icon", "\0\0"],
  ["/apple-touch-icon.png", "image/png", "PNG"],
  ["/robots.txt", "text/plain; charset=utf-8", "Disallow: /projects/"],
])("%s, which programs ask for without a link, is there", async (path, type, part) => {
  const { status, headers, body } = await visit(path);
  expect([status, headers["content-type"]]).toEqual([200, type]);
  expect(body).toContain(part);
});

test("a link to the page has a card in chats, with a picture that its whole URL leads to", async () => {
  const { body } = await visit("/");
  const tag = (name: string) => new RegExp(`<meta property="og:${name}" content="([^"]*)">`).exec(body)?.[1];
  expect(tag("image")).toBe(new URL("/card.png", service.dashboard).href);
  const { status, headers } = await visit("/card.png");
  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "image/png" });
  const size = imageSizeOf(await readFile("build/dashboard/card.png"));
  expect({ width: tag("image:width"), height: tag("image:height") }).toEqual({
    width: String(size?.width),
    height: String(size?.height),
  });
});

test.each([
  ["/llms.txt", "text/plain; charset=utf-8"],
  ["/SKILL.md", "text/markdown; charset=utf-8"],
])(
  "%s has this service's URLs and its command line's help, on the dashboard's host and on the API's",
  async (path, type) => {
    for (const host of [new URL(service.dashboard).host, new URL(service.api).host]) {
      const { status, headers, body } = await visit(path, "GET", host);
      expect([status, headers["content-type"]]).toEqual([200, type]);
      expect(body).toContain(`npm install --global ${service.api}/svc.tgz\n`);
      expect(body).toContain(`export SVC_API=${service.api}\n`);
      expect(body).toMatch(/^- `svc projects create`: \S/m);
      expect(body).not.toMatch(/example/);
    }
  },
);

test.each(["/", "/help/cli.html"])(
  "the page %s has a description, and a colour of the browser's bar in both schemes",
  async (path) => {
    const { body } = await visit(path);
    expect(body).toMatch(/<meta name="description" content="[^"{]{20,}">/);
    expect(
      body.match(/<meta name="theme-color" content="#[0-9a-f]{6}" media="\(prefers-color-scheme: (light|dark)\)">/g),
    ).toHaveLength(2);
  },
);

test("the first view takes at most 7 requests and 65 kB", async () => {
  const { body } = await visit("/");
  const paths = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(paths).toContain("/icon.svg");
  expect(1 + paths.length).toBeLessThanOrEqual(7);
  const bodies = [body, ...(await Promise.all(paths.map(async (path) => (await visit(path)).body)))];
  // Everything that the script imports is named by the page too, or it would be found late.
  const imported = bodies.flatMap((text) =>
    [...text.matchAll(/from"\.(\/[^"]+)"/g)].map(([, path]) => `/assets${path}`),
  );
  expect(paths).toEqual(expect.arrayContaining(imported));
  const compressed = bodies.map((text) =>
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  );
  expect(compressed.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(65_000);
});

test("assets are cached for a year", async () => {
  const asset = /\/assets\/dashboard-\w+\.js/.exec((await visit("/")).body)?.[0] ?? "";
  const { status, headers } = await visit(asset);
  expect({ status, cache: headers["cache-control"] }).toEqual({
    status: 200,
    cache: "public, max-age=31536000, immutable",
  });
});

test("the command line's package is also where its digest names it, for good", async () => {
  const packed = Buffer.from(await (await fetch(`${service.api}/svc.tgz`)).arrayBuffer());
  const pinned = await fetch(`${service.api}/assets/svc-${hash("sha256", packed)}.tgz`);
  expect(pinned.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(Buffer.from(await pinned.arrayBuffer()).equals(packed)).toBe(true);
});

test("a game has its own files where other hosts have the command line's package", async () => {
  expect((await visit("/svc.tgz", "GET", `no-such-game.${service.gamesDomain}`)).status).toBe(404);
});

test("a browser that accepts Brotli gets it", async () => {
  const { host } = new URL(service.dashboard);
  const { headers, body } = await visit("/", "GET", host, { "accept-encoding": "gzip, br" });
  expect(headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
  expect(body).not.toContain("<div");
  expect((await visit("/")).headers).not.toHaveProperty("content-encoding");
});

test.each([
  ["GET", "/missing.js", 404],
  ["GET", "/../functions/meta.json", 404],
  ["GET", "/assets/..%2f..%2f..%2fpackage.json", 404],
  ["POST", "/", 405],
])("%s %s responds with %i", async (method, path, status) => {
  expect((await visit(path, method)).status).toBe(status);
});

test("the API's own host has no dashboard", async () => {
  expect((await visit("/tokens", "GET", new URL(service.api).host)).status).toBe(401);
});
