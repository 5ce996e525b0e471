import { binomialDistribution, median } from "simple-statistics";

/** Ours beside another's, from measurements taken in turn. */
export interface Comparison {
  /** Medians, in the unit of the measurements. */
  readonly ours: number;
  readonly theirs: number;
  /** The median of ours / theirs, pair by pair. */
  readonly ratio: number;
  /** Where that median lies with 95 % confidence. */
  readonly low: number;
  readonly high: number;
  /** False where the noise is larger than the difference: the interval holds 1, or the pairs are too few. */
  readonly isDecided: boolean;
}

/**
 * Compares measurements that were taken in turn, so that what disturbed one of a pair most likely disturbed the other.
 *
 * @throws RangeError where there are no pairs
 */
export function compare(ours: readonly number[], theirs: readonly number[]): Comparison {
  if (ours.length === 0 || ours.length !== theirs.length) throw new RangeError("Measurements come in pairs");
  const ratios = ours.map((value, index) => value / (theirs[index] as number));
  const [low, high] = medianInterval(ratios);
  return {
    ours: median([...ours]),
    theirs: median([...theirs]),
    ratio: median(ratios),
    low,
    high,
    isDecided: ours.length >= fewestPairs && (low > 1 || high < 1),
  };
}

const confidence = 0.95;
/** Five pairs that all fall on one side do so by chance in 6 % of runs. */
const fewestPairs = 6;

/**
 * Where the median of what was sampled lies with 95 % confidence, whatever its distribution: the order statistics that a
 * sign test allows. Fewer than six values cannot be that sure, so theirs is the whole range.
 */
function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = outerRank(sorted.length);
  return [sorted[rank] as number, sorted[sorted.length - 1 - rank] as number];
}

/** How many values at each end may be left out: the chance that the median lies beyond them is within what is allowed. */
function outerRank(count: number): number {
  const chances = binomialDistribution(count, 0.5) ?? [];
  let rank = 0;
  let beyond = chances[0] ?? 1;
  while (beyond + (chances[rank + 1] ?? 1) <= (1 - confidence) / 2) {
    rank += 1;
    beyond += chances[rank] ?? 1;
  }
  return rank;
}
