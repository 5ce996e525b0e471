import { expect, test } from "@jest/globals";
import { reportUrlOf, reportUrlProblem } from "./report-url.ts";

test.each([
  "https://example.com/report?game={slug}",
  "mailto:abuse@example.com",
  "mailto:abuse@example.com?subject=Report%20of%20{slug}",
])("%s can be where games are reported", (value) => {
  expect(reportUrlProblem(value)).toBeUndefined();
});

test.each([
  "http://example.com/report",
  "javascript:alert(1)",
  "abuse@example.com",
  "/report",
  "mailto:abuse@example.com?subject=Report of {slug}",
  " https://example.com/",
  `https://example.com/"><script>`,
  "https://example.com/<b",
  "",
])("%j cannot be where games are reported", (value) => {
  expect(reportUrlProblem(value)).toMatch(/^must be an https or mailto URL/);
});

test("the slug replaces each {slug}, and nothing does if there is no slug", () => {
  expect(reportUrlOf("https://example.com/{slug}?game={slug}", "chess")).toBe("https://example.com/chess?game=chess");
  expect(reportUrlProblem(`https://example.com/${"x".repeat(280)}`)).toBeUndefined();
  expect(reportUrlProblem(`https://example.com/${"x".repeat(281)}`)).toBe("must have at most 300 bytes");
  expect(reportUrlProblem(`https://example.com/${"é".repeat(141)}`)).toBe("must have at most 300 bytes");
  expect(reportUrlOf("https://example.com/?game={slug}")).toBe("https://example.com/?game=");
});
