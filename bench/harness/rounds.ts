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
