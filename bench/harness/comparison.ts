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
  };
}

const confidence = 0.95;

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

/** Numbers by the name of what was measured. */
export type Measures = Readonly<Record<string, number>>;

/** Everything that a contender gave, by the name of what was measured, in the order of the rounds. */
export type Series<M extends Measures> = { readonly [Measure in keyof M]: readonly number[] };

/**
 * Lets contenders run in turn (A B A B …): a machine that is slow for a while is slow for all of them. The warm-up rounds
 * are thrown away.
 */
export async function inTurn<Name extends string, M extends Measures>(
  contenders: Readonly<Record<Name, () => Promise<M>>>,
  { rounds, warmUps }: { rounds: number; warmUps: number },
): Promise<Record<Name, Series<M>>> {
  const names = Object.keys(contenders) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as M[]])) as Record<Name, M[]>;
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of names) {
      const measures = await contenders[name]();
      if (round >= 0) measured[name].push(measures);
    }
  }
  return Object.fromEntries(names.map((name) => [name, seriesOf(measured[name])])) as Record<Name, Series<M>>;
}

function seriesOf<M extends Measures>(measured: readonly M[]): Series<M> {
  const names = Object.keys(measured[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, measured.map((measures) => measures[name] as number)]),
  ) as unknown as Series<M>;
}
