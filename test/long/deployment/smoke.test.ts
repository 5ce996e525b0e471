import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { folder, playFolder, readFolder } from "../../../infra/smoke/smoke-games.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { runProgram } from "../../support/program.ts";
import { actorsOf, type TokenActor } from "../../support/service/actors.ts";
import { useServers, useService } from "../../support/service/suite.ts";

// Its commands name a project of their own, which may be created once.
const service = useService({});
const counting = useService({ env: { GAMES_STORE_ENDPOINT: undefined } });
const start = useServers();
const smokeProject = "svc-smoke";
let token: TokenActor;

beforeAll(async () => {
  const developer = await actorsOf(service).developer();
  await developer.post("/projects", { slug: smokeProject });
  token = await developer.token({ scopes: ["publish"] });
});

function smoke(args: string[], env: Record<string, string | undefined>) {
  return runProgram("programs/smoke.ts", args, env);
}

test("a stage that works passes every check, and the token is not printed", async () => {
  const environment = { SVC_TOKEN: token.credential, SVC_ISSUER: service.issuer };
  const { code, stdout, stderr } = await smoke([service.api], environment);
  expect({ code, stderr, failed: stdout.match(/FAILED.*/g) }).toEqual({ code: 0, stderr: "", failed: null });
  expect(stdout).toContain("  ok      it plays at its own host");
  expect(stdout.match(/^ {2}ok /gm)?.length).toBe(8);
  expect(stdout).not.toContain(token.credential);
});

test("a stage that counts what players get passes too, and leads from the API to the game's own host", async () => {
  const developer = await actorsOf(counting).developer();
  await developer.post("/projects", { slug: smokeProject });
  const { credential } = await developer.token({ scopes: ["publish"] });
  const { code, stdout } = await smoke([counting.api], { SVC_TOKEN: credential });
  expect({ code, failed: stdout.match(/FAILED.*/g) }).toEqual({ code: 0, failed: null });
});

test("a token that was revoked fails the check that needs it, and the others still run", async () => {
  const developer = await actorsOf(service).developer();
  const revoked = await developer.token();
  await developer.delete(`/tokens/${revoked.id}`);
  const { code, stdout } = await smoke([], { SVC_API: service.api, SVC_TOKEN: revoked.credential });
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED {2}the token authenticates its owner: svc whoami: .*revoked/);
  expect(stdout).toContain("ok      a request without a credential is refused");
});

test("a stage behind API Gateway, which renames the challenge, passes too", async () => {
  const server = startHttpServer(async ({ method = "", url, headers: { authorization } }, response) => {
    const received = await fetch(service.api + url, { method, headers: authorization ? { authorization } : {} });
    for (const [name, value] of received.headers)
      response.setHeader(name === "www-authenticate" ? "x-amzn-remapped-www-authenticate" : name, value);
    response.writeHead(received.status).end(await received.bytes());
  });
  const { endpoint } = await start(server);
  const { stdout } = await smoke([endpoint], { SVC_TOKEN: token.credential });
  expect(stdout).toContain("ok      a request without a credential is refused");
});

test("another server fails every check", async () => {
  const { endpoint } = await start(startHttpServer((_, response) => response.end("hello")));
  const { code, stdout } = await smoke([endpoint], { SVC_TOKEN: token.credential });
  expect(code).toBe(1);
  expect(stdout).not.toContain("  ok ");
});

test("an API that does not work yet is named while it is waited for", async () => {
  let asked = 0;
  const { endpoint } = await start(
    startHttpServer(({ url }, response) => {
      if (url === "/health") asked += 1;
      response.writeHead(asked <= 3 ? 503 : 200).end("hello");
    }),
  );
  const { stdout } = await smoke([endpoint], { SVC_TOKEN: token.credential });
  expect(stdout).toContain(`\n  waiting until ${endpoint}/health, which responds with 503, responds with 200\n`);
});

test.each([
  [[], { SVC_API: undefined }, /^Say which API\. Usage: npm run smoke -- https:.*\n$/],
  [["--bogus"], {}, /^Say which API\. Usage: npm run smoke -- https:.*\n$/],
  [
    ["http://127.0.0.1:1"],
    { SVC_TOKEN: "pat_mistyped" },
    /^Put a personal access token of the stage into SVC_TOKEN\.\n$/,
  ],
])("%j with %j is wrong usage", async (args, env, sentence) => {
  expect(await smoke(args, env)).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(sentence) });
});

test("--help says how it is called", async () => {
  expect(await smoke(["--help"], {})).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Usage: npm run smoke/),
    stderr: "",
  });
});

