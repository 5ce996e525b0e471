import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import type { Figure, Target } from "../area.ts";
import { pageOf, type Result } from "./results.ts";

function result(figures: Record<string, Figure>, targets: Record<string, Target> = {}): Result {
  const provenance = { date: "2026-11-22T01:02:03.000Z", commit: "abc1234", machine: "1 × CPU", loadBefore: "0.1" };
  return { title: "Cold start", method: "A new process each time.", figures, targets, ...provenance };
}

function rowOf(name: string, figure: Figure, target?: Target): string | undefined {
  const page = pageOf({ cold: result({ [name]: figure }, target && { [name]: target }) });
  return page.split("\n").find((line) => line.startsWith(`| ${name} `));
}

test("a figure at its target holds it; one above it says why the goal is not met", () => {
  expect(rowOf("x", { value: 60, unit: "ms" }, { atMost: 60 })).toBe("| x | 60 ms | ≤ 60 ms | held | abc1234 |");
  expect(rowOf("x", { value: 61, unit: "" }, { atMost: 60, reasonNotMet: "it waits" })).toBe(
    "| x | 61 | ≤ 60 | goal not met: it waits | abc1234 |",
  );
  expect(rowOf("x", { value: 61, unit: "" }, { atMost: 60 })).toContain("goal not met: why is not known yet");
});

test("a ratio whose interval contains the target is marked as within the noise", () => {
  const ratio: Figure = { value: 0.8, unit: "×", range: [0.4, 1.2] };
  expect(rowOf("x", ratio, { atMost: 0.8 })).toBe(
    "| x | 0.8 × (0.40–1.20) | ≤ 0.8 × | held, within the noise | abc1234 |",
  );
  expect(rowOf("x", ratio, { atMost: 2 })).toContain("| held |");
});

test("a figure without a target is shown", () => {
  expect(rowOf("x", { value: 1_234, unit: "kB" })).toBe("| x | 1,234 kB |  |  | abc1234 |");
});

test("the page has all figures in its first table, and its areas in the order of their names", () => {
  const page = pageOf({ start: result({ s: { value: 1, unit: "" } }), cold: result({ c: { value: 2, unit: "" } }) });
  expect(page.indexOf("| c ")).toBeLessThan(page.indexOf("| s "));
  expect(page.indexOf("| s ")).toBeLessThan(page.indexOf("## "));
});

test("bench/RESULTS.md is what bench/results.json says", () => {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  expect(read("RESULTS.md")).toBe(pageOf(JSON.parse(read("results.json"))));
});
