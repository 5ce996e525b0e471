import type * as z from "zod/mini";
import type { exportMe } from "../../../contract/api/accounts/account-export.ts";
import type { Amount } from "../../entities/project.ts";
import { plus } from "./quota.ts";

/*
 * What options store in projects. A stage that leaves an option out may still have items of it, so they are counted and deleted there too.
 */

export type ExportRecord = z.infer<(typeof exportMe)["responses"][200]>["records"][number];

/** Items of an option in projects, for the functions of the core that go through all that a project has. */
export interface StoredItems {
  /** How much of it counts for the quota. */
  amountOf(slug: string, now: Date): Promise<Amount>;
  /** Deletes all of it, because the project is closed for good. */
  erase(slug: string): Promise<void>;
  /** Its records in the export of the project's owner. */
  exported(slug: string, now: Date): Promise<readonly ExportRecord[]>;
}

/** Amount of all of them that counts for the quota of a project. */
export async function storedAmount(all: readonly StoredItems[], slug: string, now: Date): Promise<Amount> {
  const amounts = await Promise.all(all.map((stored) => stored.amountOf(slug, now)));
  return amounts.reduce(plus, { bytes: 0, objects: 0 });
}
