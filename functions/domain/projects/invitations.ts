import { randomBytes } from "node:crypto";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { Invitation, Ledger, Project, ProjectRole } from "../../entities/project.ts";
import { readAccount, readAccounts } from "../../table/accounts/account-items.ts";
import { newId } from "../../table/ids.ts";
import { grantKey } from "../../table/keys.ts";
import { readLedger } from "../../table/projects/ledger.ts";
import { handOver, insertMember, readReceivedInvitations, storePeople } from "../../table/projects/member-items.ts";
import { readProject, readProjects } from "../../table/projects/project-items.ts";
import { findUser } from "../accounts/accounts.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { authorizeAccount } from "../authorization.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { bringToEdge, type ChangedProject, type EdgeState, ownChange } from "./pointers.ts";
import { assertRoomForProject } from "./projects.ts";
import { assertRoomInAccount, usedOf } from "./quota.ts";
import {
  assertNotDeleted,
  assertNotSuspended,
  includesRole,
  invitationFor,
  isAdmin,
  type OpenInvitation,
  openInvitations,
  roleIn,
} from "./state.ts";

/** An invitation with what a person sees of it. */
export type ShownInvitation = OpenInvitation & { readonly project: Project; readonly from: Account | undefined };

/** @throws ServiceError `invitation_not_found` */
function invitationOf({ account, project }: ProjectActor, id: string, now: Date): OpenInvitation {
  const invitation = invitationFor(project, account, id, now);
  if (invitation === undefined) throw new ServiceError("invitation_not_found");
  return invitation;
}

/** Whom an actor invites. */
interface InvitationRequest {
  readonly role: ProjectRole;
  /** Undefined for whoever has the link. */
  readonly to: string | undefined;
}

/**
 * Invites somebody to a project. The same invitation to the same user stays as it is; one with another role replaces it, and one
 * with the role `owner` replaces each other with that role. What has expired is forgotten.
 *
 * @returns the invitation, and the link's secret, which is stored as a hash
 * @throws ServiceError `project_role_required`, also for an admin who would replace the hand-over; `validation_failed` if the new owner is not named, or the user is one of the people
 *   of the project; `user_not_found`; `member_limit_reached`
 */
export async function createInvitation(
  actor: ProjectActor,
  { role, to: uid }: InvitationRequest,
  now: Date,
): Promise<{ readonly invitation: ShownInvitation; readonly secret: string | null }> {
  const { account, project } = actor;
  if (role === "owner" && roleIn(project, account.key) !== "owner") throw new ServiceError("project_role_required");
  if (role === "owner" && uid === undefined) throw invalidTo("must name the new owner");
  const to = uid === undefined ? undefined : await invited(project, role, uid);
  const open = openInvitations(project, now);
  const existing = open.find((each) => to !== undefined && each.to?.key === to.key);
  // It would replace the hand-over.
  if (existing?.role === "owner" && roleIn(project, account.key) !== "owner")
    throw new ServiceError("project_role_required", { detail: "The owner hands the project over to this user." });
  if (existing?.role === role) return { invitation: { ...existing, project, from: account }, secret: null };
  const others = open.filter((each) => each !== existing && !(role === "owner" && each.role === "owner"));
  if (role !== "owner") assertRoomForMember(project, others);
  const secret = to ? null : randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + limits.invitationDays * dayMilliseconds).toISOString();
  const id = newId(now);
  const made = {
    role,
    fromKey: account.key,
    expiresAt,
    ...(to && { to }),
    ...(secret && { secret: grantKey(secret) }),
  };
  await storePeople(
    project,
    { members: project.members ?? {}, invitations: { ...byId(others), [id]: made } },
    changeBy(actor, now),
    { type: "invitation_created", memberKey: to?.key, role },
  );
  return { invitation: { ...made, id, project, from: account }, secret };
}

function byId(invitations: readonly OpenInvitation[]): Record<string, Invitation> {
  return Object.fromEntries(invitations.map(({ id, ...invitation }) => [id, invitation]));
}

async function invited(project: Project, role: ProjectRole, uid: string): Promise<Invitation["to"]> {
  const { key } = await findUser(uid);
  const has = roleIn(project, key);
  if (has === "owner" || (has !== undefined && role !== "owner"))
    throw invalidTo("is one of the people of the project already");
  return { key, uid };
}

function invalidTo(detail: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ pointer: "/to", detail }] });
}

/** A new owner takes the place of the previous one. */
function assertRoomForMember({ members = {} }: Project, open: readonly OpenInvitation[]): void {
  const places = open.filter(({ role }) => role !== "owner").length;
  if (1 + Object.keys(members).length + places >= limits.membersPerProject)
    throw new ServiceError("member_limit_reached");
}

/** An invitation as the page shows it on which a person accepts. @throws ServiceError `invitation_not_found` */
export async function getInvitation(actor: ProjectActor, id: string, now: Date): Promise<ShownInvitation> {
  return await withInviter(actor.project, invitationOf(actor, id, now));
}

async function withInviter(project: Project, invitation: OpenInvitation): Promise<ShownInvitation> {
  const { fromKey } = invitation;
  return { ...invitation, project, from: (await readAccounts([fromKey])).get(fromKey) };
}

/**
 * An invitation by a link, for whoever has the whole link: who invites, to which game, as what. What has only the link's visible part, as a log of URLs
 * has, gets nothing, and an invitation to a user shows itself to that user alone.
 *
 * @throws ServiceError `invitation_not_found`, whatever is missing
 */
