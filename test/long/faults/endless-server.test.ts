import type { ServerResponse } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { writeFiles } from "../../support/cli/cli.ts";
import { usePublisher } from "../../support/cli/publisher.ts";
import { sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";

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

  test("an endless response does not fill the memory", async () => {
    const server = await keep(
      startMisbehavingServer((_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        for (let mebibytes = 0; mebibytes < 9; mebibytes += 1) response.write(Buffer.alloc(1024 * 1024, " "));
        response.end(JSON.stringify({ projects: [] }));
      }),
    );
    const { code, json } = await run(server.origin, ["projects", "list"], { SVC_TIMEOUT: "20" });
    expect(code).toBe(1);
    expect(json.error).toMatchObject({
      code: "network",
      message: `${server.origin} sent a response that is too long for this API.`,
    });
    expect(server.requests.map(({ url }) => url)).toEqual(["/projects?state=active", "/projects?state=deleted"]);
  });

  test("a missing response is not waited for longer after a long request", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${"long-".repeat(40)}${index}.txt`);
    writeFiles(`${person.home}/game`, Object.fromEntries(names.map((name) => [name, ""])));
    const server = await keep(startMisbehavingServer((request) => request.resume()));
    const { json } = await run(server.origin, ["publish", "game", "--project", "game"], { SVC_TIMEOUT: "1" });
    expect(json.error).toMatchObject({ message: `${server.origin} did not respond within 1 seconds.` });
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
