import { describe, expect, test } from "@jest/globals";
import { limits } from "../limits.ts";
import { authorizationResponseUrl, decideAuthorizationRequest, isLoopbackRedirect } from "./authorization-request.ts";

const issuer = "https://api.example";
const redirectUri = "http://127.0.0.1:49152/callback";
const good = {
  response_type: "code",
  client_id: "svc-cli",
  redirect_uri: redirectUri,
  state: "the state",
  scope: "projects publish",
  code_challenge: "c".repeat(43),
  code_challenge_method: "S256",
  token_name: "laptop",
};

/** The good request with other parameters: undefined leaves one out, a list sends it several times. */
function decide(changes: Record<string, string | readonly string[] | undefined> = {}) {
  const pairs = Object.entries({ ...good, ...changes }).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value] as [string, string]),
  );
  return decideAuthorizationRequest(new URLSearchParams(pairs), issuer);
}

describe("an authorization request", () => {
  test("is shown to the person as the client asks", () => {
    const request = {
      redirectUri,
      state: "the state",
      codeChallenge: good.code_challenge,
      scopes: ["publish", "projects"],
      tokenName: "laptop",
      project: undefined,
    };
    expect(decide()).toEqual({ kind: "ask", request });
    expect(decide({ scope: " projects  publish " })).toEqual({ kind: "ask", request });
    expect(decide({ resource: ["a", "b"], prompt: "consent", response_mode: "query" })).toEqual({
      kind: "ask",
      request,
    });
    expect(decide({ state: undefined, scope: "", token_name: undefined })).toEqual({
      kind: "ask",
      request: { ...request, state: undefined, scopes: ["publish"], tokenName: undefined },
    });
    expect(decide({ state: "s".repeat(limits.stateLength), code_challenge: "c".repeat(128) })).toMatchObject({
      kind: "ask",
    });
  });

  test.each([
    [`${issuer}/projects/game`, "game"],
    ["https://other.example/projects/game", undefined],
    [`${issuer}/projects/game/releases`, undefined],
    [`${issuer}/projects/`, undefined],
    [issuer, undefined],
  ])("for the resource %s proposes the project %s", (resource, project) => {
    expect(decide({ resource })).toMatchObject({ kind: "ask", request: { project } });
  });

  test.each([
    ["of an unknown client", { client_id: "other" }],
    ["of no client", { client_id: undefined }],
    ["of two clients", { client_id: ["svc-cli", "other"] }],
    ["without a redirect URI", { redirect_uri: undefined }],
    ["with two redirect URIs", { redirect_uri: [redirectUri, "http://127.0.0.1:1/"] }],
    ["with a redirect URI elsewhere", { redirect_uri: "https://attacker.example/" }],
    ["of an unknown client that is wrong otherwise too", { client_id: "other", response_type: "token" }],
  ])("%s redirects nowhere", (_, changes) => {
    expect(decide(changes)).toEqual({ kind: "page", detail: expect.any(String) });
  });

  test("without any of PKCE is told that the challenge is missing", () => {
    const decision = decide({ code_challenge: undefined, code_challenge_method: undefined });
    expect(decision).toMatchObject({ url: expect.stringContaining("code_challenge+is+missing") });
  });

  test("says that nobody has an unknown client_id", () => {
    expect(decide({ client_id: "other" })).toMatchObject({ detail: expect.stringContaining("client_id") });
  });

  test.each<[string, Parameters<typeof decide>[0], string]>([
    ["without a challenge", { code_challenge: undefined }, "invalid_request"],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["with a challenge of no method, which means plain", { code_challenge_method: undefined }, "invalid_request"],
    ["with a challenge that is too short", { code_challenge: "c".repeat(42) }, "invalid_request"],
    ["with a challenge of other characters", { code_challenge: "+".repeat(43) }, "invalid_request"],
    ["without a response type", { response_type: undefined }, "invalid_request"],
    ["of another response type", { response_type: "token" }, "unsupported_response_type"],
    ["with a challenge that is too long", { code_challenge: "c".repeat(129) }, "invalid_request"],
    ["of another response mode", { response_mode: "fragment" }, "invalid_request"],
    ["with two response modes", { response_mode: ["query", "query"] }, "invalid_request"],
    ["with a scope of spaces", { scope: " " }, "invalid_scope"],
    ["with an unknown scope", { scope: "publish admin" }, "invalid_scope"],
    ["with two scopes", { scope: ["publish", "projects"] }, "invalid_request"],
    ["with two response types", { response_type: ["code", "code"] }, "invalid_request"],
    ["with two challenges", { code_challenge: ["c".repeat(43), "d".repeat(43)] }, "invalid_request"],
    ["with two methods", { code_challenge_method: ["S256", "plain"] }, "invalid_request"],
    ["with two names", { token_name: ["a", "b"] }, "invalid_request"],
  ])("%s gets an error with its state and the issuer", (_, changes, error) => {
    const decision = decide(changes);
    const url = new URL(decision.kind === "redirect" ? decision.url : "about:blank");
    expect(`${url.origin}${url.pathname}`).toBe(redirectUri);
    const { error_description: description, ...rest } = Object.fromEntries(url.searchParams);
    expect(rest).toEqual({ error, state: "the state", iss: issuer });
    expect(description).toMatch(/^[ !#-[\]-~]+$/);
  });

  test.each([
    ["was none", { state: undefined }],
    ["was an empty one", { state: "" }],
    ["were two", { state: ["a", "b"] }],
  ])("that is refused comes back without a state if there %s", (_, changes) => {
    const decision = decide({ ...changes, response_type: "token" });
    expect(decision.kind === "redirect" && new URL(decision.url).searchParams.has("state")).toBe(false);
  });

  test("with a state that is too long gets an error with that state", () => {
    const state = "s".repeat(limits.stateLength + 1);
    const decision = decide({ state });
    const query = new URL(decision.kind === "redirect" ? decision.url : "about:blank").searchParams;
    expect([query.get("error"), query.get("state")]).toEqual(["invalid_request", state]);
  });
});

test.each([
  ["http://127.0.0.1:1/", "http://127.0.0.1:1/?code=c&iss=https%3A%2F%2Fapi.example"],
  ["http://127.0.0.1:1", "http://127.0.0.1:1?code=c&iss=https%3A%2F%2Fapi.example"],
  ["http://127.0.0.1:1/?a=%7e+b&&c", "http://127.0.0.1:1/?a=%7e+b&&c&code=c&iss=https%3A%2F%2Fapi.example"],
  ["http://[::1]/?", "http://[::1]/?code=c&iss=https%3A%2F%2Fapi.example"],
  ["http://[::1]/?a&", "http://[::1]/?a&code=c&iss=https%3A%2F%2Fapi.example"],
])("the response to %s keeps its own query byte for byte", (redirect, url) => {
  const request = { redirectUri: redirect, state: undefined };
  expect(authorizationResponseUrl(request, { code: "c" }, issuer)).toBe(url);
});

test.each([
  "http://127.0.0.1",
  "http://127.0.0.1:65535",
  "http://[::1]:1/path?query",
  "http://127.0.0.1:1/a@b:c",
  "http://127.0.0.1:1/".padEnd(limits.urlLength, "x"),
])("%s is a loopback redirect", (value) => expect(isLoopbackRedirect(value)).toBe(true));

test.each([
  "http://localhost:1/",
  "http://127.0.0.1.attacker.example/",
  "http://ada@127.0.0.1:1/",
  "http://127.0.0.1:1@attacker.example/",
  "http://127.0.0.1\\@attacker.example/",
  "http:127.0.0.1/",
  "http:\\\\127.0.0.1/",
  "http://127.0.0.1:1/#",
  "http://127.0.0.1:1/#fragment",
  "http://127.0.0.1:65536/",
  "http://127.0.0.1:1/\n",
  "http://127.0.0.1:1/a b",
  " http://127.0.0.1:1/",
  "http://127.1/",
  "http://0x7f.0.0.1/",
  "https://127.0.0.1:1/",
  `http://127.0.0.1:1/${"x".repeat(limits.urlLength)}`,
])("%j is none", (value) => expect(isLoopbackRedirect(value)).toBe(false));
