import { options } from "../../../options/rules.ts";
import type { Amount } from "../../entities/project.ts";
import type { ExportRecord } from "../../option.ts";
import { plus } from "./quota.ts";

/*
 * What options store in projects. A stage that leaves an option out may still have items of it, so they are counted and deleted there too.
 */

const all = options.flatMap(({ stored }) => stored ?? []);

/** Amount that counts for the quota. */
export async function amountOfOptions(slug: string, now: Date): Promise<Amount> {
  const amounts = await Promise.all(all.map((stored) => stored.amountOf(slug, now)));
  return amounts.reduce(plus, { bytes: 0, objects: 0 });
}

/** Deletes all that options store in a project. */
export async function eraseOptionItems(slug: string): Promise<void> {
  for (const stored of all) await stored.erase(slug);
}

/** Their records in the export of the project's owner. */
export async function exportedByOptions(slug: string, now: Date): Promise<ExportRecord[]> {
  return (await Promise.all(all.map((stored) => stored.exported(slug, now)))).flat();
}
