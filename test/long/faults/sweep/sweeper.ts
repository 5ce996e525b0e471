import type { Rules } from "./rules.ts";
import {
  allObjects,
  describeObjects,
  idleSweeper,
  namedObjects,
  type Release,
  type State,
  type Step,
  type Sweeper,
} from "./state.ts";

/** What the sweeper of this index can do next. */
export function sweeperSteps(state: State, index: number, rules: Rules, maximumEpochs: number): Step[] {
  const sweeper = state.sweepers[index] as Sweeper;
  if (sweeper.at === "idle") return [...endings(state, index), readProject(state, index, maximumEpochs)];
  const crash = { ...to(state, index, "stops", idleSweeper), isCrash: true };
  return [...nextSteps(state, index, sweeper, rules), crash];
}

function nextSteps(state: State, index: number, sweeper: Sweeper, rules: Rules): Step[] {
  switch (sweeper.at) {
    case "ending":
      return [endRelease(state, index, sweeper, rules)];
    case "project-read":
      return [readReleases(state, index, sweeper)];
    case "taking-over":
      return takeOver(state, index, sweeper, rules);
    case "listing":
      return [lookAtObject(state, index, sweeper)];
    case "announcing":
      return [announce(state, index, sweeper, rules)];
    case "deleting":
      return [sendDelete(state, index, sweeper, rules)];
    default:
      return finish(state, index, sweeper, rules);
  }
}

/**
 * The model lets every release that is not live be old enough: safety must not depend on how long releases are kept.
 */
function endings(state: State, index: number): Step[] {
  return state.releases.flatMap(({ status }, release) =>
    status === "ended" || state.live === release
      ? []
      : [to(state, index, `finds release ${release} too old`, { ...idleSweeper, at: "ending", release })],
  );
}

function endRelease(state: State, index: number, { release }: Sweeper, rules: Rules): Step {
  if (rules.endingFailsWhileLive && state.live === release) return to(state, index, "fails to end it", idleSweeper);
  const releases = state.releases.with(release, { ...(state.releases[release] as Release), status: "ended" });
  return to({ ...state, releases }, index, `ends release ${release}`, idleSweeper);
}

function readProject(state: State, index: number, maximumEpochs: number): Step {
  const { opened, epoch, condemned } = state;
  if (epoch >= maximumEpochs) return to(state, index, "has done enough", idleSweeper);
  const at = condemned === 0 ? "project-read" : "taking-over";
  return to(state, index, "reads the project", { ...idleSweeper, at, opened, epoch });
}

/** All release items, then their manifests. */
function readReleases(state: State, index: number, sweeper: Sweeper): Step {
  const unlisted = allObjects.reduce((sum, object) => sum | object);
  return to(state, index, "reads the releases", { ...sweeper, at: "listing", named: namedObjects(state), unlisted });
}

/** A list of many objects is no snapshot, so the model lists each object in a step of its own. */
function lookAtObject(state: State, index: number, sweeper: Sweeper): Step {
  const object = allObjects.find((candidate) => sweeper.unlisted & candidate);
  if (object === undefined) {
    const hasFound = sweeper.condemned !== 0;
    const next: Sweeper = hasFound ? { ...sweeper, at: "announcing" } : idleSweeper;
    return to(state, index, hasFound ? "has listed all" : "finds nothing to delete", next);
  }
  const isUnnamed = state.objects & object & ~sweeper.named;
  const condemned = isUnnamed ? sweeper.condemned | object : sweeper.condemned;
  return to(state, index, `lists ${describeObjects(object)}`, {
    ...sweeper,
    unlisted: sweeper.unlisted & ~object,
    condemned,
  });
}

/** One transaction: nothing was opened since the project was read, and no deletion is announced. */
function announce(state: State, index: number, sweeper: Sweeper, rules: Rules): Step {
  const isOpenedSince = rules.announcingFailsAfterOpening && state.opened !== sweeper.opened;
  if (isOpenedSince || state.epoch !== sweeper.epoch) return to(state, index, "fails to announce", idleSweeper);
  return leased(state, index, sweeper.condemned, `announces that it deletes ${describeObjects(sweeper.condemned)}`);
}

/** One transaction: the deletion that a stopped sweeper announced is this one's now. */
function takeOver(state: State, index: number, sweeper: Sweeper, rules: Rules): Step[] {
  if (rules.takingOverWaitsForLease && state.leases & (1 << sweeper.epoch)) return [];
  if (state.epoch !== sweeper.epoch || state.condemned === 0)
    return [to(state, index, "finds the deletion done", idleSweeper)];
  return [leased(state, index, state.condemned, "takes the deletion over")];
}

function leased(state: State, index: number, condemned: number, label: string): Step {
  const epoch = state.epoch + 1;
  const next = { ...state, epoch, condemned, leases: state.leases | (1 << epoch), deletions: [...state.deletions, 0] };
  return to(next, index, label, { ...idleSweeper, at: "deleting", epoch, condemned });
}

function sendDelete(state: State, index: number, sweeper: Sweeper, rules: Rules): Step {
  const object = allObjects.find((candidate) => sweeper.condemned & candidate);
  if (object === undefined) return to(state, index, "has sent every DELETE", { ...sweeper, at: "finishing" });
  const isRefused = rules.deletesExpire && !(state.leases & (1 << sweeper.epoch));
  const inFlight = (state.deletions[sweeper.epoch] as number) | (isRefused ? 0 : object);
  const next = { ...state, deletions: state.deletions.with(sweeper.epoch, inFlight) };
  const rest = { ...sweeper, condemned: sweeper.condemned & ~object };
  return to(next, index, `sends DELETE of ${describeObjects(object)}`, rest);
}

/** One transaction: the deletion is still this sweeper's. It is announced no more. */
function finish(state: State, index: number, { epoch }: Sweeper, rules: Rules): Step[] {
  const isOver = state.deletions[epoch] === 0 || (rules.deletesExpire && !(state.leases & (1 << epoch)));
  if (rules.finishingWaitsForDeletes && !isOver) return [];
  if (state.epoch !== epoch) return [to(state, index, "finds the deletion taken over", idleSweeper)];
  return [to({ ...state, condemned: 0 }, index, "ends the deletion", idleSweeper)];
}

/** What happens by itself: a DELETE arrives, early or late, and a lease ends. */
export function passiveSteps(state: State, rules: Rules): Step[] {
  const arrivals = state.deletions.flatMap((objects, epoch) =>
    allObjects.filter((object) => objects & object).map((object) => deleted(state, epoch, object)),
  );
  const ends = state.deletions.flatMap((_, epoch) =>
    state.leases & (1 << epoch) ? [leaseEnds(state, epoch, rules)] : [],
  );
  return [...arrivals, ...ends];
}

function deleted(state: State, epoch: number, object: number): Step {
  const deletions = state.deletions.with(epoch, (state.deletions[epoch] as number) & ~object);
  const next = { ...state, objects: state.objects & ~object, deletions };
  return { label: `${describeObjects(object)} is deleted`, next };
}

function leaseEnds(state: State, epoch: number, rules: Rules): Step {
  const deletions = rules.deletesExpire ? state.deletions.with(epoch, 0) : state.deletions;
  return { label: `lease ${epoch} ends`, next: { ...state, leases: state.leases & ~(1 << epoch), deletions } };
}

function to(state: State, index: number, label: string, sweeper: Sweeper): Step {
  const sweepers = state.sweepers.with(index, sweeper);
  return { label: `sweeper ${index} ${label}`, next: { ...state, sweepers } };
}
