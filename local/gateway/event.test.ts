import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { gatewayEvent, requestUrl } from "./event.ts";

function event(request: { rawHeaders?: string[]; target?: string; body?: Buffer }) {
  const url = requestUrl(request.target ?? "/me") ?? { path: "", query: "" };
  return gatewayEvent({
    request: {
      method: "POST",
      httpVersion: "1.1",
      rawHeaders: request.rawHeaders ?? [],
      socket: { remoteAddress: "127.0.0.1" },
    } as unknown as IncomingMessage,
    url,
    route: { name: "getMe", routeKey: "GET /me", pathParameters: {} },
    body: request.body ?? Buffer.alloc(0),
    requestId: "id",
    now: new Date(0),
  });
}

describe("headers", () => {
  test("have names in lower case, and the values of one that was sent twice are joined by a comma", () => {
    const { headers } = event({ rawHeaders: ["Accept", "a", "AUTHORIZATION", "x", "authorization", "y"] });
    expect(headers).toMatchObject({ accept: "a", authorization: "x,y" });
  });

  test("have cookies in a separate list", () => {
    const { headers, cookies } = event({ rawHeaders: ["Cookie", "a=1; b=2", "Cookie", "c=3"] });
    expect(headers).not.toHaveProperty("cookie");
    expect(cookies).toEqual(["a=1", "b=2", "c=3"]);
  });
});

describe("the query", () => {
  test("is given as it was sent, and decoded with values joined by commas", () => {
    const { rawQueryString, queryStringParameters } = event({ target: "/me?a=1%202&b=x&a=3?" });
    expect(rawQueryString).toBe("a=1%202&b=x&a=3?");
    expect(queryStringParameters).toEqual({ a: "1 2,3?", b: "x" });
  });

  test("can have the names of members that every object has", () => {
    const { queryStringParameters, headers } = event({
      target: "/me?constructor=1&__proto__=2",
      rawHeaders: ["Constructor", "3"],
    });
    expect(Object.entries(queryStringParameters ?? {})).toEqual([
      ["constructor", "1"],
      ["__proto__", "2"],
    ]);
    expect(headers["constructor"]).toBe("3");
  });

  test("is left out if there is none", () => {
    expect(event({ target: "/me?" })).not.toHaveProperty("queryStringParameters");
  });
});

describe("the path", () => {
  test("is decoded, and a plus in it is a plus", () => {
    expect(event({ target: "/users/a%20b+c" }).rawPath).toBe("/users/a b+c");
  });

  test("with invalid percent-encoding is refused", () => {
    expect(requestUrl("/users/%E0%A4%A")).toBeUndefined();
  });
});

describe("the body", () => {
  const json = ["content-type", "application/json; charset=utf-8"];

  test.each([
    ["JSON", json, "{}", false],
    ["a problem", ["content-type", "application/problem+json"], "{}", false],
    ["text", ["content-type", "text/csv"], "a,b", false],
    ["bytes", ["content-type", "application/octet-stream"], "{}", true],
    ["a form", ["content-type", "application/x-www-form-urlencoded"], "a=b", true],
    ["a body without a type", [], "{}", true],
    ["compressed JSON", [...json, "content-encoding", "gzip"], "{}", true],
  ])("of %s is base64: %#", (_kind, rawHeaders, text, isBase64Encoded) => {
    const body = Buffer.from(text);
    expect(event({ rawHeaders, body })).toMatchObject({
      body: isBase64Encoded ? body.toString("base64") : text,
      isBase64Encoded,
    });
  });

  test("is base64 if it is not UTF-8, so that no byte is lost", () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect(event({ rawHeaders: json, body })).toMatchObject({ body: body.toString("base64"), isBase64Encoded: true });
  });

  test("is left out if it is empty", () => {
    expect(event({ rawHeaders: json })).not.toHaveProperty("body");
  });
});
