import { type Bounds, stepsFrom } from "./explore.ts";
import { protocol } from "./rules.ts";
import { idlePublisher, idleSweeper, namedObjects, objectsOf, type State, type Step } from "./state.ts";

const unbounded: Bounds = { releases: 100, deletions: 100 };

/**
 * A sweep of everything, then a publication of manifest 1 by a new publisher, ends with that release live and complete.
 */
export function publishesAgain(state: State): boolean {
  let now = follow(follow(stopped(state), isSweeping), isOpening);
  const release = now.releases.findLastIndex(({ status, manifest }) => status === "open" && manifest === 1);
  if (release === -1) return now.releases[now.live]?.manifest === 1;
  now = follow(now, (label) => / is uploaded$/.test(label));
  now = follow(now, (label) => isPublishing(label, release));
  return now.live === release && (objectsOf(1) & ~now.objects) === 0;
}

/** After two undisturbed sweeps, of which the first may continue a deletion, only what the releases name is left. */
export function deletesGarbage(state: State): boolean {
  const swept = follow(follow(stopped(state), isSweeping), isSweeping);
  return (swept.objects & ~namedObjects(swept)) === 0 && swept.condemned === 0;
}

/** Every process was stopped, and no request is still on its way. */
function stopped(state: State): State {
  return {
    ...state,
    uploadable: 0,
    leases: 0,
    deletions: state.deletions.map(() => 0),
    publishers: [idlePublisher],
    sweepers: [idleSweeper],
  };
}

function isSweeping(label: string): boolean {
  return (label.startsWith("sweeper 0") && !/ too old$/.test(label)) || / is deleted$/.test(label);
}

function isOpening(label: string): boolean {
  return /^publisher 0 (?!reads)/.test(label) || label === "publisher 0 reads the project to open manifest 1";
}

function isPublishing(label: string, release: number): boolean {
  return /^publisher 0 (?!reads)/.test(label) || label === `publisher 0 reads release ${release} to publish it`;
}

const longest = 200;

/** Takes the wanted steps until there is none, or the process is where it began. */
function follow(state: State, isWanted: (label: string) => boolean): State {
  let now = state;
  for (let count = 0; count < longest; count += 1) {
    const step = nextStep(now, isWanted);
    if (step === undefined) return now;
    now = step.next;
    const isAtRest = now.publishers[0]?.at === "idle" && now.sweepers[0]?.at === "idle";
    if (isAtRest && now.deletions.every((objects) => objects === 0) && !/upload/.test(step.label)) return now;
  }
  throw new Error("The processes do not come to rest");
}

function nextStep(state: State, isWanted: (label: string) => boolean): Step | undefined {
  return stepsFrom(state, protocol, unbounded).find(({ label, isCrash }) => !isCrash && isWanted(label));
}
