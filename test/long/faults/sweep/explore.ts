import { type Exploration, exploreStates } from "../explore-states.ts";
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

/** Goes through every state that can be reached from the first one, until one is bad. */
export function explore(
  { first, rules, bounds }: { first: State; rules: Rules; bounds: Bounds },
  isBad: (state: State) => boolean,
  visit?: (state: State) => void,
): Exploration {
  const model = { stepsFrom: (state: State) => stepsFrom(state, rules, bounds), encode };
  return exploreStates(first, model, isBad, visit);
}
