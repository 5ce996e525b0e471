import type * as z from "zod/mini";
import type { CamelKeys } from "../../../contract/api/camel-keys.ts";
import { limits } from "../../../contract/api/limits.ts";
import type { createProject as contract } from "../../../contract/api/projects/projects.ts";
import type { Account } from "../../entities/account.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import type { Project } from "../../entities/project.ts";
import {
  countDeletedSlugs,
  insertProject,
  readDeletedSlugs,
  readProject,
  readProjectSlugs,
  readProjects,
} from "../../table/projects/project-items.ts";
import { assertMayCreate } from "../accounts/creations.ts";
import { type Actor, tokenOf } from "../authentication.ts";
import { cursorAfter, type Page, sliceOf, sliceOfAll } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { isRefused, roleIn } from "./state.ts";
import { teamFor } from "./team-members.ts";

/** Properties that a new project shall have. Without a name, the slug is its name. */
type ProjectRequest = CamelKeys<z.infer<(typeof contract)["body"]>>;

/**
 * Creates a project of a developer, whose team joins it. A request that is repeated by its idempotency key gets the project as it is now.
 *
 * @throws ServiceError `project_not_in_token` for a token that is narrowed to other slugs; `slug_taken`,
 *   `project_limit_reached`; `idempotency_result_gone`
 */
export async function createProject(
  actor: Actor,
  request: ProjectRequest,
  now: Date,
  idempotency?: Idempotency,
): Promise<Project> {
  const { slug } = request;
  const token = tokenOf(actor);
  if (token?.projects && !token.projects.includes(slug)) throw new ServiceError("project_not_in_token");
  if (idempotency?.earlier) return await createdProject(actor.account, slug);
  assertRoomForProject(actor.account);
  assertMayCreate(actor.account, now);
  const [{ team, members }] = await Promise.all([
    teamFor(actor.account.key, now),
    assertFewDeleted(actor.account, now),
  ]);
  const project = { ...newProject(request, actor.account, now), ...members };
  const holder = await insertProject(project, { owner: actor.account, token, idempotency, now, team });
  if (holder !== undefined) throw slugTaken(holder, actor.account);
  return project;
}

/** A project as it begins: below the games domain of new projects. */
export function newProject(request: ProjectRequest, { key }: Account, now: Date): Project {
  const { slug, name = slug, description = null, ...others } = request;
  const fields: Pick<Project, keyof ProjectRequest> = { ...others, slug, name, description };
  const createdAt = now.toISOString();
  return { ...fields, ownerKey: key, createdAt, updatedAt: createdAt };
}

async function createdProject({ key }: Account, slug: string): Promise<Project> {
  const project = await readProject(slug);
  if (project?.ownerKey !== key || project.deletedAt !== undefined) throw new ServiceError("idempotency_result_gone");
  return project;
}

function slugTaken(project: Project, { key }: Account): ServiceError {
  if (project.ownerKey !== key) return new ServiceError("slug_taken");
  const detail =
    project.deletedAt === undefined
      ? "You have a project with this slug already."
      : "You have deleted the project with this slug. Restore it with POST /projects/:slug/restore, or choose another slug.";
  return new ServiceError("slug_taken", { detail });
}

/** @throws ServiceError `project_limit_reached` */
export function assertRoomForProject({ projectCount }: Account): void {
  if (projectCount >= limits.projectsPerAccount) throw new ServiceError("project_limit_reached");
}

/**
 * The slug of a deleted project stays closed to others for 30 days, so an account must not close any number of them. Requests that race
 * can pass this by as many as the account can have projects.
 *
 * @throws ServiceError `project_limit_reached`
 */
export async function assertFewDeleted({ key }: Account, now: Date): Promise<void> {
  if ((await countDeletedSlugs(key, now)) >= limits.deletedSlugsPerAccount)
    throw new ServiceError("project_limit_reached", { detail: manyDeleted });
}

const manyDeleted = `The account has deleted ${limits.deletedSlugsPerAccount} projects within ${limits.deletedSlugDays} days. Restore one of them, or wait.`;

/** Which projects are listed, and a page of them. */
interface ProjectList extends Page {
  readonly state: "active" | "deleted";
  /** The only one that is listed, in whichever state it is. */
  readonly slug?: string | undefined;
}

/**
 * One page of the projects that a developer owns or is a member of, or of the own ones that are deleted, in the order of their slugs. For a narrowed token, only the
 * projects that it names.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listProjects(
  actor: Actor,
  page: ProjectList,
): Promise<{ projects: Project[]; nextCursor: string | null }> {
  const { state, slug } = page;
  const { key } = actor.account;
  const named = tokenOf(actor)?.projects;
  if (slug !== undefined) {
    const isNamed = named?.includes(slug) ?? true;
    return { projects: isNamed ? await readListed(actor, [slug]) : [], nextCursor: null };
  }
  const list = `${state} projects of ${key}`;
  const slice = sliceOf(page, list);
  const read = state === "active" ? readProjectSlugs : readDeletedSlugs;
  const { items: slugs, last } = named ? sliceOfAll(named, slice) : await read(key, slice);
  const isDeleted = state === "deleted";
  const projects = await readListed(actor, slugs);
  return {
    projects: projects.filter(({ deletedAt }) => (deletedAt !== undefined) === isDeleted),
    nextCursor: cursorAfter(last, list),
  };
}

/** Those of some projects that an actor is shown: a deleted one is shown to its owner alone. */
async function readListed(actor: Actor, slugs: readonly string[]): Promise<Project[]> {
  const { key } = actor.account;
  const projects = (await readProjects(slugs)).filter((project) => project !== undefined);
  return projects.filter(
    (project) =>
      (project.deletedAt === undefined ? roleIn(project, key) !== undefined : project.ownerKey === key) &&
      !isRefused(project, tokenOf(actor)),
  );
}

/**
 * A project that everybody may see, whoever owns it.
 *
 * @throws ServiceError `project_taken_down`; `project_not_found`, also for a deleted one
 */
export async function findProject(slug: string): Promise<Project> {
  const project = await readProject(slug);
  if (project?.suspension) throw new ServiceError("project_taken_down");
  if (project === undefined || project.deletedAt !== undefined)
    throw new ServiceError("project_not_found", { detail: "No project has this slug." });
  return project;
}
