/** One step of a model. */
export interface Transition<State> {
  readonly label: string;
  readonly next: State;
}

/** What can happen from a state, and a text that is the same for the same states. */
export interface Model<State> {
  stepsFrom(state: State): readonly Transition<State>[];
  encode(state: State): string;
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** The shortest way to a forbidden state, one line for each step; undefined if there is none. */
  readonly trace: readonly string[] | undefined;
}

/**
 * Goes through every state that can be reached from the first one, breadth first, until one is bad.
 *
 * @param visit called once for each state
 */
export function exploreStates<State>(
  first: State,
  { stepsFrom, encode }: Model<State>,
  isBad: (state: State) => boolean,
  visit: (state: State) => void = () => {},
): Exploration {
  const known = new Set([encode(first)]);
  const states: (State | undefined)[] = [first];
  const origins: { parent: number; label: string }[] = [{ parent: -1, label: "" }];
  let steps = 0;
  for (let index = 0; index < states.length; index += 1) {
    const state = states[index] as State;
    states[index] = undefined;
    if (isBad(state)) return { states: states.length, steps, trace: traceTo(index, origins) };
    visit(state);
    for (const { label, next } of stepsFrom(state)) {
      steps += 1;
      const code = encode(next);
      if (known.has(code)) continue;
      known.add(code);
      states.push(next);
      origins.push({ parent: index, label });
    }
  }
  return { states: states.length, steps, trace: undefined };
}

function traceTo(end: number, origins: readonly { parent: number; label: string }[]): string[] {
  const trace: string[] = [];
  for (let index = end; index > 0; ) {
    const origin = origins[index] as { parent: number; label: string };
    trace.unshift(origin.label);
    index = origin.parent;
  }
  return trace;
}
