import { slugOfKey } from "../../../edge/project/pointer.ts";
import { waitingWrites } from "../../table/projects/pointer-items.ts";
import { readProject } from "../../table/projects/project-items.ts";
import { transact } from "../../table/transaction.ts";
import { entriesOf } from "./pointers.ts";

/*
 * Games of which the edge's key-value store has no pointer, because it is full
 * (docs/decisions/0050-the-pointer.md). The function at the origin runs this.
 */

/** One of so many opened pages asks for a place in the store, so that the games that are played most get the places. */
const pagesPerRequest = 10;

/**
 * The value that the store would have. When people open its pages, the pointer is written into the store again.
 *
 * @param site a slug, or the key of a preview
 */
export async function readPointer(site: string, isPage: boolean, random = Math.random()): Promise<string | undefined> {
  const slug = slugOfKey(site);
  const project = await readProject(slug);
  const value = new Map(entriesOf(slug, project, new Date())).get(site);
  if (value !== undefined && isPage && random < 1 / pagesPerRequest)
    await transact({ pointers: waitingWrites([slug], new Date()) });
  return value;
}
