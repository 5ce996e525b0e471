import type { ServerResponse } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { exampleToken as rawToken } from "../../../contract/api/tokens/tokens.ts";
import { createCliUser } from "../../support/cli/cli.ts";
import { goodMe, metadataOf, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { useCliUser } from "../../support/service/suite.ts";

const person = useCliUser();

describe("svc login --device at a server that", () => {
  const device = (origin: string) => person.run(["login", "--device", "--json"], { env: { SVC_API: origin } });

  type Respond = (response: ServerResponse) => unknown;
  const oauthError =
    (error: object): Respond =>
    (response) =>
      sendJson(response, 400, error);
  /** Response of API Gateway itself: no code, no Retry-After. */
  const gateway =
    (status: number, message: string): Respond =>
    (response) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ message }));
  const throttled = gateway(429, "Too Many Requests");
  const token: Respond = (response) => sendJson(response, 200, { access_token: rawToken, token_type: "Bearer" });

  /**
   * Logs in at a server that responds to the polls in this way, one after the other, and before that in these to everything
   * else.
   */
  async function polled(
    responses: readonly Respond[],
    { device: before = [], expires_in = 600 }: { device?: readonly Respond[]; expires_in?: number } = {},
  ) {
    const left = [...responses];
    const leftBefore = [...before];
    const polls: number[] = [];
    const user = createCliUser();
    const server = await startMisbehavingServer((request, response) => {
      const { origin } = server;
      if (request.url === "/token") {
        polls.push(performance.now());
        return (left.shift() ?? oauthError({}))(response);
      }
      if (request.url === "/me") return sendJson(response, 200, goodMe);
      const other = leftBefore.shift();
      if (other !== undefined) return other(response);
      if (request.url?.startsWith("/.well-known/"))
        return sendJson(response, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          device_authorization_endpoint: `${origin}/device`,
          token_endpoint: `${origin}/token`,
        });
      return sendJson(response, 200, {
        device_code: "device",
        user_code: "BCDF-GHJK",
        verification_uri: `${origin}/device`,
        interval: 0.01,
        expires_in,
      });
    });
    try {
      const result = await user.run(["login", "--device", "--json"], { env: { SVC_API: server.origin } });
      return { ...result, left: left.length, waits: polls.slice(1).map((at, index) => at - (polls[index] ?? 0)) };
    } finally {
      user.leave();
      await server.stop();
    }
  }

  test("lets the code expire ends with a sentence", async () => {
    const { code, json, left } = await polled([
      oauthError({ error: "authorization_pending" }),
      oauthError({ error: "expired_token" }),
    ]);
    expect({ code, left }).toEqual({ code: 1, left: 0 });
    expect(json.error).toMatchObject({ code: "login_timed_out", message: expect.stringContaining("ten minutes") });
  });

  test("refuses it ends with the server's sentence", async () => {
    const refusal = { error: "invalid_grant", error_description: "The account can have no other token." };
    const { code, json } = await polled([oauthError(refusal)]);
    expect({ code, message: json.error.message }).toEqual({
      code: 4,
      message: "The login was refused: invalid_grant. The account can have no other token.",
    });
  });

  // All at once, because each waits.
  test("does not respond, or wants to be left alone, is asked again five seconds later than before, or after its Retry-After", async () => {
    const patient: Respond = (response) =>
      response.writeHead(429, { "content-type": "application/json", "retry-after": "7" }).end('{"message":"Wait"}');
    const cases: [string, Respond, leastMilliseconds: number][] = [
      ["API Gateway's 429", throttled, 5_000],
      ["API Gateway's 503", gateway(503, "Service Unavailable"), 5_000],
      ["the API's 503", (response) => sendJson(response, 503, { error: "temporarily_unavailable" }), 5_000],
      ["a closed connection", (response) => response.destroy(), 5_000],
      ["slow_down", oauthError({ error: "slow_down" }), 5_000],
      ["a longer Retry-After", patient, 7_000],
    ];
    const ended = cases.map(async ([name, respond, least]) => {
      const { code, left, waits } = await polled([oauthError({ error: "authorization_pending" }), respond, token]);
      const [first = 0, second = 0] = waits;
      return { name, code, left, isSoonAtFirst: first < 4_000, isLater: second > least };
    });
    expect(await Promise.all(ended)).toEqual(
      cases.map(([name]) => ({ name, code: 0, left: 0, isSoonAtFirst: true, isLater: true })),
    );
  });

  test("names a wait that ends after the code is left when the code has expired", async () => {
    const wait: Respond = (response) => response.writeHead(503, { "retry-after": "3600" }).end();
    const { code, json } = await polled([wait, token], { expires_in: 1 });
    expect({ code, error: json.error.code }).toEqual({ code: 1, error: "login_timed_out" });
  });

  test("is throttled when the login begins is asked again", async () => {
    const { code } = await polled([token], { device: [throttled, throttled] });
    expect(code).toBe(0);
  });

  test.each([
    ["token endpoint", { token_endpoint: "https://other.example/token" }],
    ["device endpoint", { device_authorization_endpoint: "https://other.example/device" }],
    ["issuer", { issuer: "https://other.example" }],
    ["authorization endpoint over plain http", { authorization_endpoint: "http://other.example/authorize" }],
    [
      "authorization endpoint on a name like this machine's",
      { authorization_endpoint: "http://localhost.evil.example/" },
    ],
    ["authorization endpoint of another scheme", { authorization_endpoint: "file:///etc/passwd" }],
  ])("names a foreign %s is refused before anything is sent there", async (_, foreign) => {
    const server = await startMisbehavingServer((_, response) => {
      const { origin } = server;
      return sendJson(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        device_authorization_endpoint: `${origin}/device`,
        token_endpoint: `${origin}/token`,
        ...foreign,
      });
    });
    const { code, json } = await device(server.origin);
    await server.stop();
    expect({ code, error: json.error.code, requests: server.requests.length }).toEqual({
      code: 1,
      error: "wrong_authorization_server",
      requests: 1,
    });
  });

  test("names no dashboard says how else to log in", async () => {
    const server = await startMisbehavingServer((_, response) => sendJson(response, 200, metadataOf(server.origin)));
    const { code, json } = await device(server.origin);
    await server.stop();
    expect({ code, error: json.error }).toMatchObject({
      code: 1,
      error: { code: "no_dashboard", next: "Log in with a token: svc login --token -" },
    });
  });
});

