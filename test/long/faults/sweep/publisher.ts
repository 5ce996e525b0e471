import type { Rules } from "./rules.ts";
import {
  allFiles,
  allObjects,
  describeObjects,
  idlePublisher,
  type ManifestId,
  manifests,
  objectsOf,
  type Publisher,
  type State,
  type Step,
} from "./state.ts";

/** What the publisher of this index can do next, as functions/domain does it. */
export function publisherSteps(state: State, index: number, rules: Rules, maximumReleases: number): Step[] {
  const publisher = state.publishers[index] as Publisher;
  if (publisher.at === "idle") return [...openings(state, index, maximumReleases), ...publications(state, index)];
  const crash = { ...to(state, index, "stops", idlePublisher), isCrash: true };
  return [nextStep(state, index, publisher, rules), crash];
}

function nextStep(state: State, index: number, publisher: Publisher, rules: Rules): Step {
  switch (publisher.at) {
    case "found-project":
      return findOpenRelease(state, index, publisher);
    case "found-none-open":
      return readDeletion(state, index, publisher, rules);
    case "checking":
    case "release-read":
      return lookForObject(state, index, publisher);
    case "opening":
      return openRelease(state, index, publisher, rules);
    default:
      return publishRelease(state, index, publisher, rules);
  }
}

function openings(state: State, index: number, maximumReleases: number): Step[] {
  if (state.releases.length >= maximumReleases) return [];
  return ([0, 1] as const).map((manifest) =>
    to(state, index, `reads the project to open manifest ${manifest}`, {
      ...idlePublisher,
      at: "found-project",
      manifest,
      live: state.live,
      epoch: state.epoch,
      announced: state.condemned !== 0,
    }),
  );
}

/** A resumed upload: its release has an item, and the client may request upload URLs of what is missing. */
function findOpenRelease(state: State, index: number, publisher: Publisher): Step {
  const { manifest } = publisher;
  const existing = state.releases.some((release) => release.status === "open" && release.manifest === manifest);
  if (!existing) return to(state, index, "finds no open release", { ...publisher, at: "found-none-open" });
  const uploadable = state.uploadable | (manifests[manifest].files & ~state.objects);
  return to({ ...state, uploadable }, index, "resumes the open release", idlePublisher);
}

function readDeletion(state: State, index: number, publisher: Publisher, rules: Rules): Step {
  const { manifest, announced, live } = publisher;
  const isInTheWay = announced && rules.openingWaitsForDeletion && (state.condemned & objectsOf(manifest)) !== 0;
  if (isInTheWay) return to(state, index, "waits for a deletion and gives up", idlePublisher);
  const unchecked = manifests[manifest].files & ~filesOfLive(state, live);
  return to(state, index, "finds no deletion in the way", { ...publisher, at: "checking", unchecked });
}

/** The files of the live release are assumed to be there. */
function filesOfLive(state: State, live: number): number {
  const release = state.releases[live];
  return release === undefined ? 0 : manifests[release.manifest].files;
}

function lookForObject(state: State, index: number, publisher: Publisher): Step {
  const object = allObjects.find((candidate) => publisher.unchecked & candidate);
  if (object === undefined) {
    if (publisher.at === "checking") return writeManifest(state, index, publisher);
    const isComplete = publisher.missing === 0;
    const next: Publisher = isComplete ? { ...publisher, at: "publishing" } : idlePublisher;
    return to(state, index, isComplete ? "has looked for all files" : "finds the release incomplete", next);
  }
  const missing = state.objects & object ? publisher.missing : publisher.missing | object;
  const unchecked = publisher.unchecked & ~object;
  return to(state, index, `looks for ${describeObjects(object)}`, { ...publisher, unchecked, missing });
}

/** It writes nothing over what is there. */
function writeManifest(state: State, index: number, publisher: Publisher): Step {
  const written = { ...state, objects: state.objects | manifests[publisher.manifest].object };
  return to(written, index, "writes the manifest", { ...publisher, at: "opening" });
}

/** One transaction: the project is as it was read, no other release is open with this manifest, and this one is. */
function openRelease(state: State, index: number, publisher: Publisher, rules: Rules): Step {
  const { manifest, epoch, missing } = publisher;
  const isTaken = state.releases.some((release) => release.status === "open" && release.manifest === manifest);
  const isAnnounced = rules.openingFailsAfterAnnouncing && state.epoch !== epoch;
  if (isTaken || isAnnounced) return to(state, index, "fails to open a release", idlePublisher);
  const releases = [...state.releases, { manifest, status: "open" } as const];
  const opened = { ...state, releases, opened: state.opened + 1, uploadable: state.uploadable | missing };
  return to(opened, index, `opens release ${releases.length - 1}`, idlePublisher);
}

function publications(state: State, index: number): Step[] {
  return state.releases.flatMap(({ status }, release) => {
    if (status === "ended" || state.live === release) return [];
    return [readForPublication(state, index, release, false)];
  });
}

/** The project and the release. What was live once is not looked at again: a rollback checks nothing. */
function readForPublication(state: State, index: number, release: number, hasChecked: boolean): Step {
  const { manifest, status } = state.releases[release] as { manifest: ManifestId; status: string };
  if (status === "ended" || state.live === release) return to(state, index, "has nothing to publish", idlePublisher);
  const isChecked = hasChecked || status === "published";
  const unchecked = isChecked ? 0 : manifests[manifest].files & ~filesOfLive(state, state.live);
  const at = isChecked ? "publishing" : "release-read";
  const seen = { manifest, release, live: state.live, unchecked, hasChecked: true };
  return to(state, index, `reads release ${release} to publish it`, { ...idlePublisher, at, ...seen });
}

/** One transaction: the live release is the one that was read, and the release has an item. */
function publishRelease(state: State, index: number, publisher: Publisher, rules: Rules): Step {
  const { release, live } = publisher;
  const hasEnded = state.releases[release]?.status === "ended";
  if (hasEnded && rules.publishingFailsAfterEnding) return to(state, index, "finds the release ended", idlePublisher);
  if (state.live !== live) return readForPublication(state, index, release, true);
  const releases = state.releases.map((other, id) =>
    id === release ? { ...other, status: "published" as const } : other,
  );
  return to({ ...state, releases, live: release }, index, `publishes release ${release}`, idlePublisher);
}

/** A PUT by a URL that was given out. It writes nothing over what is there. */
export function uploadSteps(state: State): Step[] {
  return allObjects
    .filter((object) => state.uploadable & allFiles & ~state.objects & object)
    .map((object) => ({
      label: `${describeObjects(object)} is uploaded`,
      next: { ...state, objects: state.objects | object },
    }));
}

function to(state: State, index: number, label: string, publisher: Publisher): Step {
  const publishers = state.publishers.with(index, publisher);
  return { label: `publisher ${index} ${label}`, next: { ...state, publishers } };
}
