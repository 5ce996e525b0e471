import { slugOfKey } from "../../../edge/project/pointer.ts";
import { batchesOf } from "../../batches-of.ts";
import type { Project } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import { listKeys } from "../../pointers/key-value-store.ts";
import { pointerWrites } from "../../table/projects/pointer-items.ts";
import { readProjects } from "../../table/projects/project-items.ts";
import { projectsAfter } from "../../table/sweep/run-items.ts";
import { transact } from "../../table/transaction.ts";
import { writePointers } from "./pointers.ts";

/*
 * Writes every pointer anew: for a stage that gets its games domain, and for a table that was restored from a backup, which the
 * store at the edge knows nothing of.
 */

/** Progress so far: what has been looked at and written. */
export interface PointerRepair {
  /** The last project, by the alphabet; a later run can go on after it. */
  readonly after: string;
  readonly projects: number;
  /** Those whose keys were written; the others were never published. */
  readonly written: number;
}

/** Projects, with their previews, in one write of the store, its maximum. */
const projectsAtOnce = 12;

/**
 * Writes the keys of all projects and deletes those that no project has, in the order of their slugs. Each part is stored as waiting
 * first, so whatever stops this, the schedule writes what it has begun.
 *
 * @param after goes on after this slug, if an earlier run was stopped
 * @yields after each part
 * @throws Error if the store refuses a pointer; what the store or the table throws
 */
export async function* repairPointers(signal: AbortSignal, after = ""): AsyncGenerator<PointerRepair> {
  const stored = await storedKeys(signal);
  const slugs = new Set(stored.keys());
  for await (const slug of projectsAfter(undefined)) slugs.add(slug);
  const rest = [...slugs].filter((slug) => slug > after).toSorted();
  let [projects, written] = [0, 0];
  for (const batch of batchesOf(rest, projectsAtOnce)) {
    written += await repairSome(batch, stored, signal);
    projects += batch.length;
    yield { after: batch.at(-1) ?? "", projects, written };
  }
}

/** The keys that the store has, by the slugs that they begin with. */
async function storedKeys(signal: AbortSignal): Promise<Map<string, string[]>> {
  return Map.groupBy(await listKeys(environment.gamesStoreArn() ?? "", signal), slugOfKey);
}

async function repairSome(slugs: readonly string[], stored: Map<string, string[]>, signal: AbortSignal) {
  const projects = await readProjects(slugs);
  const due = slugs.filter((slug, index) => stored.has(slug) || hasPointer(projects[index]));
  // A key that the project still has is written as it is to be, its own too.
  const writes = due.flatMap((slug) => pointerWrites([slug], new Date(), stored.get(slug)));
  if (writes.length === 0) return 0;
  await transact({ pointers: writes });
  const { refused } = await writePointers(signal);
  if (refused.length > 0)
    throw new Error(`The store at the edge refuses ${refused.flatMap((each) => each.slugs).join(", ")}`);
  return due.length;
}

/** A project that was never published has no key, so that nobody fills the store by creating projects. */
function hasPointer(project: Project | undefined): boolean {
  if (project === undefined || (project.deletedAt !== undefined && project.suspension === undefined)) return false;
  return (project.currentRelease ?? project.suspension ?? project.previews?.[0]) !== undefined;
}
