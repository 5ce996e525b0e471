import { publisherSteps, uploadSteps } from "./publisher.ts";
import type { Rules } from "./rules.ts";
import { encode, namedObjects, objectsOf, type State, type Step } from "./state.ts";
import { passiveSteps, sweeperSteps } from "./sweeper.ts";

/** The limits of the exploration: everything that can happen within them is tried. */
export interface Bounds {
  /** Of the project, with those that it begins with. */
  readonly releases: number;
  /** Announced or taken over. */
  readonly deletions: number;
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** The shortest way to a forbidden state, one line for each step; undefined where there is none. */
  readonly trace: readonly string[] | undefined;
}

/** Every step that can be taken from a state. */
export function stepsFrom(state: State, rules: Rules, { releases, deletions }: Bounds): Step[] {
  return [
    ...state.publishers.flatMap((_, index) => publisherSteps(state, index, rules, releases)),
    ...state.sweepers.flatMap((_, index) => sweeperSteps(state, index, rules, deletions)),
    ...uploadSteps(state),
    ...passiveSteps(state, rules),
  ];
}

/** A release that visitors see lacks something: this harm cannot be repaired. */
export function hasLostLiveFile({ live, releases, objects }: State): boolean {
  const release = releases[live];
  return release !== undefined && (objectsOf(release.manifest) & ~objects) !== 0;
}

/** A release that was live once, and that a rollback may make live again, lacks something. */
export function hasLostPublishedFile({ releases, objects }: State): boolean {
  return releases.some(({ manifest, status }) => status === "published" && (objectsOf(manifest) & ~objects) !== 0);
}

/** An announced deletion names something of a release that has an item, open ones too. */
export function isCondemningNamed(state: State): boolean {
  return (state.condemned & namedObjects(state)) !== 0;
}

/**
 * Goes through every state that can be reached from the first one, breadth first, until one is bad.
 *
 * @param visit called once for each state
 */
export function explore(
  start: { first: State; rules: Rules; bounds: Bounds },
  isBad: (state: State) => boolean,
  visit: (state: State) => void = () => {},
): Exploration {
  const { first, rules, bounds } = start;
  const known = new Set([encode(first)]);
  const states: (State | undefined)[] = [first];
  const origins: { parent: number; label: string }[] = [{ parent: -1, label: "" }];
  let steps = 0;
  for (let index = 0; index < states.length; index += 1) {
    const state = states[index] as State;
    states[index] = undefined;
    if (isBad(state)) return { states: states.length, steps, trace: traceTo(index, origins) };
    visit(state);
    for (const { label, next } of stepsFrom(state, rules, bounds)) {
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
