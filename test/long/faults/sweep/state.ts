/*
 * The model of docs/decisions/0016-sweep.md: what is stored of one project, and what each process has read of it. One
 * step is one request to DynamoDB or S3. What is stored is not counted here: test/long/faults/quota follows the ledgers. The
 * model has no clock: what ends after a time may end at any moment.
 */

/** A set of objects, as bits: two files, and the manifests of the two releases that can be made of them. */
type Objects = number;

const fileX = 1;
const fileY = 2;

export const allFiles: Objects = fileX | fileY;
export const allObjects: readonly Objects[] = [fileX, fileY, 4, 8];
const names: Readonly<Record<number, string>> = { 1: "file x", 2: "file y", 4: "manifest 0", 8: "manifest 1" };

/** The files of each manifest, and the object that holds the manifest. They share a file, as releases do. */
export const manifests = [
  { files: fileX, object: 4 },
  { files: fileX | fileY, object: 8 },
] as const;

export type ManifestId = 0 | 1;

/** What a release of this manifest needs in order to be played. */
export function objectsOf(manifest: ManifestId): Objects {
  return manifests[manifest].files | manifests[manifest].object;
}

export function describeObjects(objects: Objects): string {
  const found = allObjects.filter((object) => objects & object);
  return found.map((object) => names[object]).join(", ") || "nothing";
}

/** A release's item in the table. An ended one has none. */
export interface Release {
  readonly manifest: ManifestId;
  readonly status: "open" | "published" | "ended";
}

/** Where a publisher is, and what it has seen since its request began. */
export interface Publisher {
  readonly at: "idle" | "found-project" | "found-none-open" | "checking" | "opening" | "release-read" | "publishing";
  readonly manifest: ManifestId;
  /** The release to publish; for opening, -1. */
  readonly release: number;
  readonly live: number;
  readonly epoch: number;
  readonly announced: boolean;
  /** Objects that it still has to look for, and those that it did not find. */
  readonly unchecked: Objects;
  readonly missing: Objects;
  /** A publisher whose transaction failed tries again without looking for the files again. */
  readonly hasChecked: boolean;
}

/** Where a sweeper is, and what it has seen since it began. */
export interface Sweeper {
  readonly at: "idle" | "ending" | "project-read" | "taking-over" | "listing" | "announcing" | "deleting" | "finishing";
  /** The release to end. */
  readonly release: number;
  readonly opened: number;
  readonly epoch: number;
  readonly named: Objects;
  readonly unlisted: Objects;
  readonly condemned: Objects;
}

export interface State {
  readonly objects: Objects;
  /** Files for which somebody holds a presigned upload URL: a PUT may arrive at any time. */
  readonly uploadable: Objects;
  readonly releases: readonly Release[];
  /** The project's item: which release is live (-1: none), how many were opened, how many deletions were announced. */
  readonly live: number;
  readonly opened: number;
  readonly epoch: number;
  /** The announced deletion, while there is one. */
  readonly condemned: Objects;
  /** Epochs whose lease still runs, as bits. */
  readonly leases: number;
  /** For each epoch the objects of which a DELETE may still arrive. */
  readonly deletions: readonly Objects[];
  readonly publishers: readonly Publisher[];
  readonly sweepers: readonly Sweeper[];
}

/** One possible next step. */
export interface Step {
  readonly label: string;
  readonly next: State;
  /** The process forgets what it was doing. */
  readonly isCrash?: boolean;
}

export const idlePublisher: Publisher = {
  at: "idle",
  manifest: 0,
  release: -1,
  live: -1,
  epoch: 0,
  announced: false,
  unchecked: 0,
  missing: 0,
  hasChecked: false,
};

export const idleSweeper: Sweeper = {
  at: "idle",
  release: -1,
  opened: 0,
  epoch: 0,
  named: 0,
  unlisted: 0,
  condemned: 0,
};

/** What the releases that have an item name: all that must be kept. */
export function namedObjects({ releases }: Pick<State, "releases">): Objects {
  return releases.reduce(
    (named, { manifest, status }) => (status === "ended" ? named : named | objectsOf(manifest)),
    0,
  );
}

/** The same for equal states, also if the processes of one kind have swapped places. */
export function encode(state: State): string {
  const { objects, uploadable, releases, live, opened, epoch, condemned, leases, deletions } = state;
  const sets = objects | (uploadable << 4) | (condemned << 8) | (leases << 12);
  return [
    String.fromCharCode(sets & 0xff, sets >> 8, live + 1, opened, epoch, ...deletions),
    codeOf(releases, (all) => all.map(({ manifest, status }) => manifest + status).join()),
    ...state.publishers.map((publisher) => codeOf(publisher, codeOfProcess)).sort(),
    ...state.sweepers.map((sweeper) => codeOf(sweeper, codeOfProcess)).sort(),
  ].join("|");
}

const codes = new WeakMap<object, string>();
const numbers = new Map<string, string>();

/** A part of a state is shared by all states that follow until a step changes it, so its code is made once. */
function codeOf<T extends object>(part: T, make: (part: T) => string): string {
  const known = codes.get(part);
  if (known !== undefined) return known;
  const text = make(part);
  const code = numbers.get(text) ?? numbers.size.toString(36);
  numbers.set(text, code);
  codes.set(part, code);
  return code;
}

function codeOfProcess(process: Publisher | Sweeper): string {
  return Object.values(process).join();
}