test("the second run publishes nothing new", async () => {
  const live = () => token.get(`/projects/${smokeProject}`).then(({ body }) => body.current_release?.id);
  await smoke([service.api], { SVC_TOKEN: token.credential });
  const before = await live();
  expect(before).toEqual(expect.any(String));
  const { code } = await smoke([service.api], { SVC_TOKEN: token.credential });
  expect({ code, release: await live() }).toEqual({ code: 0, release: before });
});

test("a token whose owner has no smoke project, and another issuer than the provider's, fail with what to do", async () => {
  const other = await actorsOf(service).token("publish");
  const { code, stdout } = await smoke([service.api], {
    SVC_TOKEN: other.credential,
    SVC_ISSUER: `${service.issuer}/`,
  });
  expect(code).toBe(1);
  expect(stdout).toContain(
    "FAILED  a fixed folder is published: svc publish: error: You have no project with this address",
  );
  expect(stdout).toContain("next: svc projects list shows yours; svc projects create");
  expect(stdout).toContain(`it names ${service.issuer}, and the stage expects ${service.issuer}/`);
});

describe("playing", () => {
  /** Check of a games host that is wrong in one thing. */
  async function playedWith(change: (path: string, response: ServerResponse) => boolean) {
    const { endpoint } = await start(
      startHttpServer(({ url = "", headers }, response) => {
        const path = decodeURIComponent(url);
        if (change(path, response)) return;
        const bytes = folder[path === "/" ? "index.html" : path.slice(1)];
        if (bytes === undefined) return response.writeHead(404).end();
        response.setHeader("etag", `"${createHash("sha256").update(bytes).digest("hex")}"`);
        if (path === "/") response.setHeader("set-cookie", "__Host-svc-release=x");
        if (headers["if-none-match"]) return response.writeHead(304).end();
        return headers.range ? response.writeHead(206).end(bytes.subarray(3, 6)) : response.end(bytes);
      }),
    );
    const url = `${endpoint.replace("127.0.0.1", "svc-smoke.localhost")}/`;
    return (await playFolder(url, { attempts: 1, milliseconds: 0 }))?.replace(/^[^:]+:\d+: /, "");
  }

  test("a host that does everything right passes", async () => {
    expect(await playedWith(() => false)).toBeUndefined();
  });

  const at =
    (wanted: string, does: (response: ServerResponse) => unknown) => (path: string, response: ServerResponse) => {
      if (path !== wanted) return false;
      does(response);
      return response.writableEnded;
    };

  test.each([
    ["/ has other bytes", at("/", (response) => response.end("other"))],
    ["/ responded with 503", at("/", (response) => response.writeHead(503).end())],
    ["/ sets no cookie", at("/", (response) => response.end(folder["index.html"]))],
    ["/ has the header x-svc-release", at("/", (response) => response.setHeader("x-svc-release", "1"))],
    ["/ has the header x-amz-request-id", at("/", (response) => response.setHeader("x-amz-request-id", "1"))],
    ["/data.bin has other bytes", at("/data.bin", (response) => response.end("other"))],
    [
      "/data.bin has the ETag s3",
      at("/data.bin", (response) => response.setHeader("etag", "s3").end(folder["data.bin"])),
    ],
    ["/a+b;c/d%20e.js responded with 403", at("/a+b;c/d e.js", (response) => response.writeHead(403).end())],
    ["/no-such-file.js responded with 200", at("/no-such-file.js", (response) => response.end("found"))],
  ])("fails if %s", async (sentence, change) => {
    expect(await playedWith(change)).toBe(sentence);
  });
});

test("files below the API with other bytes, and odd paths that are found, fail", async () => {
  const serve = async (bytesOf: (path: string) => Buffer | undefined) => {
    const { endpoint } = await start(
      startHttpServer(({ url = "" }, response) => {
        const bytes = bytesOf(decodeURIComponent(url.slice(1)));
        response.setHeader("access-control-allow-origin", "*");
        return bytes === undefined ? response.writeHead(404).end() : response.end(bytes);
      }),
    );
    return await readFolder(endpoint, null);
  };
  expect(await serve(() => Buffer.from("anything"))).toBe("index.html has other bytes");
  expect(await serve((path) => folder[path])).toBeUndefined();
  expect(await serve((path) => folder[path.replace(/^\/|\/$/, "")])).toBe('"/index.html" responded with 200');
  expect(await serve((path) => folder[path.replace(/\/$/, "")])).toBe('"index.html/" responded with 200');
});
