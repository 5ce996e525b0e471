import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../../contract/api/route.ts";
import { routes } from "../../test/support/routes.ts";
import { parseBody } from "./request.ts";

const parse = (headers: Record<string, string>, body = "{}", isBase64Encoded = false) =>
  parseBody(routes.updateMe, { headers, body, isBase64Encoded } as unknown as APIGatewayProxyEventV2);

test.each([
  "application/json",
  " application/json ",
  "APPLICATION/JSON",
  "application/json;charset=utf-8",
  "application/json ;  charset = UTF-8 ",
  'application/json; charset="utf-8"',
])("a body of the type %j is parsed", (type) => {
  expect(parse({ "content-type": type })).toEqual({});
});

test.each([
  "",
  "text/json",
  "x application/json",
  "application/jsonx",
  "application/json-patch+json",
  "application/json charset=utf-8",
  "application/json; charset=utf-16",
  "application/json; charset=utf-8; x=1",
  "application/json; charset=utf-8x",
  "application/json; charset utf-8",
  "application/json, text/plain",
])("a body of the type %j is refused", (type) => {
  expect(() => parse({ "content-type": type })).toThrow(expect.objectContaining({ code: "unsupported_media_type" }));
});

test.each(["identity", "Identity"])("a body with Content-Encoding: %s is parsed", (encoding) => {
  expect(parse({ "content-type": "application/json", "content-encoding": encoding })).toEqual({});
});

test("a compressed body is refused", () => {
  expect(() => parse({ "content-type": "application/json", "content-encoding": "gzip" })).toThrow(
    expect.objectContaining({ code: "unsupported_media_type" }),
  );
});

test("a field that is missing is told apart from one of another type", () => {
  const post = (body: string) =>
    parseBody(routes.createProject, { headers: { "content-type": "application/json" }, body } as never);
  const placed = (detail: string) => expect.objectContaining({ errors: [{ pointer: "/slug", detail }] });
  expect(() => post('{"name":"A game"}')).toThrow(placed("is required"));
  expect(() => post('{"name":"A game","slug":1}')).toThrow(placed("must be a string"));
});

test("a body in base64 counts as its bytes, and only UTF-8 is JSON, with a byte order mark or without", () => {
  const json = { "content-type": "application/json" };
  const base64 = (bytes: readonly number[]) => Buffer.from(bytes).toString("base64");
  expect(parse(json, base64([0x7b, 0x7d]), true)).toEqual({});
  const malformed = expect.objectContaining({ code: "malformed_json" });
  expect(() => parse(json, base64([0x22, 0xff, 0x22]), true)).toThrow(malformed);
  expect(parse(json, base64([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), true)).toEqual({});
  expect(() => parse(json, base64([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x7b, 0x7d]), true)).toThrow(malformed);
});

test.each(Object.entries(routes).filter(([, { body, form }]: [string, Route]) => body && !form))(
  "a body of %s is read up to 512 KiB, that of a release up to 5 MiB, reports up to 16 KiB; one byte more is too large, whatever it is",
  (name, route) => {
    const largest = { createRelease: 5_242_880, sendReports: 16_384 }[name] ?? 524_288;
    const type = name === "sendReports" ? "application/reports+json" : "application/json";
    const post = (body: string) => () => parseBody(route, { headers: { "content-type": type }, body } as never);
    expect(post("[".padEnd(largest))).toThrow(expect.objectContaining({ code: "malformed_json" }));
    expect(post("[".padEnd(largest + 1))).toThrow(expect.objectContaining({ code: "payload_too_large" }));
  },
);

test("a body that a route does not have is ignored, and one that may be left out needs no type then", () => {
  const bodyOf = (route: Route, body?: string) => parseBody(route, { headers: {}, body } as never);
  expect(bodyOf(routes.getMe, "x")).toBeUndefined();
  expect(bodyOf(routes.rotateToken)).toMatchObject({});
  const unsupported = expect.objectContaining({ code: "unsupported_media_type" });
  expect(() => bodyOf(routes.rotateToken, "{}")).toThrow(unsupported);
});

test("a request without a body is malformed if one is needed, and no type makes up for it", () => {
  expect(() => parse({ "content-type": "application/json" }, "")).toThrow(
    expect.objectContaining({ code: "malformed_json" }),
  );
  expect(() => parse({}, "")).toThrow(expect.objectContaining({ code: "unsupported_media_type" }));
});
