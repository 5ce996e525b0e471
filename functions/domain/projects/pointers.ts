import { type Pointer, pointerValue, previewKey, previewValue } from "../../../edge/pointer.ts";
import { ConflictError, retryOnConflict } from "../../conflict.ts";
import type { Project, WaitingPointers } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import {
  keysPerWrite,
  readVersion,
  type StoreVersion,
  storeBytes,
  writeEntries,
} from "../../pointers/key-value-store.ts";
import { readWaitingPointers, removeWaitingPointers } from "../../table/projects/pointer-items.ts";
import { readProjects } from "../../table/projects/project-items.ts";
import { openPreviews } from "./state.ts";

/*
 * What the games' edge knows of projects (docs/decisions/0050-the-pointer.md).
 */

/** What players get of a project; a deleted one is as one that never was. */
function pointerOf(project: Project | undefined): Pointer {
  if (project?.suspension) return { kind: "takenDown" };
  if (project === undefined || project.deletedAt !== undefined) return { kind: "none" };
  const { currentRelease, ownedSince } = project;
  if (currentRelease === undefined) return { kind: "unpublished" };
  const { manifest: live, earlier = [] } = currentRelease;
  return { kind: "live", live, earlier, ownedSince: ownedSince && Date.parse(ownedSince).toString(36) };
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

/**
 * Brings to the edge what changes of projects have left waiting, and what waits of others: one write makes all other writers
 * retry, so it takes theirs along. It throws nothing, because the changes have happened and the schedule tries again.
 *
 * @param now the time of the changes, which may be ahead of this machine's clock
 */
export async function bringToEdge(slugs: readonly string[], now: Date): Promise<EdgeState> {
  if (environment.gamesStoreArns().length === 0) return null;
  const signal = AbortSignal.timeout(longestMilliseconds);
  try {
    return await retryOnConflict(async () => {
      const due = new Date(Math.max(now.getTime(), Date.now()));
      const { waiting, isComplete } = await readWaitingPointers(due, { limit: waitingPerRead });
      const [own, others] = parted(waiting, (each) => each.slugs.some((slug) => slugs.includes(slug)));
      if (own.length === 0) return isComplete ? "updated" : "waiting";
      const { refused } = await writeAll([...own, ...others], signal);
      return own.some((each) => refused.includes(each)) ? "waiting" : "updated";
    });
  } catch {
    // The schedule meets the same fault within a minute, and logs it.
    return "waiting";
  }
}

function parted<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

/** What the schedule has done. */
export interface PointersResult {
  /** How many changes the edge has now. */
  written: number;
  /** Those that the store refuses, as when it is full. */
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
    const page = await readWaitingPointers(new Date(), { limit: waitingPerRead, after });
    const { written, refused } = await retryOnConflict(() => writeAll(page.waiting, signal));
    result.written += written.length;
    result.refused.push(...refused);
    after = page.waiting.at(-1);
    if (page.isComplete) return result;
  }
}

/**
 * Whether the last store at the edge is so full that its alarm goes off. Another domain, its remedy, helps none of the earlier ones,
 * which grow by what their projects publish for the first time; {@link writePointers} tells what they refuse.
 */
export async function isStoreFilling(signal: AbortSignal): Promise<boolean> {
  const versions = await readVersions(signal);
  return (versions.at(-1)?.sizeBytes ?? 0) >= storeBytes * 0.8;
}

async function readVersions(signal: AbortSignal): Promise<StoreVersion[]> {
  return await Promise.all(environment.gamesStoreArns().map((storeArn) => readVersion(storeArn, signal)));
}

interface WriteResult {
  readonly written: WaitingPointers[];
  readonly refused: WaitingPointers[];
}

/** Writes in as few calls as the store allows. What it refuses together is tried one by one, so that one holds no other. */
async function writeAll(waiting: readonly WaitingPointers[], signal: AbortSignal): Promise<WriteResult> {
  const result: WriteResult = { written: [], refused: [] };
  for (let rest = waiting; rest.length > 0; ) {
    const { outcome, taken } = await writeSome(rest, signal);
    rest = rest.slice(taken.length);
    if (outcome === "written" || taken.length === 1) result[outcome].push(...taken);
    else for (const each of taken) result[(await writeSome([each], signal)).outcome].push(each);
  }
  return result;
}

/**
 * Reads each store's version, then the projects, then writes what has changed if the store still has that version: of two writers
 * the one that writes last has read last, so no old state replaces a newer one.
 *
 * @throws ConflictError if a store has another version by then
 */
async function writeSome(waiting: readonly WaitingPointers[], signal: AbortSignal) {
  const versions = await readVersions(signal);
  const { entries, taken } = await readEntries(waiting);
  let outcome: "written" | "refused" = "written";
  for (const [index, version] of versions.entries()) {
    const own = [...entries.values()].filter(({ store }) => store === index);
    if (own.length === 0) continue;
    const written = await writeEntries(new Map(own.map(({ key, value }) => [key, value])), version, signal);
    if (written === "changed") throw new ConflictError();
    if (written === "refused") outcome = "refused";
  }
  if (outcome === "written") await removeWaitingPointers(taken);
  return { outcome, taken };
}

/** What a key of a store shall be. */
interface Entry {
  /** Of which of the stage's games domains. */
  readonly store: number;
  readonly key: string;
  /** Undefined: the store shall have no such key. */
  readonly value: string | undefined;
}

/** What the keys of the first ones shall be, as many as fit into one write. Each slug is a key, so no more projects are read. */
async function readEntries(waiting: readonly WaitingPointers[]) {
  const slugs = [...new Set(waiting.flatMap((each) => each.slugs))].slice(0, keysPerWrite);
  const found = await readProjects(slugs);
  const projects = new Map(slugs.map((slug, index) => [slug, found[index]]));
  const now = new Date();
  const entries = new Map<string, Entry>();
  const taken: WaitingPointers[] = [];
  for (const each of waiting) {
    const more = new Map(entriesOfItem(each, projects, now).map((entry) => [`${entry.store} ${entry.key}`, entry]));
    if (new Set([...entries.keys(), ...more.keys()]).size > keysPerWrite) break;
    for (const [name, entry] of more) entries.set(name, entry);
    taken.push(each);
  }
  return { entries, taken };
}

/** An item's entries in the stores of its projects; of two with one key the later one is right. */
function entriesOfItem(
  { slugs, previews }: WaitingPointers,
  projects: ReadonlyMap<string, Project | undefined>,
  now: Date,
): Entry[] {
  return slugs.flatMap((slug) => {
    const project = projects.get(slug);
    const ended = previews.map((key) => [key, undefined] as const);
    const entries = [...ended, ...entriesOf(slug, project, now)];
    return storesOf(project).flatMap((store) => entries.map(([key, value]) => ({ store, key, value })));
  });
}

/** That of its games domain; all of them for a project that is not there, so nobody knows where it was. */
function storesOf(project: Project | undefined): number[] {
  return project ? [project.gamesDomain ?? 0] : [...environment.gamesStoreArns().keys()];
}

/** What its domain's store at the edge shall have of a project: its own key, and those of its previews. */
export function entriesOf(
  slug: string,
  project: Project | undefined,
  now: Date,
): (readonly [key: string, value: string | undefined])[] {
  const open = project ? openPreviews(project, now) : [];
  const previews = (project?.previews ?? []).map((preview) => {
    const { manifest: digest, expiresAt } = preview;
    return [
      previewKey(slug, digest),
      open.includes(preview) ? previewValue({ digest, expiresAt }) : undefined,
    ] as const;
  });
  return [[slug, pointerValue(pointerOf(project))], ...previews];
}
