import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Ledger, Project } from "../../entities/project.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { handOver } from "../../table/projects/member-items.ts";
import {
  readReceivedOffers,
  receivedNoMore,
  removeOffer,
  removeReceivedOffer,
  setOffer,
} from "../../table/projects/offer-items.ts";
import { readProjects } from "../../table/projects/project-items.ts";
import { findUser } from "../accounts/accounts.ts";
import type { ProjectActor } from "../authentication.ts";
import { isOfferedTo } from "../authorization.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { bringToEdge, type ChangedProject, ownChange } from "./pointers.ts";
import { assertRoomForProject } from "./projects.ts";
import { assertRoomInAccount, usedOf } from "./quota.ts";

/**
 * Offers a project to another user, who can accept as a developer. An offer to somebody else is replaced; one to the same user
 * stays as it is until it expires, so a request that is sent again is one offer.
 *
 * @throws ServiceError `user_not_found`; `validation_failed` for the owner's own uid
 */
export async function offerProject({ account, project }: ProjectActor, toUid: string, now: Date): Promise<Project> {
  const to = await findUser(toUid);
  if (to.key === account.key)
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/to", detail: "is your own uid" }] });
  if (isOfferedTo(project, to, now)) return project;
  const expiresAt = new Date(now.getTime() + limits.transferOfferDays * dayMilliseconds).toISOString();
  const transfer = { toKey: to.key, toUid, expiresAt };
  await setOffer(project, transfer, now);
  return { ...project, transfer };
}

/** A project that its owner offers. */
export interface Offer {
  readonly project: Project;
  readonly from: Account;
  readonly expiresAt: string;
}

/**
 * One page of the projects that others offer to a developer, by slug. What can be accepted now is listed, so a page can be
 * short.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listOffers(
  account: Account,
  page: Page,
  now: Date,
): Promise<{ offers: Offer[]; nextCursor: string | null }> {
  const list = `offers to ${account.key}`;
  const { items, last } = await readReceivedOffers(account.key, sliceOf(page, list));
  const projects = (await readProjects(items.map(({ slug }) => slug))).filter((project) => project !== undefined);
  const standing = projects.filter(
    (project) => isOfferedTo(project, account, now) && !project.deletedAt && !project.suspension,
  );
  const owners = await readAccounts(standing.map(({ ownerKey }) => ownerKey));
  const offers = standing.flatMap((project) => {
    const from = owners.get(project.ownerKey);
    return from && project.transfer ? [{ project, from, expiresAt: project.transfer.expiresAt }] : [];
  });
  return { offers, nextCursor: cursorAfter(last, list) };
}

/** Refuses the project: it is offered to nobody then. */
export async function refuseOffer(project: Project): Promise<void> {
  await removeReceivedOffer(project);
}

/** Withdraws the offer of a project; nobody can accept it any more. */
export async function withdrawOffer({ project }: ProjectActor): Promise<void> {
  if (project.transfer !== undefined) await removeOffer(project);
}

/**
 * Makes the account to which a project is offered its owner. Every request by the previous owner is refused from then on,
 * whatever its credential.
 *
 * @throws ServiceError `project_limit_reached`, `quota_exceeded`
 */
export async function acceptOffer(
  { account, project, ledger }: ProjectActor & { readonly ledger: Ledger | undefined },
  now: Date,
): Promise<ChangedProject> {
  const used = usedOf(project);
  assertRoomForProject(account);
  if (used.objects > 0) assertRoomInAccount(ledger, used);
  const permit = {
    condition: "transfer.toKey = :to AND transfer.expiresAt > :now",
    values: {},
  };
  const received = [receivedNoMore(project)];
  const accepted = await handOver(project, { toKey: account.key, used, permit, received }, now);
  return { project: accepted, edge: await bringToEdge(ownChange(accepted), now) };
}
