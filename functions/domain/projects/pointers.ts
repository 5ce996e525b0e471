import { limits } from "../../../contract/api/limits.ts";
import {
  overflowKey,
  type Pointer,
  parseValue,
  pointerValue,
  previewValue,
  releaseName,
  slugOfKey,
  unpublishedPointer,
} from "../../../edge/project/pointer.ts";
import { batchesOf } from "../../batches-of.ts";
import { ConflictError, retryOnConflict } from "../../conflict.ts";
import type { Project, WaitingPointers } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import {
  type Entries,
  keysPerWrite,
  listKeys,
  readVersion,
  type StoreVersion,
  storeBytes,
  type WriteOutcome,
  writeEntries,
} from "../../pointers/key-value-store.ts";
import {
  countDirectWrite,
  countDirectWriteOfAll,
  readWaitingPointers,
  removeWaitingPointers,
} from "../../table/projects/pointer-items.ts";
import { keyOfPreview } from "../../table/projects/preview-items.ts";
import { readProjects } from "../../table/projects/project-items.ts";
import { openPreviews, trafficLimitedUntil } from "./state.ts";

/*
 * Pointers: the games' edge knows this of projects (docs/decisions/0050-the-pointer.md).
 */

/** Pointer that says what players get of a project; a deleted project is treated as one that never existed. */
function pointerOf(project: Project | undefined, now: Date): Pointer {
  if (project?.suspension) return { kind: "takenDown" };
  if (project === undefined || project.deletedAt !== undefined) return { kind: "none" };
  const { currentRelease, ownedSince } = project;
  const limitedUntil = trafficLimitedUntil(project, now);
  if (currentRelease === undefined || limitedUntil)
    return unpublishedPointer(project.name, whyNothing(project, currentRelease && limitedUntil));
  const { manifest, earlier = [], fallback, places } = currentRelease;
  return {
    kind: "live",
    live: releaseName(manifest),
    earlier: earlier.map(releaseName),
    fallback: fallback && releaseName(fallback),
    ownedSince: ownedSince && Date.parse(ownedSince).toString(36),
    places: { deltas: [], ...places, counts: earlier.map((digest) => places.counts[digest] ?? -1) },
  };
}

/** HTML that players read after the name of a game that they cannot play now. What it has saved is still in their browsers. */
function whyNothing({ switchedOff = [] }: Project, limitedUntil: Date | undefined): string {
  const page = switchedOff.includes("saves") ? undefined : environment.savesPage();
  const saves = page === undefined ? "" : ` <a href="${page}">Move your saved games</a>.`;
  return `${reasonFor(limitedUntil)}${saves}`;
}

function reasonFor(limitedUntil: Date | undefined): string {
  if (limitedUntil === undefined) return "is not online now. Come back later.";
  const day = limitedUntil.toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
  return `was played so much that its traffic of this month is used up. It is back on ${day}.`;
}

/** Whether the games' edge has what a project is now, and players see it within seconds; null: the stage has no such edge. */
export type EdgeState = "updated" | "waiting" | null;

/** A project as a request has left it. */
export interface ChangedProject {
  readonly project: Project;
  readonly edge: EdgeState;
}

/** A request waits no longer for the store; the schedule goes on trying. */
const longestMilliseconds = 5_000;
const waitingPerRead = 50;
/** The schedule reads so many at once, because many changes of the same projects are one write. */
const waitingPerRun = 1_000;
/** One key of a write may say that the store overflows. */
const pointersPerWrite = keysPerWrite - 1;
/** Part of its size from which on the store says that it may lack pointers, while it still has room to say so. */
const overflowShare = 0.8;

/** Projects that a request has changed. */
interface EdgeChange {
  readonly slugs: readonly string[];
  /** The account whose changes of the day are counted; left out: the operator's, which are not. */
  readonly ownerKey?: string;
}

export function ownChange({ slug, ownerKey }: Project): EdgeChange {
  return { slugs: [slug], ownerKey };
}

/**
 * Brings to the edge what changes of projects have left waiting, and what waits of others: one write makes all other writers
 * retry, so it takes theirs along. It throws nothing, because the changes have happened and the schedule tries again. What an
 * account changes more often than `directPointerWritesPerAccountAndDay`, and all accounts more often than the stage's limit of a minute,
 * is left to the schedule, because each call costs money and one of the schedule's has many changes.
 *
 * @param now the time of the changes, which may be ahead of this machine's clock
 */