export async function lookUpInvitation(
  { slug, id, secret }: { readonly slug: string; readonly id: string; readonly secret: string },
  now: Date,
): Promise<ShownInvitation> {
  const project = await readProject(slug);
  const isClosed = project === undefined || project.deletedAt !== undefined || project.suspension !== undefined;
  const invitation = isClosed ? undefined : openInvitations(project, now).find((each) => each.id === id);
  if (isClosed || invitation?.secret === undefined || invitation.secret !== grantKey(secret))
    throw new ServiceError("invitation_not_found");
  return await withInviter(project, invitation);
}

/**
 * One page of the invitations to an account by its uid, in the order of the projects' slugs. What can be accepted now is listed, so a page
 * can be short.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listInvitations(
  { key }: Account,
  page: Page,
  now: Date,
): Promise<{ invitations: ShownInvitation[]; nextCursor: string | null }> {
  const list = `invitations to ${key}`;
  const { items, last } = await readReceivedInvitations(key, sliceOf(page, list));
  const projects = (await readProjects(items.map(({ slug }) => slug))).filter((project) => project !== undefined);
  const standing = projects
    .filter(({ deletedAt, suspension }) => deletedAt === undefined && suspension === undefined)
    .flatMap((project) => openInvitations(project, now).map((invitation) => ({ ...invitation, project })))
    .filter(({ to }) => to?.key === key);
  const accounts = await readAccounts(standing.map(({ fromKey }) => fromKey));
  return {
    invitations: standing.map((invitation) => ({ ...invitation, from: accounts.get(invitation.fromKey) })),
    nextCursor: cursorAfter(last, list),
  };
}

/**
 * Withdraws an invitation, or refuses it.
 *
 * @throws ServiceError `invitation_not_found` for who has a link alone; `project_role_required` if an admin withdraws a hand-over
 */
export async function deleteInvitation(actor: ProjectActor, id: string, now: Date): Promise<void> {
  const { account, project } = actor;
  const invitation = invitationOf(actor, id, now);
  const isOwn = invitation.to?.key === account.key;
  if (!isOwn && !isAdmin(project, account.key)) throw new ServiceError("invitation_not_found");
  if (!isOwn && !includesRole(roleIn(project, account.key), invitation.role))
    throw new ServiceError("project_role_required");
  const { [id]: _, ...invitations } = project.invitations ?? {};
  const { to, role } = invitation;
  await storePeople(project, { members: project.members ?? {}, invitations }, changeBy(actor, now), {
    type: "invitation_deleted",
    memberKey: to?.key,
    role,
  });
}

/**
 * Makes the actor a member, or the owner: every request by the previous owner is refused from then on, whatever its credential.
 *
 * @param secret the link's; not for an invitation to a user
 * @throws ServiceError `invitation_not_found` without the link's secret, and for who could only withdraw it; `developer_required` for each role but viewer;
 *   `already_member`; `project_limit_reached`, `quota_exceeded`
 */
export async function acceptInvitation(
  actor: ProjectActor & { readonly ledger: Ledger | undefined },
  { id, secret }: { readonly id: string; readonly secret: string | undefined },
  now: Date,
): Promise<ChangedProject> {
  const { account, project } = actor;
  const { id: _, ...read } = invitationOf(actor, id, now);
  const isTo = read.to ? read.to.key === account.key : secret !== undefined && grantKey(secret) === read.secret;
  if (!isTo) throw new ServiceError("invitation_not_found");
  if (read.role !== "viewer") authorizeAccount({ role: "dev" }, account);
  if (read.role === "owner") return await takeOver(actor, now);
  if (roleIn(project, account.key) !== undefined) throw new ServiceError("already_member");
  const member = { id: newId(now), role: read.role, since: now.toISOString() };
  await insertMember(project, { id, invitation: read, toKey: account.key }, member, changeBy(actor, now));
  return {
    project: { ...project, members: { ...project.members, [account.key]: member } },
    edge: await edgeOf(project, now),
  };
}

async function takeOver(
  { account, project, ledger }: Pick<ProjectActor, "account" | "project"> & { readonly ledger: Ledger | undefined },
  now: Date,
): Promise<ChangedProject> {
  const used = usedOf(project);
  assertRoomForProject(account);
  if (used.objects > 0) assertRoomInAccount(ledger, used);
  const accepted = await handOver(project, { toKey: account.key, used }, now);
  return { project: accepted, edge: await edgeOf(accepted, now) };
}

/**
 * Gives a project to another developer for an owner who cannot sign in, which only the operator does: nobody has to accept. As after a
 * hand-over its members stay, and its publishers, previews and invitations do not.
 *
 * @returns whether the games' edge has it
 * @throws ServiceError `project_not_found`, `project_deleted`, `project_suspended`; `user_not_found`, also for a suspended account;
 *   `developer_required`; `project_limit_reached`, `quota_exceeded`
 */
export async function giveProject(slug: string, toKey: string, now: Date): Promise<EdgeState> {
  return await retryOnConflict(async () => {
    const [project, account, ledger] = await Promise.all([readProject(slug), readAccount(toKey), readLedger(toKey)]);
    if (project === undefined) throw new ServiceError("project_not_found", { detail: "No project has this slug." });
    assertNotDeleted(project);
    assertNotSuspended(project);
    if (account === undefined || account.suspension) throw new ServiceError("user_not_found");
    if (account.role !== "dev") throw new ServiceError("developer_required");
    if (project.ownerKey === toKey) return await bringToEdge({ slugs: [slug] }, now);
    return (await takeOver({ account, project, ledger }, now)).edge;
  });
}

async function edgeOf(project: Project, now: Date) {
  return await bringToEdge(ownChange(project), now);
}
