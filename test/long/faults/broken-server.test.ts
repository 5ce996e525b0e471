import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { usePublisher } from "../../support/cli/publisher.ts";
import { type Behaviour, goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";

const { person, keep, run, publishTo } = usePublisher();

/** One byte too long to be sent in one piece: five parts. */
function writeLargeFile(): void {
  mkdirSync(join(person.home, "game"));
  writeFileSync(join(person.home, "game/world.pck"), "");
  truncateSync(join(person.home, "game/world.pck"), 64 * 1024 * 1024 + 1);
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

describe("an upload URL", () => {
  /** Responds to the request for upload URLs with this one for each file. */
  const give = (url: string, headers: Record<string, string> = {}) => ({
    uploadUrls: (_: IncomingMessage, response: ServerResponse) =>
      sendJson(response, 200, {
        uploads: [{ sha256: createHash("sha256").update("<h1>Game</h1>").digest("hex"), url, headers }],
        expires_at: "2126-01-01T00:00:00Z",
      }),
  });

  test.each([
    "http://store.example/x",
    "http://[::ffff:127.0.0.1]:PORT/x",
    "ftp://127.0.0.1/x",
    "file:///etc/passwd",
    "no URL",
  ])("%s is refused, and nothing is sent to it", async (url) => {
    const store = await keep(startMisbehavingServer((_, response) => response.end()));
    const { code, result } = await publishTo(give(url.replace("PORT", String(store.port))));
    expect(code).toBe(1);
    expect(result.error).toMatchObject({ code: "upload_url_refused" });
    expect(store.requests).toEqual([]);
  });

  test("gets the headers that an upload needs and no others", async () => {
    const seen: IncomingMessage[] = [];
    const store = await keep(
      startMisbehavingServer((request, response) => {
        seen.push(request);
        // As the store does.
        response.setHeader("x-amz-checksum-sha256", request.headers["x-amz-checksum-sha256"] ?? "");
        request.resume().on("end", () => response.end());
      }),
    );
    const needed = { "x-amz-checksum-sha256": "abc", "if-none-match": "*" };
    const { code } = await publishTo(give(`${store.origin}/x`, { ...needed, "content-length": "13" }));
    expect(code).toBe(0);
    expect(seen[0]?.headers).toEqual({
      host: `127.0.0.1:${store.port}`,
      connection: "keep-alive",
      "content-length": "13",
      ...needed,
    });
    for (const name of ["host", "authorization", "cookie", "transfer-encoding", "x-other"]) {
      const refused = await publishTo(give(`${store.origin}/x`, { [name]: "evil" }));
      expect(refused.result.error).toMatchObject({ code: "upload_url_refused" });
    }
    expect(seen).toHaveLength(1);
  });

  test.each([
    [403, "AccessDenied"],
    [400, "ExpiredToken"],
  ])("is requested again if the store responds with %i %s", async (status, reason) => {
    let asked = 0;
    const used: (string | undefined)[] = [];
    const sha256 = createHash("sha256").update("<h1>Game</h1>").digest("hex");
    let origin = "";
    const { code, server } = await publishTo({
      uploadUrls: (request, response) => {
        asked += 1;
        origin = `http://${request.headers.host}`;
        const uploads = [{ sha256, url: `${origin}/upload-${asked}`, headers: {} }];
        sendJson(response, 200, { uploads, expires_at: "2126-01-01T00:00:00Z" });
      },
      upload: (request, response) => {
        used.push(request.url);
        if (used.length > 1) return response.end();
        return response.writeHead(status).end(`<Error><Code>${reason}</Code></Error>`);
      },
    });
    expect(code).toBe(0);
    expect(used).toEqual(["/upload-1", "/upload-2"]);
    expect(server.requests.filter(({ url }) => url?.endsWith("/uploads"))).toHaveLength(2);
  });

  test.each([
    [20, 2],
    [90, 1],
  ])("that expires in %i s is requested %i times", async (seconds, times) => {
    let asked = 0;
    const sha256 = createHash("sha256").update("<h1>Game</h1>").digest("hex");
    const { code } = await publishTo({
      uploadUrls: (request, response) => {
        asked += 1;
        const uploads = [{ sha256, url: `http://${request.headers.host}/upload`, headers: {} }];
        sendJson(response, 200, { uploads, expires_at: asked === 1 ? inSeconds(seconds) : inSeconds(3_600) });
      },
    });
    expect({ code, asked }).toEqual({ code: 0, asked: times });
  });

  test.each([
    [20, 2],
    [90, 1],
  ])("of a part that expires in %i s is requested %i times", async (seconds, times) => {
    writeLargeFile();
    let asked = 0;
    const sent: (string | undefined)[] = [];
    const { code } = await publishTo({
      partUrls: (request, response) => {
        asked += 1;
        const parts = [{ number: 5, url: `http://${request.headers.host}/part-${asked}`, headers: {} }];
        const expires_at = asked === 1 ? inSeconds(seconds) : inSeconds(3_600);
        sendJson(
          response,
          200,
          asked > times ? { stored: true, parts: [], expires_at } : { stored: false, parts, expires_at },
        );
      },
      upload: (request, response) => {
        if (request.url?.startsWith("/part")) sent.push(request.url);
        response.end();
      },
    });
    expect({ code, sent }).toEqual({ code: 0, sent: [`/part-${times}`] });
  });

  test.each([
    ["whose response was lost before its URL expired", 403, "AccessDenied"],
    ["that another upload completed meanwhile", 404, "NoSuchUpload"],
  ])("of a part %s is requested again, and nothing is sent if the service has the part", async (_, status, reason) => {
    writeLargeFile();
    let asked = 0;
    const sent: (string | undefined)[] = [];
    const { code, result } = await publishTo({
      partUrls: (request, response) => {
        asked += 1;
        const parts = [5, 4].map((number) => ({
          number,
          url: `http://${request.headers.host}/part-${number}`,
          headers: {},
        }));
        // The first of them is stored once it is sent.
        const missing = asked === 1 ? parts : parts.slice(1);
        const stored = asked > 2;
        sendJson(response, 200, { stored, parts: stored ? [] : missing, expires_at: inSeconds(3_600) });
      },
      upload: (request, response) => {
        if (request.url?.startsWith("/part")) sent.push(request.url);
        if (request.url !== "/part-5") return response.end();
        return response.writeHead(status).end(`<Error><Code>${reason}</Code></Error>`);
      },
    });
    expect({ code, event: result.event, sent: sent.toSorted() }).toEqual({
      code: 0,
      event: "published",
      sent: ["/part-4", "/part-5"],
    });
  });

  test("whose file the store has already (412) counts as used", async () => {
    const { code, result } = await publishTo({ upload: (_, response) => response.writeHead(412).end() });
    expect({ code, event: result.event }).toEqual({ code: 0, event: "published" });
  });
});

describe("a file that svc reads", () => {
  test.each(["svc.toml", ".svcignore"])("%s that is a FIFO, a device or too long is refused", async (name) => {
    const file = join(person.home, name);
    const publish = () =>
      run("http://127.0.0.1:9", ["publish", "game", ...(name === "svc.toml" ? [] : ["--project", "game"])]);
    const ways: (() => unknown)[] = [
      () => execFileSync("mkfifo", [file]),
      () => execFileSync("ln", ["-s", "/dev/zero", file]),
      () => writeFileSync(file, "#".repeat(64 * 1024 + 1)),
    ];
    for (const make of ways) {
      make();
      const { code, json } = await publish();
      expect(code).toBe(2);
      expect(json.error.message).toMatch(/is not a regular file|has more than 64 KiB/);
      execFileSync("rm", [file]);
    }
  });
});

test.each(["abc", "0", "3601"])("SVC_TIMEOUT=%s is refused", async (value) => {
  const server = await keep(startMisbehavingServer((_, response) => sendJson(response, 200, goodMe)));
  const { code, json } = await run(server.origin, ["whoami"], { SVC_TIMEOUT: value });
  expect(code).toBe(2);
  expect(json.error).toMatchObject({ code: "invalid_timeout", message: expect.stringContaining("SVC_TIMEOUT") });
  expect(server.requests).toEqual([]);
});

describe("a gateway before the API responds itself", () => {
  test.each([
    [404, { message: "Not Found" }, "has no such route"],
    [403, { message: "Forbidden" }, "refused the request before it reached the API"],
    [413, { message: "Request Too Long" }, "refuses a request of this size"],
  ])("%i with API Gateway's own body", async (status, body, sentence) => {
    const server = await keep(
      startMisbehavingServer((_, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      ),
    );
    const { json } = await run(server.origin, ["whoami"]);
    expect(json.error.message).toContain(sentence);
    expect(json.error.status).toBe(status);
  });

  test.each([
    [429, { message: "Too Many Requests" }, "gets too many requests at the moment"],
    [503, { message: "Service Unavailable" }, "got no response from its functions in time"],
    [500, { message: "Internal Server Error" }, "failed"],
  ])("%i without Retry-After is retried with growing pauses, and then reported", async (status, body, sentence) => {
    const server = await keep(
      startMisbehavingServer((_, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      ),
    );
    const { json } = await run(server.origin, ["whoami"]);
    expect(json.error).toMatchObject({
      code: "gateway",
      status,
      next: expect.stringMatching(/^Try again/),
    });
    expect(json.error.message).toContain(`${sentence} (${status} ${body.message})`);
    expect(server.requests).toHaveLength(5);
    const pauses = server.requests.slice(1).map(({ at }, index) => at - (server.requests[index]?.at ?? 0));
    // 250 ms, doubled each time, of which a random half may be left out.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(125 * 2 ** index - 2);
  });
});

describe("a request that changes something", () => {
  const create = (behave: Behaviour) => {
    const serve = keep(startMisbehavingServer(behave));
    return serve.then(async (server) => ({
      requests: server.requests,
      ...(await run(server.origin, ["projects", "create", "my-game"])),
    }));
  };

  test.each<[string, Behaviour]>([
    ["hung up", (request) => request.socket.destroy()],
    ["responded with 500", (_, response) => sendJson(response, 500, { code: "internal_error", detail: "No." })],
    [
      "responded with 503",
      (_, response) => sendJson(response, 503, { code: "temporarily_unavailable", detail: "No." }),
    ],
    ["is at it", (_, response) => sendJson(response, 409, { code: "idempotency_key_in_use", detail: "Again." })],
  ])("is sent again with the same idempotency key, if the server %s", async (_, misbehave) => {
    const keys: unknown[] = [];
    const created = await create((request, response, number) => {
      keys.push(request.headers["idempotency-key"]);
      return number < 3 ? misbehave(request, response, number) : sendJson(response, 201, { slug: "my-game" });
    });
    expect({ code: created.code, requests: created.requests.length }).toEqual({ code: 0, requests: 3 });
    expect(keys[0]).toMatch(/^"[0-9a-f-]{36}"$/);
    expect(new Set(keys).size).toBe(1);
  });

  test("has another idempotency key in another command, and no key if it creates nothing", async () => {
    const keys: unknown[] = [];
    const succeed: Behaviour = (request, response) => {
      keys.push(request.headers["idempotency-key"]);
      return sendJson(response, 200, { slug: "my-game", projects: [], next_cursor: null });
    };
    await create(succeed);
    await create(succeed);
    const { origin } = await keep(startMisbehavingServer(succeed));
    expect((await run(origin, ["projects", "list"])).code).toBe(0);
    expect(keys).toEqual([expect.any(String), expect.any(String), undefined]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test.each([303, 308])("does not follow a redirect (%i), also not on the same origin", async (status) => {
    const moved = await create((_, response) => response.writeHead(status, { location: "/elsewhere" }).end());
    expect({ code: moved.code, error: moved.json.error.code }).toEqual({ code: 1, error: "unexpected_response" });
    expect(moved.requests.map(({ url }) => url)).toEqual(["/projects"]);
  });
});

test("svc rollback fails if another release went live meanwhile", async () => {
  const release = { files: 1, bytes: 1, created_at: "", message: null, source: null };
  const releases = [
    { ...release, id: "r3", status: "live", first_published_at: "2026-01-03T00:00:00Z" },
    { ...release, id: "r2", status: "published", first_published_at: "2026-01-01T00:00:00Z" },
    { ...release, id: "r1", status: "published", first_published_at: "2026-01-02T00:00:00Z" },
  ];
  const sent: unknown[] = [];
  const server = await keep(
    startMisbehavingServer(async (request, response) => {
      if (request.method === "GET") return sendJson(response, 200, { releases, next_cursor: null });
      sent.push([request.url, JSON.parse((await request.toArray()).join(""))]);
      sendJson(response, 200, {
        release: { ...releases[2], status: "live" },
        previous_release: "r3",
        review_url: null,
        ended_schedule: null,
      });
    }),
  );
  expect((await run(server.origin, ["rollback", "-p", "game"])).code).toBe(0);
  expect(sent).toEqual([["/projects/game/releases/r1/publish", { expect_current: "r3" }]]);
});

test("a file that the store has confirmed and lost is sent again", async () => {
  let lives = 0;
  const { code, requests } = await publishTo({ goLive: async () => (lives++ === 0 ? false : undefined) });
  expect(code).toBe(0);
  expect(requests.filter(({ method }) => method === "PUT")).toHaveLength(2);
  const lost = await publishTo({ goLive: async () => false });
  expect(lost.result.error.code).toBe("release_incomplete");
  expect(lost.requests.filter(({ method }) => method === "PUT")).toHaveLength(3);
});

test("a file that becomes a link after it was hashed is not followed", async () => {
  const file = join(person.home, "game", "index.html");
  const secret = join(person.home, "secret");
  // As long as the file was, so that only the link shows the difference.
  writeFileSync(secret, "<h1>Gone</h1>");
  const bodies: string[] = [];
  const { code, result } = await publishTo({
    uploadUrls: (request, response) => {
      rmSync(file);
      symlinkSync(secret, file);
      const sha256 = createHash("sha256").update("<h1>Game</h1>").digest("hex");
      const uploads = [{ sha256, url: `http://${request.headers.host}/upload`, headers: {} }];
      sendJson(response, 200, { uploads, expires_at: "2126-01-01T00:00:00Z" });
    },
    upload: (request, response) => {
      bodies.push(request.url ?? "");
      response.end();
    },
  });
  expect({ code, error: result.error?.code }).toEqual({ code: 1, error: "file_changed" });
  expect(bodies).toEqual([]);
});
