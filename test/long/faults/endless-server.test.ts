import { mkdirSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type CliUser, createCliUser, inventToken } from "../../support/cli.ts";
import { type MisbehavingServer, sendJson, startMisbehavingServer } from "../../support/misbehaving-server.ts";
import { type PublishingBehaviour, startPublishingApi } from "../../support/publishing-api.ts";

const token = inventToken();
let person: CliUser;
const servers: MisbehavingServer[] = [];

beforeEach(() => {
  person = createCliUser();
  mkdirSync(join(person.home, "game"));
  writeFileSync(join(person.home, "game", "index.html"), "<h1>Game</h1>");
});
afterEach(async () => {
  person.leave();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function kept(server: Promise<MisbehavingServer>): Promise<MisbehavingServer> {
  servers.push(await server);
  return server;
}

const run = (api: string, args: string[], env: Record<string, string> = {}) =>
  person.run([...args, "--json"], { env: { SVC_API: api, SVC_TOKEN: token, SVC_TIMEOUT: "1", ...env } });

async function publishTo(behaviour: PublishingBehaviour, env: Record<string, string> = {}) {
  const server = await kept(startPublishingApi(behaviour));
  const { code, stdout } = await run(server.origin, ["publish", "game", "--project", "game"], env);
  return { code, result: JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), requests: server.requests, server };
}

/** Writes a byte every 100 ms and never ends. */
function drip(response: ServerResponse, type: string): void {
  response.writeHead(200, { "content-type": type });
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => clearInterval(timer));
}

describe("a server that never comes to an end", () => {
  test("a response that drips is given up after SVC_TIMEOUT", async () => {
    const server = await kept(startMisbehavingServer((_, response) => drip(response, "application/json")));
    const { code, json } = await run(server.origin, ["whoami"], { SVC_TIMEOUT: "0.3" });
    expect(code).toBe(1);
    expect(json.error).toMatchObject({
      code: "network",
      message: `${server.origin} did not answer within 0.3 seconds.`,
    });
    expect(server.requests).toHaveLength(5);
  });

  test("an upload whose response drips too", async () => {
    const { code, result, requests } = await publishTo(
      { upload: (_, response) => drip(response, "text/plain") },
      { SVC_TIMEOUT: "0.3" },
    );
    expect(code).toBe(1);
    expect(result.error.code).toBe("network");
    expect(requests.filter(({ method }) => method === "PUT")).toHaveLength(6);
  });

  test("a list of projects without an end is given up", async () => {
    const server = await kept(
      startMisbehavingServer((_, response, number) =>
        sendJson(response, 200, { projects: [], next_cursor: `page-${number}` }),
      ),
    );
    const { code, json } = await run(server.origin, ["projects", "list"]);
    expect(code).toBe(1);
    expect(json.error).toMatchObject({ code: "unexpected_answer", message: expect.stringContaining("does not end") });
    expect(server.requests.length).toBeLessThanOrEqual(100);
  });
});

describe("what stands before the API answers in its place", () => {
  test.each([
    [429, { message: "Too Many Requests" }, "is getting more requests than it takes"],
    [503, { message: "Service Unavailable" }, "did not get an answer from its functions in time"],
    [500, { message: "Internal Server Error" }, "failed"],
  ])("%i with API Gateway's own body is tried again, then told", async (status, body, sentence) => {
    const server = await kept(
      startMisbehavingServer((_, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      ),
    );
    const { json } = await run(server.origin, ["whoami"]);
    expect(server.requests).toHaveLength(5);
    expect(json.error).toMatchObject({ status, message: expect.stringContaining(sentence), next: expect.any(String) });
  });
});