describe("svc login at a host that is no API of svc", () => {
  const rawInput = `${rawToken}\n`;

  test.each<[string, (response: ServerResponse) => unknown]>([
    ["responds with a page", (response) => response.end("<!doctype html><title>Welcome</title>")],
    ["has no such page", (response) => response.writeHead(404).end("<h1>Not found</h1>")],
    ["responds with JSON of another kind", (response) => sendJson(response, 200, { hello: "world" })],
    ["redirects", (response) => response.writeHead(302, { location: "https://evil.example/" }).end()],
    ["wants to know who asks", (response) => sendJson(response, 401, { error: "unauthorized" })],
  ])("that %s asks for no token and sends none, by whichever way of login", async (_, respond) => {
    const server = await startMisbehavingServer((_, response) => respond(response));
    for (const args of [["--token", "-"], ["--device"]]) {
      const { code, json } = await person.run(["login", ...args, "--json", "--api", server.origin], {
        input: rawInput,
      });
      expect({ args, code, error: json.error }).toMatchObject({
        ...{ args, code: 1 },
        error: { code: "no_svc_api", next: "Check the URL in --api or SVC_API." },
      });
    }
    await server.stop();
    expect(server.requests.map(({ method, url, authorization }) => ({ method, url, authorization }))).toEqual(
      Array.from({ length: 2 }, () => ({
        method: "GET",
        url: "/.well-known/oauth-authorization-server",
        authorization: undefined,
      })),
    );
  });
});
