import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { serviceVersion } from "../../contract/api/version.ts";

/* CHANGELOG.md: what an operator must know of each version stands in the same four lines. */

const text = readFileSync("CHANGELOG.md", "utf8");
const entries = text
  .split(/^## /m)
  .slice(1)
  .map((entry) => {
    const [version = "", ...lines] = entry.trim().split("\n");
    return { version: version.split(" ")[0] ?? "", lines: lines.filter((line) => /^- \*\*/.test(line)) };
  });
const lineOf = (lines: readonly string[], label: string) =>
  lines.find((line) => line.startsWith(`- **${label}**: `))?.slice(`- **${label}**: `.length);
const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);

test.each(entries)("version $version has the four lines, in their order", ({ version, lines }) => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(lines.map((line) => /^- \*\*(.+?)\*\*: \S/.exec(line)?.[1])).toEqual([
    "Policies",
    "Manual steps",
    "Data",
    "Back to",
  ]);
  const back = lineOf(lines, "Back to") ?? "";
  expect(["none", ...entries.map((entry) => entry.version)]).toContain(back);
  expect(back).not.toBe(version);
});

test("versions stand from the newest to the oldest", () => {
  const numbers = entries.map(({ version }) => version.split(".").map(Number) as [number, number, number]);
  expect(numbers).toEqual(numbers.toSorted((a, b) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]));
});

test("the newest is that of the packages that deploy it and of GET /, and names the account's policies as they are", () => {
  const [newest] = entries;
  for (const name of ["package.json", "infra/package.json"]) {
    const { version } = JSON.parse(readFileSync(name, "utf8")) as { version: string };
    expect([name, newest?.version, serviceVersion]).toEqual([name, version, version]);
  }
  expect(lineOf(newest?.lines ?? [], "Policies")).toBe(
    `boundary ${digest("infra/deployment/permissions-boundary.json")}, execution ${digest("infra/deployment/execution-policy.json")}`,
  );
});
