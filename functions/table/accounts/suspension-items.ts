import type { Account, Suspension } from "../../entities/account.ts";
import type { Project } from "../../entities/project.ts";
import { keys } from "../keys.ts";
import { goneFromOwner } from "../projects/deletion-items.ts";
import { projectEventWrites, projectHistoryWrite } from "../projects/history.ts";
import { pointerWrites } from "../projects/pointer-items.ts";
import { change, check, transact, type Writes } from "../transaction.ts";
import { eventWrites, historyWrite, type NewEvent, storedEvent } from "./events.ts";

/*
 * Changes that only the operator makes.
 */

/** The condition that the project has the same owner and is not suspended on its own. */
const notSuspendedItself =
  "ownerKey = :owner AND (attribute_not_exists(suspension) OR attribute_exists(suspension.withAccount))";

/** The condition that the project has its owner, is deleted and is not taken down, though it may be suspended. */
const notTakenDown =
  "ownerKey = :owner AND attribute_exists(deletedAt) AND attribute_not_exists(suspension.isTakedown)";

/** Suspends an account with its projects, all or nothing. A project that is suspended on its own stays so. */
export async function setAccountSuspension(
  { key, projectCount }: Account,
  { slugs, suspension, now }: { slugs: readonly string[]; suspension: Suspension; now: Date },
): Promise<void> {
  await transact({
    account: change(keys.account(key), "SET suspension = :suspension ADD approvalEpoch :one", {
      condition: "attribute_not_exists(suspension) AND projectCount = :count",
      values: { ":suspension": suspension, ":count": projectCount, ":one": 1 },
    }),
    projects: slugs.map((slug) =>
      change(keys.project(slug), "SET suspension = if_not_exists(suspension, :suspension) ADD publisherEpoch :one", {
        condition: "ownerKey = :owner AND attribute_not_exists(deletedAt)",
        values: { ":suspension": { ...suspension, withAccount: true }, ":owner": key, ":one": 1 },
      }),
    ),
    event: eventWrites(key, now, { type: "account_suspended", reason: suspension.reason }),
    pointers: pointerWrites(slugs, now),
  });
}

/** Lifts the suspension of an account, and of the projects that were suspended with it. */
export async function removeAccountSuspension({ key }: Account, slugs: readonly string[], now: Date): Promise<void> {
  await transact({
    account: change(keys.account(key), "REMOVE suspension", { condition: "attribute_exists(suspension)" }),
    projects: slugs.map((slug) =>
      change(keys.project(slug), "REMOVE suspension", {
        condition: "ownerKey = :owner AND suspension.withAccount = :with",
        values: { ":owner": key, ":with": true },
      }),
    ),
    event: eventWrites(key, now, { type: "account_reinstated" }),
    pointers: pointerWrites(slugs, now),
  });
}

/** A project, and its owner's account if that was not deleted. */
export interface OwnedProject {
  readonly project: Project;
  readonly owner: Account | undefined;
}

/** Suspends a project on its own; with a suspension that is a takedown, a deleted one. */
export async function setProjectSuspension(
  { project, owner }: OwnedProject,
  suspension: Suspension,
  now: Date,
): Promise<void> {
  await transact({
    project: change(keys.project(project.slug), "SET suspension = :suspension ADD publisherEpoch :one", {
      condition: suspension.isTakedown ? notTakenDown : notSuspendedItself,
      values: { ":suspension": suspension, ":owner": project.ownerKey, ":one": 1 },
    }),
    event: eventOf(project, owner, now, { type: "project_suspended", reason: suspension.reason }),
    pointer: pointerWrites([project.slug], now),
  });
}

/** Suspends a project on its own and deletes it, so that its owner cannot restore it. */
export async function setTakenDown(
  { project, owner }: { readonly project: Project; readonly owner: Account },
  suspension: Suspension,
  now: Date,
): Promise<void> {
  const { slug, ownerKey } = project;
  await transact({
    project: change(
      keys.project(slug),
      "SET suspension = :suspension, deletedAt = :now REMOVE invitations, schedule ADD publisherEpoch :one",
      {
        condition: "ownerKey = :owner AND attribute_not_exists(deletedAt)",
        values: { ":suspension": suspension, ":now": now.toISOString(), ":owner": ownerKey, ":one": 1 },
      },
    ),
    event: eventOf(project, owner, now, { type: "project_suspended", reason: suspension.reason }),
    gone: goneFromOwner(project, now),
    // Its mail would say that the owner can restore the project.
    deletion: historyWrite(ownerKey, now, { type: "project_deleted", project: slug }),
    pointer: pointerWrites([slug], now),
  });
}

/**
 * Lifts the suspension of a project. If its owner's account is suspended, the project stays suspended with it. A deleted
 * project does not: when the account is reinstated, only its projects that are not deleted are.
 */
export async function removeProjectSuspension({ project, owner }: OwnedProject, now: Date): Promise<void> {
  const isDeleted = project.deletedAt !== undefined;
  const withAccount = owner?.suspension && !isDeleted && { ...owner.suspension, withAccount: true as const };
  await transact({
    owner: check(keys.account(project.ownerKey), {
      condition: owner?.suspension ? "attribute_exists(suspension)" : "attribute_not_exists(suspension)",
    }),
    project: change(keys.project(project.slug), withAccount ? "SET suspension = :suspension" : "REMOVE suspension", {
      condition: "ownerKey = :owner AND attribute_exists(suspension)",
      values: { ":owner": project.ownerKey, ...(withAccount && { ":suspension": withAccount }) },
    }),
    event: eventOf(project, owner, now, { type: "project_reinstated" }),
    pointer: pointerWrites([project.slug], now),
  });
}

/** The owner's account gets no event if it is deleted. */
function eventOf(project: Project, owner: Account | undefined, now: Date, event: Omit<NewEvent, "project">): Writes {
  const made = { by: undefined, token: undefined, now };
  return owner
    ? projectEventWrites(project, made, event)
    : [projectHistoryWrite(project, made, storedEvent(now, event))];
}
