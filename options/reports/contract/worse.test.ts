import { describe, expect, test } from "@jest/globals";
import { isClearlyWorse } from "./worse.ts";

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Releases {
  readonly seed: number;
  /** By how much a play of the release crashes more often than one of the release before. */
  readonly worseBy: (random: number) => number;
  /** Plays after which nobody looks any more. */
  readonly until?: number;
}

/**
 * After how many plays each of 100 releases is called clearly worse, if somebody looks after each play; undefined: never. Both releases have 50 to
 * 5,000 plays, of which up to 5 of 100 crash before.
 */
function noticedAfter({ seed, worseBy, until = 5_000 }: Releases): (number | undefined)[] {
  const random = numbersFrom(seed);
  const plays = () => 50 + Math.floor(random() * 4_951);
  const crashes = (count: number, rate: number) => Array.from({ length: count }, () => random() < rate);
  return Array.from({ length: 100 }, () => {
    const rate = random() * 0.05;
    const all = crashes(plays(), rate);
    const before = { plays: all.length, crashes: all.filter(Boolean).length };
    let crashed = 0;
    const after = crashes(Math.min(plays(), until), rate + worseBy(random())).findIndex((hasCrashed, index) => {
      crashed += Number(hasCrashed);
      return hasCrashed && isClearlyWorse({ plays: index + 1, crashes: crashed }, before);
    });
    return after === -1 ? undefined : after + 1;
  });
}

const isNoticed = (plays: number | undefined) => plays !== undefined;

describe("of 100 releases with 50 to 5,000 plays, of which somebody looks at each", () => {
  test.each([1, 2, 3, 4, 5])(
    "at least 95 that crash 10 points more often or more are noticed within 200 plays (%i)",
    (seed) => {
      const noticed = noticedAfter({ seed, worseBy: (random) => 0.1 + random * 0.2, until: 200 }).filter(isNoticed);
      expect(noticed.length).toBeGreaterThanOrEqual(95);
    },
  );

  test.each([1, 2, 3, 4, 5])("at most one that crashes as often as before is called worse (%i)", (seed) => {
    expect(noticedAfter({ seed, worseBy: () => 0 }).filter(isNoticed).length).toBeLessThanOrEqual(1);
  });

  test("none that crashes less often is called worse", () => {
    expect(noticedAfter({ seed: 6, worseBy: () => -0.05 }).filter(isNoticed)).toEqual([]);
  });
});

test.each<[string, [number, number], [number, number], boolean]>([
  ["no crash in many plays", [0, 5_000], [0, 5_000], false],
  ["four crashes, which may be one person's", [4, 20], [0, 5_000], false],
  ["five crashes in nineteen plays", [5, 19], [0, 5_000], false],
  ["five crashes in twenty plays, none before", [5, 20], [0, 5_000], true],
  ["five crashes in twenty plays, beside a release that was hardly played", [5, 20], [0, 19], false],
  ["a rate that is surely, but not much higher", [13_000, 1_000_000], [10_000, 1_000_000], false],
  ["a rate that is surely and much higher", [16_000, 1_000_000], [10_000, 1_000_000], true],
  ["more crashes than plays, since some plays are not counted", [300, 20], [1, 1_000], true],
])("%s", (_, [crashes, plays], [crashesBefore, playsBefore], expected) => {
  expect(isClearlyWorse({ crashes, plays }, { crashes: crashesBefore, plays: playsBefore })).toBe(expected);
});
