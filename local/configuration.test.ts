import { expect, test } from "@jest/globals";
import { readConfiguration } from "./configuration.ts";

test.each<[string | undefined, string | undefined]>([
  [undefined, "mailto:abuse@localhost?subject=Report%20of%20{slug}"],
  ["https://example.com/report?game={slug}", "https://example.com/report?game={slug}"],
  ["", undefined],
])("with REPORT_URL %j games are reported at %j", (value, expected) => {
  expect(readConfiguration({ REPORT_URL: value }).reportUrl).toBe(expected);
});

test("a REPORT_URL that no page could link to is refused in a sentence", () => {
  expect(() => readConfiguration({ REPORT_URL: "abuse@example.com" })).toThrow(
    'REPORT_URL must be an https or mailto URL such as mailto:abuse@example.com?subject={slug}, not "abuse@example.com"',
  );
});

test.each<[NodeJS.ProcessEnv, number]>([
  [{}, 8789],
  [{ PORT: "9000" }, 9002],
  [{ PORT: "0" }, 0],
  [{ PORT: "0", S3_PORT: "9500" }, 9500],
  [{ S3_PORT: "0" }, 0],
])("with %j the store has the port %i, also after a restart", (variables, s3Port) => {
  expect(readConfiguration(variables).s3Port).toBe(s3Port);
});

test("no game is on the network unless SVC_HOST names where", () => {
  expect(readConfiguration({ HOST: "my-machine" }).host).toBeUndefined();
  expect(readConfiguration({ SVC_HOST: "192-168-1-5.sslip.io" }).host).toBe("192-168-1-5.sslip.io");
});

test.each(["192.168.1.5", "localhost", "a.localhost", "http://a.example", "a.example:80", "-a.example", "A.example"])(
  "SVC_HOST %s, below which no name of a game is, is refused",
  (text) => {
    expect(() => readConfiguration({ SVC_HOST: text })).toThrow("such as 192-168-1-5.sslip.io");
  },
);
