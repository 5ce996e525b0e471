import { ServiceError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Account } from "./accounts.ts";
import { eventWrite } from "./events.ts";
import { keys, prefixes } from "./keys.ts";
import { decodeCursor, encodeCursor, type Page, readItems, readPage } from "./read.ts";
import { transact } from "./transaction.ts";
import { update } from "./update.ts";

/** A project as it is stored. */
export interface Project {
  readonly slug: string;
  /** The key of the account that owns it. */
  readonly ownerKey: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The release that visitors see. */
  readonly currentRelease?: CurrentRelease;
}

export interface CurrentRelease {
  readonly id: string;
  readonly publishedAt: string;
  /** The digest of its manifest, so that a visit needs no further read of the table. */
  readonly manifest: string;
  /** The release that it took the place of. */
  readonly previous: string | null;
}

/** What its owner may edit; undefined leaves a field as it is. */
export interface ProjectChanges {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

/**
 * Stores a project, its ownership, its place in the owner's count and its event, which names the token that asked for it,
 * all or nothing. The slug is unique across the service and the limit of 50 projects exact, however many calls race.
 *
 * @throws ServiceError `slug_taken`, `project_limit_reached`, `account_required`, `developer_required`
 */
export async function createProject(
  project: Project,
  { tokenId, now }: { tokenId: string | undefined; now: Date },
): Promise<void> {
  const { ownerKey, slug } = project;
  const failed = await transact([
    {
      Update: {
        Key: keys.account(ownerKey),
        UpdateExpression: "ADD projectCount :one",
        ConditionExpression: "#role = :dev AND projectCount < :limit",
        ExpressionAttributeNames: { "#role": "role" },
        ExpressionAttributeValues: { ":one": 1, ":dev": "dev", ":limit": limits.projectsPerAccount },
      },
    },
    { Put: { Item: { ...keys.project(slug), ...project }, ConditionExpression: "attribute_not_exists(PK)" } },
    {
      Put: {
        Item: { ...keys.ownership(ownerKey, slug), slug, createdAt: project.createdAt },
        ConditionExpression: "attribute_not_exists(PK)",
      },
    },
    eventWrite(ownerKey, now, { type: "project_created", project: slug, tokenId }),
  ]);
  if (failed === undefined) return;
  if (failed.index > 0) throw slugTaken(failed.item as unknown as Project | undefined, ownerKey);
  const account = failed.item as unknown as Account | undefined;
  if (account === undefined) throw new ServiceError("account_required");
  throw new ServiceError(account.role === "dev" ? "project_limit_reached" : "developer_required");
}

function slugTaken(existing: Project | undefined, ownerKey: string): ServiceError {
  const isOwn = existing?.ownerKey === ownerKey;
  return new ServiceError("slug_taken", isOwn ? { detail: "You have a project with this slug already." } : {});
}

/** The project with this slug, whoever owns it. */
export async function readProject(slug: string): Promise<Project | undefined> {
  const [project] = await readItems([keys.project(slug)]);
  return project as unknown as Project | undefined;
}

/**
 * Changes the given attributes of a project and returns it as it then is.
 *
 * @throws ServiceError `project_not_found` where it is not this owner's (any more)
 */
export async function updateProject(project: Project, changes: ProjectChanges, now: Date): Promise<Project> {
  const changed = await update({
    key: keys.project(project.slug),
    set: { ...changes, updatedAt: now.toISOString() },
    condition: "ownerKey = :owner",
    values: { ":owner": project.ownerKey },
  });
  if (changed === undefined) throw new ServiceError("project_not_found");
  return changed as unknown as Project;
}

/** One page of the slugs that an account owns, in their order. */
export async function listOwnedSlugs(ownerKey: string, page: Page): Promise<SlugPage> {
  const { items, nextCursor } = await readPage({
    partition: keys.account(ownerKey).PK,
    prefix: prefixes.ownership,
    newestFirst: false,
    page,
  });
  return { slugs: items.map(({ slug }) => slug as string), nextCursor };
}

/** The same page of slugs that are known already: those of a narrowed token. */
export function pageOfSlugs(slugs: readonly string[], { limit, cursor }: Page): SlugPage {
  const start = cursor === undefined ? "" : decodeCursor(cursor);
  const rest = slugs.toSorted().filter((slug) => slug > start);
  const last = rest.length > limit ? rest[limit - 1] : undefined;
  return { slugs: rest.slice(0, limit), nextCursor: last === undefined ? null : encodeCursor(last) };
}

interface SlugPage {
  readonly slugs: readonly string[];
  readonly nextCursor: string | null;
}

/** Those of the named projects that the account owns, in the order of the names. */
export async function readOwnedProjects(ownerKey: string, slugs: readonly string[]): Promise<Project[]> {
  const items = (await readItems(slugs.map(keys.project))) as unknown as (Project | undefined)[];
  return items.filter((project) => project !== undefined).filter((project) => project.ownerKey === ownerKey);
}
