import type * as z from "zod/mini";
import type { exportMe } from "../contract/api/accounts/account-export.ts";
import type { Amount } from "./entities/project.ts";

/** Settings of an option for the functions. Each field but the name may be left out. */
export interface FunctionsOption {
  /** Its folder in options/, and its name among the settings of a stage that leave it out. */
  readonly name: string;
  /** Set: it delivers and deletes the notices that the transactions of changes write. */
  readonly takesNotices?: true;
}

/** Functions of an option that the core's rules call. */
export interface RulesOption {
  readonly name: string;
  /** Plays of each project in the last 28 days, by slug; without those that nobody played. */
  readonly recentPlays?: (projects: readonly ListedProject[], now: Date) => Promise<Record<string, number>>;
  readonly stored?: StoredItems;
}

/** What an option stores in a project. */
export interface StoredItems {
  /** How much of it counts for the quota. */
  amountOf(slug: string, now: Date): Promise<Amount>;
  /** Deletes all of it, because the project is closed for good. */
  erase(slug: string): Promise<void>;
  /** Its records in the export of the project's owner. */
  exported(slug: string, now: Date): Promise<readonly ExportRecord[]>;
}

export type ExportRecord = z.infer<(typeof exportMe)["responses"][200]>["records"][number];

interface ListedProject {
  readonly slug: string;
  readonly createdAt: string;
}
