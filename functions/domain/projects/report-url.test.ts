import { afterEach, expect, test } from "@jest/globals";
import { reportUrl } from "./report-url.ts";

afterEach(() => {
  delete process.env["REPORT_URL"];
});

test.each([
  ["https://example.com/report?game={slug}", "https://example.com/report?game=my-game"],
  ["", null],
])("with %j a project is reported at %s", (setting, url) => {
  process.env["REPORT_URL"] = setting;
  expect(reportUrl("my-game")).toBe(url);
});
