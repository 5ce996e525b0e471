import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { Route } from "../../../contract/api/route.ts";
import { jsonNear, markPlaceholder } from "./fuzzed-json.ts";
import type { RawRequest } from "./raw-request.ts";

/** A request to a route whose body, parameters and headers almost fit the route, or do not fit at all. */
export function requestsNear(route: Route, parameters: Readonly<Record<string, string>>): fc.Arbitrary<RawRequest> {
  return fc
    .record({ path: pathNear(route, parameters), query: queryNear(route), sent: bodyNear(route) })
    .map(({ path, query, sent }) => ({ method: route.method, path: path + query, ...sent }));
}

const oddSegments = [
  "%00",
  "%ff",
  "%2e%2e",
  "%2F",
  ".",
  "..",
  "%",
  "a%",
  "%zz",
  "~",
  "__proto__",
  "constructor",
  "*",
  "$x",
];

/** The route's path, mostly with valid parameters, so that the rest of the request is checked too. */
function pathNear(route: Route, parameters: Readonly<Record<string, string>>): fc.Arbitrary<string> {
  const segments = route.path.split("/").map((segment) => {
    const name = /^[:*](\w+)$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    return fc.oneof(
      { weight: 8, arbitrary: fc.constant(encodeURIComponent(parameters[name] ?? "x")) },
      { weight: 1, arbitrary: fc.constantFrom(...oddSegments) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }).map(encode) },
    );
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function queryNear({ query }: Route): fc.Arbitrary<string> {
  const name = fc.constantFrom("limit", "cursor", "limit", "cursor", "page", "__proto__", "limit[]", "");
  const value = fc.oneof(
    fc.constantFrom(
      "1",
      "2",
      "100",
      "0",
      "101",
      "-1",
      "1e2",
      "0x10",
      "+5",
      "NaN",
      "null",
      "%00",
      "%ff",
      "%",
      "x".repeat(2_000),
    ),
    fc.string({ unit: "grapheme", maxLength: 40 }).map(encode),
    fc.base64String({ maxLength: 60 }).map(encode),
  );
  const pairs = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: query ? 1 : 8, arbitrary: fc.constant("") },
    { weight: 3, arbitrary: pairs.map((list) => `?${list.map((pair) => pair.join("=")).join("&")}`) },
  );
}

type RequestContent = Pick<RawRequest, "headers" | "body">;

const json = ["content-type", "application/json"] as const;

/** A form whose fields are those that the route knows and others, with good and bad values. */
function formNear(body: NonNullable<Route["body"]>): fc.Arbitrary<RequestContent> {
  const known = Object.keys((body as unknown as { shape: object }).shape);
  const good = [
    "svc-cli",
    "authorization_code",
    "urn:ietf:params:oauth:grant-type:device_code",
    "publish",
    "v".repeat(43),
  ];
  const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, fc.constantFrom("__proto__", "x[]", ""));
  const value = fc.oneof(
    fc.constantFrom(...good),
    fc.constant(markPlaceholder),
    fc.string({ unit: "grapheme", maxLength: 300 }),
  );
  const headers = [["content-type", "application/x-www-form-urlencoded"] as const];
  const client = fc.constantFrom<[string, string][]>([["client_id", "svc-cli"]], []);
  return fc.tuple(client, fc.array(fc.tuple(name, value), { maxLength: 5 })).map(([first, more]): RequestContent => {
    const pairs = [...first, ...more].map((pair) => pair.map(encode).join("="));
    return { headers, body: Buffer.from(pairs.join("&")) };
  });
}

function bodyNear({ body, form }: Route): fc.Arbitrary<RequestContent> {
  if (form && body) return formNear(body);
  // A route that takes no body must ignore one.
  const text = body ? jsonNear(body) : fc.constantFrom("", "", "", "{}", `{"name":"${markPlaceholder}"}`);
  const asItIs = text.map((value): RequestContent => ({ headers: [json], body: Buffer.from(value) }));
  const spoilt = fc.tuple(text, spoilings, types).map(([value, spoil, headers]): RequestContent => {
    const bytes = spoil(Buffer.from(value));
    return { headers, body: bytes };
  });
  return fc.oneof({ weight: 4, arbitrary: asItIs }, { weight: 1, arbitrary: spoilt });
}

const types = fc.oneof(
  { weight: 6, arbitrary: fc.constant([json]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      [],
      [["content-type", "text/plain"] as const],
      [["content-type", "application/json; charset=utf-16"] as const],
      [["content-type", "application/json, text/plain"] as const],
      [json, json],
      [json, ["content-encoding", "gzip"] as const],
      [json, ["content-encoding", "br, gzip"] as const],
      [json, ["x-http-method-override", "DELETE"] as const],
    ),
  },
);

type Spoil = (bytes: Buffer) => Buffer | Buffer[];

/** Ways in which a body arrives broken, wrapped or in pieces. */
const spoilings: fc.Arbitrary<Spoil> = fc.oneof(
  fc.nat(300).map(
    (length): Spoil =>
      (bytes) =>
        bytes.subarray(0, length),
  ),
  fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(
    ([place, more]): Spoil =>
      (bytes) => {
        const at = place % (bytes.byteLength + 1);
        return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
      },
  ),
  fc.constant<Spoil>((bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])),
  fc.constant<Spoil>((bytes) => Buffer.from(bytes.toString(), "utf16le")),
  fc.constant<Spoil>((bytes) => gzipSync(bytes)),
  fc.constant<Spoil>((bytes) => Buffer.concat([bytes, bytes])),
  fc.constant<Spoil>((bytes) => Buffer.from(` \n\t${bytes.toString()} `)),
  fc.constant<Spoil>(() => Buffer.alloc(0)),
  fc.integer({ min: 1, max: 9 }).map(
    (size): Spoil =>
      (bytes) =>
        Array.from({ length: Math.ceil(Math.min(bytes.byteLength, 300) / size) }, (_, index) =>
          bytes.subarray(index * size, index * size + size),
        ),
  ),
);

/** Puts the request's own mark in place of the placeholder, so that a stored text shows its request. */
export function marked({ body, ...request }: RawRequest, mark: string): RawRequest {
  const put = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replaceAll(markPlaceholder, mark), "latin1");
  if (body === undefined) return request;
  return { ...request, body: Array.isArray(body) ? body.map(put) : put(body as Buffer) };
}
