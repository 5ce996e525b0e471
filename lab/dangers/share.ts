import type { Fault } from "./faults.ts";

/**
 * The faults of one of several runs, of which each fault is in one. Those of a test file stay together, because each run takes the file once
 * without a fault, and the runs have about as many.
 *
 * @param share such as `2/3`
 * @throws Error if it is none
 */
export function shareOf(faults: readonly Fault[], share: string): ReadonlySet<Fault> {
  const [, number = 0, runs = 0] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(share) ?? []).map(Number);
  if (number === 0 || number > runs) throw new Error(`${share} is no share such as 1/3`);
  const groups = [...Map.groupBy(faults, ({ test }) => test).values()].toSorted((a, b) => b.length - a.length);
  const shares = Array.from({ length: runs }, (): Fault[] => []);
  for (const group of groups) shares.reduce((least, one) => (one.length < least.length ? one : least)).push(...group);
  return new Set(shares[number - 1]);
}
