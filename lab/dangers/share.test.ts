import { describe, expect, test } from "@jest/globals";
import { bundledFaults, loadedFaults } from "./faults.ts";
import { shareOf } from "./share.ts";

const all = [...loadedFaults, ...bundledFaults];

describe("shares of the faults", () => {
  test.each([1, 3, 7])("of %d runs have each fault once, and about as many", (runs) => {
    const shares = Array.from({ length: runs }, (_, index) => [...shareOf(all, `${index + 1}/${runs}`)]);
    expect(shares.flat()).toHaveLength(all.length);
    expect(new Set(shares.flat())).toEqual(new Set(all));
    for (const { length } of shares) expect(length).toBeGreaterThan(all.length / runs / 2);
  });

  test("keep those of a test file together", () => {
    const files = [1, 2, 3].map((number) => new Set([...shareOf(all, `${number}/3`)].map((fault) => fault.test)));
    expect(files.flatMap((some) => [...some])).toHaveLength(new Set(all.map((fault) => fault.test)).size);
  });

  test.each(["0/3", "4/3", "1", "a/b", "1/0"])("are not %s", (share) => {
    expect(() => shareOf(all, share)).toThrow("no share");
  });
});
