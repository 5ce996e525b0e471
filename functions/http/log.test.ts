import { afterEach, expect, jest, test } from "@jest/globals";
import { threadMilliseconds } from "../../test/support/thread-time.ts";
import { RawToken } from "../domain/tokens/raw-token.ts";
import { log, redacted } from "./log.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

const rawToken = RawToken.generate("0123456789abcdefghijAB").reveal();
const presigned = "X-Amz-Security-Token=c2Vzc2lvbg&X-Amz-Signature=0123abcd";
const idToken = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";

test("a log line is one line of JSON, and contains no secret of its error", () => {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const cause = new Error(`ada@example.test used ${idToken} for ?${presigned}`);
  log({
    level: "error",
    message: "Internal error",
    request_id: "r1",
    route: "GET /me",
    error: new Error(`bad ${rawToken}\nsecond line`, { cause }),
  });
  expect(write).toHaveBeenCalledTimes(1);
  const text = String(write.mock.calls[0]?.[0]);
  expect(text.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(text)).toMatchObject({
    timestamp: expect.stringMatching(/^20.*Z$/),
    level: "error",
    request_id: "r1",
    error: {
      message: "bad pat_…\nsecond line",
      stack: expect.stringContaining("log.test.ts"),
      cause: { message: "…@… used eyJ… for ?X-Amz-Security-Token=…&X-Amz-Signature=…" },
    },
  });
  for (const secret of [rawToken, idToken, "ada@example.test", "c2Vzc2lvbg", "0123abcd"])
    expect(text).not.toContain(secret);
});

test("a line has an error only if there is one, and of what is no error its type alone", () => {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const line = { level: "warn", message: "m", request_id: "r1", route: "GET /me" } as const;
  for (const error of [undefined, new Error("x"), idToken]) log({ ...line, error });
  const lines = write.mock.calls.map(([text]) => JSON.parse(String(text)));
  const timestamp = expect.any(String);
  expect(lines).toEqual([
    { ...line, timestamp },
    { ...line, timestamp, error: { name: "Error", message: "x", stack: expect.any(String) } },
    { ...line, timestamp, error: { name: "string" } },
  ]);
});

test("a stack trace keeps its file names", () => {
  const frame = "at file (/var/task/node_modules/@aws-sdk/client-dynamodb/index.js:1:2)";
  expect(redacted(frame)).toBe(frame);
});

test.each([
  ["https://idp.example/userinfo?email=ada@example.test", "https://idp.example/…@…"],
  ["projects/ada@example.test/files", "projects/…@…/files"],
  ['{"email":"ada@example.test"}', '{"email":"…@…"}'],
  ["<ada@example.test>, 'o'brien@example.test'", "<…@…>, …@…'"],
  ['"a-quoted-part"@example.test', "…@…"],
  [
    "GET /o?X-Amz-Expires=60&X-Amz-Security-Token=IQoJb3%2Bx&X-Amz-Signature=0af3&x-id=GetObject",
    "GET /o?X-Amz-Expires=60&X-Amz-Security-Token=…&X-Amz-Signature=…&x-id=GetObject",
  ],
])("%s is logged as %s", (text, logged) => {
  expect(redacted(text)).toBe(logged);
});

test("a long text without an email address takes little time", async () => {
  const text = "x".repeat(200_000);
  expect(await threadMilliseconds(() => expect(redacted(text)).toBe(text))).toBeLessThan(5_000);
});
