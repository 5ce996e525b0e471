import { afterEach, expect, test } from "@jest/globals";
import { apiOriginOf } from "./api-origin.ts";

afterEach(() => {
  delete process.env["API_ORIGIN"];
});

test("the API's origin is the configured one, else that of the host name that API Gateway routes by", () => {
  expect(apiOriginOf({ host: "x.execute-api.example" })).toBe("https://x.execute-api.example");
  process.env["API_ORIGIN"] = "https://api.example";
  expect(apiOriginOf({ host: "x.execute-api.example" })).toBe("https://api.example");
});
