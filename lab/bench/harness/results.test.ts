import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import type { Area, Figure, Target } from "../area.ts";
import { pageOf, type Result, unmeasured } from "./results.ts";

function result(figures: Record<string, Figure>, targets: Record<string, Target> = {}): Result {
  const provenance = { date: "2026-11-22T01:02:03.000Z", commit: "abc1234", machine: "1 × CPU", loadBefore: "0.1" };
  return { title: "Cold start", method: "A new process each time.", decides: [], figures, targets, ...provenance };
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

test("the page begins with what decides, and has every figure with its area, in the order of their names", () => {
  const figures = (name: string) => ({ [name]: { value: 1, unit: "" }, [`${name}2`]: { value: 2, unit: "" } });
  const [first = "", cold, start] = pageOf({
    start: { ...result(figures("s")), decides: ["s"] },
    cold: { ...result(figures("c")), decides: ["c"] },
  }).split("\n## ");
  expect(first.match(/^\| [cs]2? \|/gm)).toEqual(["| c |", "| s |"]);
  expect(cold?.match(/^\| [cs]2? \|/gm)).toEqual(["| c |", "| c2 |"]);
  expect(start?.match(/^\| [cs]2? \|/gm)).toEqual(["| s |", "| s2 |"]);
});

test("at most 12 figures decide, and each area has one", () => {
  const areas = Object.values<Result>(JSON.parse(readFileSync(new URL("../results.json", import.meta.url), "utf8")));
  expect(areas.flatMap(({ decides }) => decides).length).toBeLessThanOrEqual(12);
  expect(areas.filter(({ decides, figures }) => !decides.some((name) => name in figures))).toEqual([]);
});

test("a figure that is promised and was not measured is named", () => {
  const area = { name: "x", decides: ["a"], targets: { b: { atMost: 1 }, c: { atMost: 1 } } } as unknown as Area;
  const figures = { b: { value: Number.NaN, unit: "" }, c: { value: 0, unit: "" } };
  expect(unmeasured(area, { figures })).toEqual(["a", "b"]);
});

test("lab/bench/RESULTS.md is what lab/bench/results.json says", () => {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  expect(read("RESULTS.md")).toBe(pageOf(JSON.parse(read("results.json"))));
});
