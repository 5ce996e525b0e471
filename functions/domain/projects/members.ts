import { retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { Invitation, Member, Project, ProjectEvent, ProjectRole } from "../../entities/project.ts";
import type { TrustedPublisher } from "../../entities/publisher.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { type ProjectChange, readProjectEvents } from "../../table/projects/history.ts";
import { storePeople } from "../../table/projects/member-items.ts";
import { readProject, readProjectSlugs } from "../../table/projects/project-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { type ShownPublisher, showPublishers } from "../publishers/publishers.ts";
import { ServiceError } from "../service-error.ts";
import { type ShownInvitation, shownTo } from "./invitations.ts";
import { isAdmin, openInvitations, roleIn } from "./state.ts";

/** One of the people of a project. */
export interface ShownMember {
  /** Null for the owner. */
  readonly id: string | null;
  readonly account: Account | undefined;
  readonly role: ProjectRole;
  readonly since: string;
  readonly byTeam?: true;
}

/** The people of a project, its owner first, and for who may withdraw them the open invitations. */
export async function listMembers(
  actor: ProjectActor,
  now: Date,
): Promise<{ members: ShownMember[]; invitations: ShownInvitation[] }> {
  const { account, project } = actor;
  const { ownerKey, ownedSince, createdAt, members = {} } = project;
  const open = isAdmin(project, account.key) ? openInvitations(project, now) : [];
  const accounts = await readAccounts([ownerKey, ...Object.keys(members), ...open.map(({ fromKey }) => fromKey)]);
  const owner = { id: null, account: accounts.get(ownerKey), role: "owner", since: ownedSince ?? createdAt } as const;
  const others = Object.entries(members).map(([key, member]) => ({ ...member, account: accounts.get(key) }));
  return {
    members: [owner, ...others.toSorted((a, b) => (a.since < b.since ? -1 : 1))],
    invitations: open.map((invitation) => ({
      ...shownTo(actor, invitation),
      project,
      from: accounts.get(invitation.fromKey),
    })),
  };
}

/**
 * The member that an id names, with the account's key.
 *
 * @throws ServiceError `member_not_found`
 */
function memberOf({ members = {} }: Project, id: string): { readonly key: string; readonly member: Member } {
  const [key, member] = Object.entries(members).find(([, each]) => each.id === id) ?? [];
  if (key === undefined || member === undefined) throw new ServiceError("member_not_found");
  return { key, member };
}

/**
 * Gives a member another role. One that has it already stays so. Invitations that a former admin has made are withdrawn.
 *
 * @throws ServiceError `member_not_found`
 */
export async function updateMember(
  actor: ProjectActor,
  { id, role }: { readonly id: string; readonly role: Member["role"] },
  now: Date,
): Promise<ShownMember> {
  const { project } = actor;
  const { key, member } = memberOf(project, id);
  const changed = { ...member, role };
  if (member.role !== role) {
    const members = { ...project.members, [key]: changed };
    const people = { members, invitations: role === "admin" ? (project.invitations ?? {}) : notFrom(project, key) };
    await storePeople(project, people, changeBy(actor, now), { type: "member_role_changed", memberKey: key, role });
  }
  return { ...changed, account: (await readAccounts([key])).get(key) };
}

/**
 * Removes a member, or lets the actor leave. Invitations that the member has made are withdrawn. The trusted publishers that the member
 * added stay, unless an owner or admin removes them by the same write.
 *
 * @param removal `id`: the member's, or `me`
 * @returns the publishers that the member added
 * @throws ServiceError `owner_stays`, `member_not_found`; `project_role_required` for another than oneself, and to remove publishers
 */
export async function removeMember(
  actor: ProjectActor,
  { id, removesPublishers }: { readonly id: string; readonly removesPublishers: boolean },
  now: Date,
): Promise<ShownPublisher[]> {
  const { account, project } = actor;
  if (id === "me" && project.ownerKey === account.key) throw new ServiceError("owner_stays");
  const key = id === "me" ? account.key : memberOf(project, id).key;
  if ((key !== account.key || removesPublishers) && !isAdmin(project, account.key))
    throw new ServiceError("project_role_required");
  const added = (project.publishers ?? []).filter(({ addedBy }) => addedBy === key);
  // Before the write: a read that fails afterwards would be a 503 for a member who is removed.
  const shown = await showPublishers(without(project, key), added);
  await removeFrom(project, key, changeBy(actor, now), { removed: removesPublishers ? added : [] });
  return shown;
}

/** The project as it is without a member, and without the invitations that the member has made. */
export function without(project: Project, key: string) {
  const { [key]: _, ...members } = project.members ?? {};
  return { ...project, members, invitations: notFrom(project, key) };
}

/** Removes a member from a project, with these of its publishers. */
export async function removeFrom(
  project: Project,
  key: string,
  made: ProjectChange,
  options?: { readonly removed?: readonly TrustedPublisher[]; readonly isQuiet?: boolean },
): Promise<void> {
  await storePeople(project, without(project, key), made, { type: "member_removed", memberKey: key }, options);
}

function notFrom({ invitations = {} }: Project, key: string): Record<string, Invitation> {
  return Object.fromEntries(Object.entries(invitations).filter(([, { fromKey }]) => fromKey !== key));
}

const slugsPerRead = 100;

/** Takes an account that is deleted out of each project of which it was a member, deleted ones too. */
export async function leaveProjects(accountKey: string, now: Date): Promise<void> {
  for (let after: string | undefined; ; ) {
    const { items: slugs, last } = await readProjectSlugs(accountKey, { limit: slugsPerRead, after });
    for (const slug of slugs)
      await retryOnConflict(async () => {
        const project = await readProject(slug);
        if (project?.members?.[accountKey])
          await removeFrom(project, accountKey, { by: accountKey, token: undefined, now });
      });
    if (last === undefined) return;
    after = last;
  }
}

/** One line of a project's history, with the accounts that it names. */
export type ShownEvent = ProjectEvent & { readonly by: Account | undefined; readonly member: Account | undefined };

/** An event without what tokens are called, which a viewer does not see. */
function withoutTokenNames({ tokenName: _, release, ...event }: ProjectEvent): ProjectEvent {
  const { tokenName: __, ...others } = release ?? {};
  return { ...event, ...(release && { release: others }) };
}

/** An event without the run of a CI job that an earlier owner trusted. */
function ownRun({ release, ...event }: ProjectEvent, { ownerKey }: Project): ProjectEvent {
  if (release === undefined) return event;
  const { run, ...others } = release;
  return { ...event, release: run?.accountKey === ownerKey ? release : others };
}

/**
 * One page of a project's history, newest first. A viewer does not see what tokens are called.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listProjectEvents(
  { account, project }: ProjectActor,
  page: Page,
): Promise<{ events: ShownEvent[]; nextCursor: string | null }> {
  const list = `events of project ${project.slug}`;
  const { items, last } = await readProjectEvents(project, sliceOf(page, list));
  const accounts = await readAccounts(items.flatMap(({ byKey, memberKey }) => [byKey ?? [], memberKey ?? []].flat()));
  const shown = roleIn(project, account.key) === "viewer" ? withoutTokenNames : (event: ProjectEvent) => event;
  const find = (key: string | undefined) => (key === undefined ? undefined : accounts.get(key));
  return {
    events: items
      .map(shown)
      .map((event) => ({ ...ownRun(event, project), by: find(event.byKey), member: find(event.memberKey) })),
    nextCursor: cursorAfter(last, list),
  };
}
