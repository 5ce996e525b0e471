import { retryOnConflict } from "../../conflict.ts";
import type { Account, SuspensionReason } from "../../entities/account.ts";
import type { Project } from "../../entities/project.ts";
import { readAccount, upgradeAccount } from "../../table/accounts/account-items.ts";
import {
  type OwnedProject,
  removeAccountSuspension,
  removeProjectSuspension,
  setAccountSuspension,
  setProjectSuspension,
  setTakenDown,
} from "../../table/accounts/suspension-items.ts";
import { readOwnedSlugs, readProject, readProjects } from "../../table/projects/project-items.ts";
import { removeTrafficLimit } from "../../table/projects/traffic-limit-items.ts";
import { bringToEdge, type EdgeState } from "../projects/pointers.ts";
import { trafficLimitedUntil } from "../projects/state.ts";
import { ServiceError } from "../service-error.ts";

/*
 * Changes that only the operator makes (infra/operator/operator.ts). Each change takes effect with the next request, for
 * players once the games' edge has it, and is an event of the account. If nothing is to change, the edge gets what it still
 * lacks.
 */

/**
 * Suspends an account and all its projects. One that is suspended stays as it is.
 *
 * @throws ServiceError `user_not_found`
 */
export async function suspendAccount(accountKey: string, reason: SuspensionReason, now: Date): Promise<EdgeState> {
  const slugs = await retryOnConflict(async () => {
    const account = await existingAccount(accountKey);
    const owned = (await ownedProjects(accountKey)).map(({ slug }) => slug);
    if (account.suspension === undefined)
      await setAccountSuspension(account, { slugs: owned, suspension: { at: now.toISOString(), reason }, now });
    return owned;
  });
  return await bringToEdge({ slugs }, now);
}

/**
 * Lifts the suspension of an account. Projects that were suspended on their own stay suspended.
 *
 * @throws ServiceError `user_not_found`
 */
export async function reinstateAccount(accountKey: string, now: Date): Promise<EdgeState> {
  const slugs = await retryOnConflict(async () => {
    const account = await existingAccount(accountKey);
    const owned = await ownedProjects(accountKey);
    const suspended = owned.filter(({ suspension }) => suspension?.withAccount).map(({ slug }) => slug);
    if (account.suspension !== undefined) await removeAccountSuspension(account, suspended, now);
    return owned.map(({ slug }) => slug);
  });
  return await bringToEdge({ slugs }, now);
}

/**
 * Suspends a project on its own; a deleted one cannot be restored then. One that is suspended stays as it is.
 *
 * @throws ServiceError `project_not_found`
 */
export async function suspendProject(slug: string, reason: SuspensionReason, now: Date): Promise<EdgeState> {
  await retryOnConflict(async () => {
    const owned = await existingProject(slug);
    if (isSuspendedItself(owned.project)) return;
    await setProjectSuspension(owned, { at: now.toISOString(), reason }, now);
  });
  return await bringToEdge({ slugs: [slug] }, now);
}

/**
 * Suspends a project and deletes it, for good: its files are swept after the usual time, and nobody gets its slug.
 *
 * @throws ServiceError `project_not_found`
 */
export async function takeDownProject(slug: string, reason: SuspensionReason, now: Date): Promise<EdgeState> {
  await retryOnConflict(async () => {
    const { project, owner } = await existingProject(slug);
    if (project.suspension?.isTakedown) return;
    const suspension = { at: now.toISOString(), reason, isTakedown: true } as const;
    if (project.deletedAt === undefined && owner !== undefined) await setTakenDown({ project, owner }, suspension, now);
    else await setProjectSuspension({ project, owner }, suspension, now);
  });
  return await bringToEdge({ slugs: [slug] }, now);
}

/**
 * Lifts the suspension of a project. A deleted one stays deleted: its owner can restore it within the usual time.
 *
 * @throws ServiceError `project_not_found`
 */
export async function reinstateProject(slug: string, now: Date): Promise<EdgeState> {
  await retryOnConflict(async () => {
    const owned = await existingProject(slug);
    if (isSuspendedItself(owned.project)) await removeProjectSuspension(owned, now);
  });
  return await bringToEdge({ slugs: [slug] }, now);
}

/**
 * Lifts the limit of a project's traffic for the rest of the month. One that has none stays as it is.
 *
 * @throws ServiceError `project_not_found`
 */
export async function liftTrafficLimit(slug: string, now: Date): Promise<EdgeState> {
  await retryOnConflict(async () => {
    const { project } = await existingProject(slug);
    if (trafficLimitedUntil(project, now)) await removeTrafficLimit(project, now);
  });
  return await bringToEdge({ slugs: [slug] }, now);
}

function isSuspendedItself({ suspension }: Project): boolean {
  return suspension !== undefined && !suspension.withAccount;
}

/**
 * Makes a user a developer, whether they have asked or not. Who is one stays one.
 *
 * @throws ServiceError `user_not_found`
 */
export async function approveDeveloper(accountKey: string, now: Date): Promise<void> {
  await retryOnConflict(async () => {
    const account = await existingAccount(accountKey);
    if (account.role === "user") await upgradeAccount(account, { now, approved: true });
  });
}

/** @throws ServiceError `user_not_found` */
export async function existingAccount(key: string): Promise<Account> {
  const account = await readAccount(key);
  if (account === undefined) throw new ServiceError("user_not_found");
  return account;
}

/** @throws ServiceError `project_not_found` */
export async function existingProject(slug: string): Promise<OwnedProject> {
  const project = await readProject(slug);
  if (project === undefined) throw new ServiceError("project_not_found", { detail: "No project has this slug." });
  return { project, owner: await readAccount(project.ownerKey) };
}

/** The projects of an account that are not deleted. */
export async function ownedProjects(key: string): Promise<Project[]> {
  const slugs = await readOwnedSlugs(key);
  return (await readProjects(slugs)).filter((project) => project !== undefined);
}
