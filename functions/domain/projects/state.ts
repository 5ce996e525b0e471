import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Invitation, Preview, Project, ProjectRole } from "../../entities/project.ts";
import type { Token } from "../../entities/token.ts";
import { ServiceError } from "../service-error.ts";

/** Role of an account in a project; undefined: none. */
export function roleIn({ ownerKey, members }: Project, accountKey: string): ProjectRole | undefined {
  return ownerKey === accountKey ? "owner" : members?.[accountKey]?.role;
}

const ranks: readonly ProjectRole[] = ["viewer", "publisher", "admin", "owner"];

/** Whether a role has the rights of another one too. */
export function includesRole(role: ProjectRole | undefined, needed: ProjectRole): boolean {
  return role !== undefined && ranks.indexOf(role) >= ranks.indexOf(needed);
}

export function isAdmin(project: Project, accountKey: string): boolean {
  return includesRole(roleIn(project, accountKey), "admin");
}

/** The number of people of a project, with its owner. */
export function peopleOf({ members = {} }: Project): number {
  return 1 + Object.keys(members).length;
}

/** An invitation that can be accepted, with its id. */
export type OpenInvitation = Invitation & { readonly id: string };

/** The invitations of a project that have not expired, in the order in which they were made. */
export function openInvitations({ invitations = {} }: Project, now: Date): OpenInvitation[] {
  const all = Object.entries(invitations).map(([id, invitation]) => ({ ...invitation, id }));
  const open = all.filter(({ expiresAt }) => expiresAt > now.toISOString());
  return open.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The open invitation that an id names, if it is a link, or for this account, or this account may withdraw it. */
export function invitationFor(
  project: Project,
  { key }: Pick<Account, "key">,
  id: string | undefined,
  now: Date,
): OpenInvitation | undefined {
  const invitation = openInvitations(project, now).find((each) => each.id === id);
  if (invitation === undefined) return undefined;
  const only = onlyAccepter(invitation);
  return only === undefined || only === key || isAdmin(project, key) ? invitation : undefined;
}

/** The key of the only account that may accept an invitation; undefined: whoever has the link. */
export function onlyAccepter({ to, takenBy }: Invitation): string | undefined {
  return takenBy ?? to?.key;
}

/** @throws ServiceError `project_deleted` */
export function assertNotDeleted({ deletedAt }: Project): void {
  if (deletedAt !== undefined) throw new ServiceError("project_deleted");
}

/** @throws ServiceError `project_suspended` */
export function assertNotSuspended({ suspension }: Project): void {
  if (suspension !== undefined) throw new ServiceError("project_suspended");
}

/**
 * Refuses a personal access token if the project takes none; the token of a CI job that the project trusts is none.
 *
 * @throws ServiceError `tokens_refused`
 */
export function assertTakesToken({ slug, refuseTokens }: Project, token: Token | undefined): void {
  if (!refuseTokens || token === undefined || token.job) return;
  const detail = `The project ${slug} takes no change by a personal access token. Publish it by a CI job that it trusts, or in the dashboard, where its owner or an admin can allow tokens again.`;
  throw new ServiceError("tokens_refused", { detail });
}

/**
 * Refuses a personal access token that the project's owner refuses, or that replaced such a one.
 *
 * @throws ServiceError `token_refused`
 */
export function assertNotRefused(project: Project, token: Token): void {
  if (isRefused(project, token)) throw new ServiceError("token_refused");
}

/** Whether a project's owner refuses a token, or the one that it replaced. */
export function isRefused({ refusedTokens = {} }: Project, token: Token | undefined): boolean {
  return token !== undefined && Object.hasOwn(refusedTokens, lineageOf(token));
}

/** Id of the first of the tokens that replaced each other. */
export function lineageOf({ lineage, id }: Token): string {
  return lineage ?? id;
}

/** Time until which players get a page in place of the game, because the traffic of the month is used up; undefined: they can play. */
export function trafficLimitedUntil({ trafficLimit }: Project, now: Date): Date | undefined {
  if (trafficLimit === undefined || trafficLimit.isLifted) return undefined;
  const until = new Date(trafficLimit.until);
  return now < until ? until : undefined;
}

/** Time until which a deleted project can be restored. */
export function restorableUntil(deletedAt: string): Date {
  return new Date(Date.parse(deletedAt) + limits.projectRestoreDays * dayMilliseconds);
}

/** The previews of a project that have not expired; none of one that nobody can play. */
export function openPreviews({ previews = [], deletedAt, suspension }: Project, now: Date): Preview[] {
  if (deletedAt !== undefined || suspension !== undefined) return [];
  return previews.filter(({ expiresAt }) => expiresAt * 1_000 > now.getTime());
}
