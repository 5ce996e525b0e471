import { limits } from "../../contract/limits.ts";
import type { Account, Project, ProjectChanges } from "../domain/entities.ts";
import { eventWrite } from "./events.ts";
import { keys, ranges } from "./keys.ts";
import { readItems, readRange, type Slice } from "./read.ts";
import { change, putNew, transact } from "./transaction.ts";
import { updateItem } from "./update.ts";

export type InsertProjectOutcome =
  | { readonly outcome: "stored" }
  /** The account is no developer's or has as many projects as it can have. It is as given here now. */
  | { readonly outcome: "account_refused"; readonly account: Account | undefined }
  | { readonly outcome: "slug_taken"; readonly isOwn: boolean };

/**
 * Stores a project, its ownership, its place in the owner's count and its event, all or nothing. Slugs are unique and the
 * limit of projects is exact, also when calls race.
 *
 * @param tokenId the token that created it, for the event
 */
export async function insertProject(
  project: Project,
  { tokenId, now }: { tokenId: string | undefined; now: Date },
): Promise<InsertProjectOutcome> {
  const { ownerKey, slug, createdAt } = project;
  const failed = await transact({
    account: change(keys.account(ownerKey), "ADD projectCount :one", {
      condition: "#role = :dev AND projectCount < :limit",
      names: { "#role": "role" },
      values: { ":one": 1, ":dev": "dev", ":limit": limits.projectsPerAccount },
    }),
    project: putNew(keys.project(slug), project),
    ownership: putNew(keys.ownership(ownerKey, slug), { slug, createdAt }),
    event: eventWrite(ownerKey, now, { type: "project_created", project: slug, tokenId }),
  });
  if (failed === undefined) return { outcome: "stored" };
  if (failed.name === "account") return { outcome: "account_refused", account: failed.item };
  return { outcome: "slug_taken", isOwn: failed.name === "project" && failed.item?.ownerKey === ownerKey };
}

/** The project with this slug, whoever owns it. */
export async function readProject(slug: string): Promise<Project | undefined> {
  const [project] = await readItems([keys.project(slug)]);
  return project;
}

/** The projects with these slugs, at most 100, whoever owns them. */
export async function readProjects(slugs: readonly string[]): Promise<(Project | undefined)[]> {
  return await readItems(slugs.map(keys.project));
}

/** Changes attributes of a project. Returns the project afterwards; undefined where it is not this owner's any more. */
export async function changeProject(
  { slug, ownerKey }: Project,
  changes: ProjectChanges,
  now: Date,
): Promise<Project | undefined> {
  const attributes = { ...changes, updatedAt: now.toISOString() };
  return await updateItem(keys.project(slug), attributes, ownerCondition(ownerKey));
}

/** Slugs that an account owns, in their order. */
export async function readOwnedSlugs(ownerKey: string, slice: Slice) {
  const { items, last } = await readRange(ranges.ownerships(ownerKey), slice, "ascending");
  return { slugs: items.map(({ slug }) => slug), last };
}

/** The condition that the project belongs to this account. */
export function ownerCondition(ownerKey: string) {
  return { condition: "ownerKey = :owner", values: { ":owner": ownerKey } };
}

/** The condition that the project has the owner and the live release that it had when it was read. */
export function unchangedCondition({ ownerKey, currentRelease }: Project) {
  const { condition, values } = ownerCondition(ownerKey);
  return currentRelease
    ? { condition: `${condition} AND currentRelease.id = :seen`, values: { ...values, ":seen": currentRelease.id } }
    : { condition: `${condition} AND attribute_not_exists(currentRelease)`, values };
}
