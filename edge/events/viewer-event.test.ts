import { expect, test } from "@jest/globals";
import { edgeRequestOf, viewerResponseOf } from "./viewer-event.ts";

test("a header and a cookie that were sent several times count with all their values", () => {
  const several = (...values: string[]) => ({
    value: values[0] ?? "",
    multiValue: values.map((value) => ({ value })),
  });
  const request = edgeRequestOf({
    method: "GET",
    uri: "/a%20b.js",
    headers: {
      "accept-encoding": several("gzip", "br"),
      host: { value: "my-game.example" },
      "x-other": { value: "x" },
    },
    cookies: { a: several("b", "c"), d: { value: "" } },
    rawQueryString: () => undefined,
  });
  expect(request).toEqual({
    method: "GET",
    target: "/a%20b.js",
    headers: { "accept-encoding": "gzip, br", host: "my-game.example", "x-other": "x", cookie: "a=b; a=c; d=" },
  });
});

test("a cookie of ours is sent with all its attributes", () => {
  const headers = { "set-cookie": ["a=b=c; Path=/; Secure", "d=; Max-Age=0"] };
  expect(viewerResponseOf({ status: 200, headers, body: undefined })).toEqual({
    statusCode: 200,
    headers: {},
    cookies: { a: { value: "b=c", attributes: "Path=/; Secure" }, d: { value: "", attributes: "Max-Age=0" } },
  });
});

test("a response of our own is a text", () => {
  const headers = { "content-type": "text/plain" };
  expect(viewerResponseOf({ status: 404, headers, body: { text: "none" } })).toEqual({
    statusCode: 404,
    headers: { "content-type": { value: "text/plain" } },
    body: { encoding: "text", data: "none" },
  });
});
