import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { usePublisher } from "../../support/cli/publisher.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";

const { person, keep, run, publishTo } = usePublisher();

/** Writes a byte every 100 ms for ever. */
function drip(response: ServerResponse, type: string): void {
  response.writeHead(200, { "content-type": type });
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => clearInterval(timer));
}

describe("a server that never completes a response", () => {
  test("a response that sends a byte now and then is aborted after SVC_TIMEOUT", async () => {
    const server = await keep(startMisbehavingServer((_, response) => drip(response, "application/json")));
    const { code, json } = await run(server.origin, ["whoami"], { SVC_TIMEOUT: "0.3" });
    expect(code).toBe(1);
    expect(json.error).toMatchObject({
      code: "network",
      message: `${server.origin} did not respond within 0.3 seconds.`,
    });
    expect(server.requests).toHaveLength(5);
  });

  test("an upload whose response sends a byte now and then is aborted too", async () => {
    const { code, result, requests } = await publishTo(
      { upload: (_, response) => drip(response, "text/plain") },
      { SVC_TIMEOUT: "0.3" },
    );
    expect(code).toBe(1);
    expect(result.error.code).toBe("network");
    // More on a busy machine: a try to which no response begins in time counts as one without a network.
    expect(requests.filter(({ method }) => method === "PUT").length).toBeGreaterThanOrEqual(6);
  });

  test("an endless list of projects is an error", async () => {
    const server = await keep(
      startMisbehavingServer((_, response, number) =>
        sendJson(response, 200, { projects: [], next_cursor: `page-${number}` }),
      ),
    );
    const { code, json } = await run(server.origin, ["projects", "list"]);
    expect(code).toBe(1);
    expect(json.error).toMatchObject({ code: "unexpected_response", message: expect.stringContaining("does not end") });
    expect(server.requests.length).toBeLessThanOrEqual(100);
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
