import { binomialDistribution, median } from "simple-statistics";

/** Our measurements compared with another contender's. */
export interface Comparison {
  /** Medians, in the unit of the measurements. */
  readonly ours: number;
  readonly theirs: number;
  /** The median of ours / theirs, pair by pair. */
  readonly ratio: number;
  /** The lower end of the median's 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
}

/**
 * Compares measurements that were taken in turn, so that a disturbance most likely affected both of a pair.
 *
 * @throws RangeError if there are no pairs
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
 * The 95 % confidence interval of the median, for any distribution: the order statistics of a sign test. For fewer than six
 * values it is the whole range.
 */
function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = outerRank(sorted.length);
  return [sorted[rank] as number, sorted[sorted.length - 1 - rank] as number];
}

/** Number of values that the interval excludes at each end. */
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

/** All measurements of a contender by name, in the order of the rounds. */
export type Series<M extends Measures> = { readonly [Measure in keyof M]: readonly number[] };

/**
 * Runs the contenders in turn (A B A B …), so that a slow moment of the machine affects all of them. Drops the warm-up
 * rounds.
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
