import { ServiceError } from "../../contract/errors.ts";
import type { Account } from "../table/accounts.ts";
import {
  listOwnedSlugs,
  type Project,
  type ProjectChanges,
  pageOfSlugs,
  readOwnedProjects,
  readProject,
  createProject as storeProject,
  updateProject,
} from "../table/projects.ts";
import type { Page } from "../table/read.ts";
import type { Token } from "../table/tokens.ts";

export type { Project, ProjectChanges } from "../table/projects.ts";

/** What a developer asks a new project to be; without a name it is called as its slug. */
export interface ProjectRequest {
  readonly slug: string;
  readonly name: string | undefined;
  readonly description: string | null;
}

/**
 * Creates a project of a developer.
 *
 * @throws ServiceError `project_not_in_token` for a token that is narrowed to other slugs; `slug_taken`,
 *   `project_limit_reached`
 */
export async function createProject(
  { account, token }: { account: Account; token: Token | undefined },
  request: ProjectRequest,
  now: Date,
): Promise<Project> {
  const { slug, name = slug, description } = request;
  if (token?.projects && !token.projects.includes(slug)) throw new ServiceError("project_not_in_token");
  const createdAt = now.toISOString();
  const project = { slug, ownerKey: account.key, name, description, createdAt, updatedAt: createdAt };
  await storeProject(project, { tokenId: token?.id, now });
  return project;
}

/**
 * One page of a developer's projects in the order of their slugs. A narrowed token sees the projects that it names and
 * no others.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listProjects(
  { account, token }: { account: Account; token: Token | undefined },
  page: Page,
): Promise<{ projects: Project[]; nextCursor: string | null }> {
  const named = token?.projects;
  const { slugs, nextCursor } = named ? pageOfSlugs(named, page) : await listOwnedSlugs(account.key, page);
  return { projects: await readOwnedProjects(account.key, slugs), nextCursor };
}

/**
 * A project, whoever owns it.
 *
 * @throws ServiceError `project_not_found`
 */
export async function findProject(slug: string): Promise<Project> {
  const project = await readProject(slug);
  if (project === undefined) throw new ServiceError("project_not_found", { detail: "No project has this slug." });
  return project;
}

/**
 * Changes what the owner may edit; a change of nothing writes nothing.
 *
 * @throws ServiceError `project_not_found` where it is not the owner's any more
 */
export async function editProject(project: Project, changes: ProjectChanges, now: Date): Promise<Project> {
  const isEmpty = Object.values(changes).every((value) => value === undefined);
  return isEmpty ? project : await updateProject(project, changes, now);
}