export async function bringToEdge({ slugs, ownerKey }: EdgeChange, now: Date): Promise<EdgeState> {
  if (environment.gamesStoreArn() === undefined) return null;
  const signal = AbortSignal.timeout(longestMilliseconds);
  let isCounted = ownerKey === undefined;
  try {
    return await retryOnConflict(async () => {
      const due = new Date(Math.max(now.getTime(), Date.now()));
      const { waiting, isComplete } = await readWaitingPointers(due, { limit: waitingPerRead });
      const [ownChanges, others] = parted(waiting, (each) => each.slugs.some((slug) => slugs.includes(slug)));
      if (ownChanges.length === 0) return isComplete ? "updated" : "waiting";
      if (!isCounted && (await isForSchedule(ownerKey ?? "", now))) return "waiting";
      isCounted = true;
      const { refused } = await writeAll([...ownChanges, ...others], signal);
      return ownChanges.some((each) => refused.includes(each)) ? "waiting" : "updated";
    });
  } catch {
    // The schedule meets the same fault within a minute, and logs it.
    return "waiting";
  }
}

async function isForSchedule(ownerKey: string, now: Date): Promise<boolean> {
  if ((await countDirectWrite(ownerKey, now)) > limits.directPointerWritesPerAccountAndDay) return true;
  const ofAll = environment.directPointerWritesPerMinute();
  return ofAll !== undefined && (await countDirectWriteOfAll(now)) > ofAll;
}

function parted<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

/** Result of the schedule's run. */
export interface PointersResult {
  /** Number of changes that the edge has now. */
  written: number;
  /** Those that the store refuses. */
  readonly refused: WaitingPointers[];
}

/**
 * Writes every pointer that waits.
 *
 * @throws what the store or the table throws, or `signal`; what is not written goes on waiting
 */
export async function writePointers(signal: AbortSignal): Promise<PointersResult> {
  const result: PointersResult = { written: 0, refused: [] };
  for (let after: WaitingPointers | undefined; ; ) {
    const page = await readWaitingPointers(new Date(), { limit: waitingPerRun, after });
    const { written, refused } = await retryOnConflict(() => writeAll(page.waiting, signal));
    result.written += written.length;
    result.refused.push(...refused);
    after = page.waiting.at(-1);
    if (page.isComplete) return result;
  }
}

/** A store that is fuller is emptied to the second part of its size. */
const roomShares = { from: 0.9, to: 0.7 };

/**
 * Deletes pointers at random if the store is nearly full. Those of games that are played come back
 * (functions/domain/projects/unstored-pointers.ts), so in time the store holds them. Listing the keys of a full store costs some
 * 300 calls: once a day.
 *
 * @returns how many were deleted
 */
export async function makeRoom(signal: AbortSignal): Promise<number> {
  const storeArn = environment.gamesStoreArn() ?? "";
  const { sizeBytes } = await readVersion(storeArn, signal);
  if (sizeBytes < storeBytes * roomShares.from) return 0;
  const part = 1 - (storeBytes * roomShares.to) / sizeBytes;
  const chosen = (await listKeys(storeArn, signal)).filter(() => Math.random() < part);
  for (const batch of batchesOf(chosen, pointersPerWrite)) {
    const entries = new Map<string, string | undefined>(batch.map((key) => [key, undefined]));
    await retryOnConflict(async () => {
      const outcome = await writeEntries(entries.set(overflowKey, "1"), await readVersion(storeArn, signal), signal);
      if (outcome === "changed") throw new ConflictError();
    });
  }
  return chosen.length;
}

interface WriteResult {
  readonly written: WaitingPointers[];
  readonly refused: WaitingPointers[];
}

/** Writes in as few calls as the store allows, and reads its version once for all. What it refuses together is tried project by project, so that one holds no other. */
async function writeAll(waiting: readonly WaitingPointers[], signal: AbortSignal): Promise<WriteResult> {
  const result: WriteResult = { written: [], refused: [] };
  let version: StoreVersion | undefined;
  for (let rest = waiting; rest.length > 0; ) {
    const { outcome, batch } = await writeSome(rest, signal, { version });
    rest = rest.slice(batch.length);
    version = isWritten(outcome) ? outcome : undefined;
    if (version) result.written.push(...batch);
    else for (const same of changesOfSameKeys(batch)) result[await writeKeys(same, signal)].push(...same);
  }
  return result;
}

function isWritten(outcome: WriteOutcome): outcome is StoreVersion {
  return typeof outcome !== "string";
}

function changesOfSameKeys(batch: readonly WaitingPointers[]): WaitingPointers[][] {
  return [...Map.groupBy(batch, ({ slugs, previews }) => [...slugs, ...previews].join(" ")).values()];
}

/**
 * Writes the keys of changes of the same projects one by one. A key for which the full store has no room is deleted: the origin's function
 * reads that pointer from the table then.
 */
async function writeKeys(changes: readonly WaitingPointers[], signal: AbortSignal): Promise<"written" | "refused"> {
  const { entries } = await readEntries(changes);
  const write = async (key: string, value: (all: Entries) => string | undefined) =>
    (await writeSome(changes, signal, { chosen: (all) => new Map([[key, value(all)]]) })).outcome;
  for (const key of entries.keys()) {
    let outcome = await write(key, (all) => all.get(key));
    // Not deleted before the store says that it overflows: the game would be 404 until then.
    if (outcome === "full" && isWritten(await write(overflowKey, () => "1")))
      outcome = await write(key, () => undefined);
    if (!isWritten(outcome)) return "refused";
  }
  await removeWaitingPointers(changes);
  return "written";
}

/**
 * Reads the store's version, then the projects, then writes what has changed if the store still has that version: of two writers
 * the one that writes last has read last, so no old state replaces a newer one.
 *
 * @param version the one after a write of our own; left out: it is read
 * @param chosen some of the entries; then the changes go on waiting
 * @throws ConflictError if the store has another version by then
 */
async function writeSome(
  waiting: readonly WaitingPointers[],
  signal: AbortSignal,
  {
    version: former,
    chosen,
  }: { readonly version?: StoreVersion | undefined; readonly chosen?: (all: Entries) => Entries },
) {
  const version = former ?? (await readVersion(environment.gamesStoreArn() ?? "", signal));
  const { entries, batch } = await readEntries(waiting);
  const written = new Map(chosen?.(entries) ?? entries);
  if (version.sizeBytes > storeBytes * overflowShare && chosen === undefined) written.set(overflowKey, "1");
  const outcome = await writeEntries(written, version, signal);
  if (outcome === "changed") throw new ConflictError();
  if (isWritten(outcome) && chosen === undefined) await removeWaitingPointers(batch);
  return { outcome, batch };
}

/**
 * Entries that the keys of the first waiting changes shall have, for as many changes as fit into one write. Each slug is a key,
 * so no more projects are read.
 */
async function readEntries(waiting: readonly WaitingPointers[]) {
  const slugs = [...new Set(waiting.flatMap((each) => each.slugs))].slice(0, pointersPerWrite);
  const items = await readProjects(slugs);
  const projects = new Map(slugs.map((slug, index) => [slug, items[index]]));
  const now = new Date();
  const entries = new Map<string, string | undefined>();
  const batch: WaitingPointers[] = [];
  for (const each of waiting) {
    const more = new Map(entriesOfItem(each, projects, now));
    if (new Set([...entries.keys(), ...more.keys()]).size > pointersPerWrite) break;
    for (const [key, value] of more) entries.set(key, value);
    batch.push(each);
  }
  return { entries, batch };
}

/** An item's entries; of two with one key the later one is right. */
function entriesOfItem(
  { slugs, previews }: WaitingPointers,
  projects: ReadonlyMap<string, Project | undefined>,
  now: Date,
): (readonly [key: string, value: string | undefined])[] {
  const ended = previews.map((key) => [key, undefined] as const);
  return [...ended, ...slugs.flatMap((slug) => entriesOf(slug, projects.get(slug), now))];
}

/**
 * What can be played at a site now: a claim that names a site is about nothing else.
 *
 * @param site the key of a game or a preview
 * @param project the one of the site, as it was read
 */
export function pointerNow(site: string, project: Project | undefined, now: Date): Pointer {
  const value = new Map(entriesOf(slugOfKey(site), project, now)).get(site);
  return parseValue(site, value, now.getTime() / 1_000);
}

/** Entries that the store at the edge shall have for a project: its own key, and the keys of its previews. */
export function entriesOf(
  slug: string,
  project: Project | undefined,
  now: Date,
): (readonly [key: string, value: string | undefined])[] {
  const marks = [...new Set(project?.switchedOff?.map(([first]) => first))].join("");
  const open = project && !trafficLimitedUntil(project, now) ? openPreviews(project, now) : [];
  const previews = (project?.previews ?? []).map((preview) => {
    const { manifest, expiresAt, earlier = [] } = preview;
    const value = { release: releaseName(manifest), expiresAt, earlier: earlier.map(releaseName) };
    return [keyOfPreview(slug, preview), open.includes(preview) ? previewValue(value, marks) : undefined] as const;
  });
  return [[slug, pointerValue(pointerOf(project, now), marks)], ...previews];
}
